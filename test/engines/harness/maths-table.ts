import * as ours from 'escapement/sim';
import type { Hashes } from './plan.ts';

/** Angles of each table, and points and numbers of the others. */
const COUNT = 65_536;

/** A hash of 64 bits over doubles, in two halves: of everything but which NaN it is. */
class Digest {
  readonly #value: Float64Array = new Float64Array(1);
  readonly #words: Uint32Array = new Uint32Array(this.#value.buffer);
  #first = 0x811c9dc5;
  #second = 0x9e3779b9;

  add(value: number): void {
    this.#value[0] = value === value ? value : Number.NaN;
    const [low = 0, high = 0] = this.#words;
    const isNaN = value !== value;
    this.#word(isNaN ? 0 : low);
    this.#word(isNaN ? 0x7ff80000 : high);
  }

  hex(): string {
    return [this.#first, this.#second]
      .map((half) => (half >>> 0).toString(16).padStart(8, '0'))
      .join('');
  }

  #word(word: number): void {
    this.#first = Math.imul(this.#first ^ word, 0x01000193);
    this.#first ^= this.#first >>> 15;
    this.#second = Math.imul(this.#second ^ word, 0x85ebca6b);
    this.#second ^= this.#second >>> 13;
  }
}

type Unary = (x: number) => number;
type Binary = (a: number, b: number) => number;

/** An angle of the circle, the k-th of the table. */
function angleOf(k: number): number {
  return (k / COUNT) * 6.283185307179586;
}

/** A number of any size, the k-th: 2^-40 to 2^40, and the sign in turn. */
function numberOf(k: number): number {
  const power = (k % 81) - 40;
  let scale = 1;
  for (let n = 0; n < Math.abs(power); n++) scale *= power > 0 ? 2 : 0.5;
  return (k % 2 === 0 ? 1 : -1) * (1 + k / COUNT) * scale;
}

function positiveOf(k: number): number {
  return Math.abs(numberOf(k));
}

/** An int32, the k-th, spread over all of them. */
function rawOf(k: number): number {
  return Math.imul(k, 0x9e3779b1) | 0;
}

function tableOf(of: Unary, at: (k: number) => number): string {
  const digest = new Digest();
  for (let k = 0; k < COUNT; k++) digest.add(of(at(k)));
  return digest.hex();
}

function tableOfTwo(of: Binary, at: (k: number) => number, by: (k: number) => number): string {
  const digest = new Digest();
  for (let k = 0; k < COUNT; k++) digest.add(of(at(k), by((k * 7919) % COUNT)));
  return digest.hex();
}

/** Functions that a table is made of: those of the library, or an engine's own. */
interface Functions {
  readonly sin: Unary;
  readonly cos: Unary;
  readonly exp: Unary;
  readonly log: Unary;
  readonly log2: Unary;
  readonly log10: Unary;
  readonly cbrt: Unary;
  readonly atan2: Binary;
  readonly pow: Binary;
  readonly hypot: Binary;
}

function floatTables(from: Functions): Record<string, string> {
  const smallOf = (k: number): number => (k / COUNT - 0.5) * 100;
  return {
    sin: tableOf(from.sin, angleOf),
    cos: tableOf(from.cos, angleOf),
    'sin of large angles': tableOf(from.sin, (k) => numberOf(k) * 1e-3),
    'cos of large angles': tableOf(from.cos, (k) => numberOf(k) * 1e-3),
    exp: tableOf(from.exp, smallOf),
    log: tableOf(from.log, positiveOf),
    log2: tableOf(from.log2, positiveOf),
    log10: tableOf(from.log10, positiveOf),
    cbrt: tableOf(from.cbrt, numberOf),
    atan2: tableOfTwo(from.atan2, numberOf, numberOf),
    pow: tableOfTwo(from.pow, positiveOf, (k) => (k / COUNT - 0.5) * 8),
    hypot: tableOfTwo(from.hypot, numberOf, numberOf),
  };
}

/** Returns a hash for each function of the library's maths: 65,536 results each. */
export function mathsTable(): Hashes {
  const square = (k: number): number => rawOf(k) >>> 1;
  return {
    ...floatTables(ours),
    sinFixed: tableOf(ours.sinFixed, rawOf),
    cosFixed: tableOf(ours.cosFixed, rawOf),
    expFixed: tableOf(ours.expFixed, (k) => rawOf(k) >> 11),
    logFixed: tableOf(ours.logFixed, square),
    sqrtFixed: tableOf(ours.sqrtFixed, square),
    atan2Fixed: tableOfTwo(ours.atan2Fixed, rawOf, rawOf),
    mulFixed: tableOfTwo(ours.mulFixed, rawOf, (k) => rawOf(k) >> 8),
    divFixed: tableOfTwo(ours.divFixed, rawOf, rawOf),
    powFixed: tableOfTwo(ours.powFixed, square, (k) => rawOf(k) >> 14),
    'random numbers': randomTable(),
  };
}

function randomTable(): string {
  const random = ours.Random.seed(new Uint32Array(64), 0, 1, 2, 3);
  const digest = new Digest();
  for (let k = 0; k < COUNT; k++) {
    digest.add(random.nextU32());
    digest.add(random.nextFloat01());
    digest.add(random.nextRange(-k, 3 * k + 1));
  }
  return digest.hex();
}

/** Returns the same tables of the engine's own functions, which simulation code must not use. */
export function controlTable(): Hashes {
  return floatTables({
    sin: Math.sin,
    cos: Math.cos,
    exp: Math.exp,
    log: Math.log,
    log2: Math.log2,
    log10: Math.log10,
    cbrt: Math.cbrt,
    atan2: Math.atan2,
    pow: Math.pow,
    hypot: Math.hypot,
  });
}
