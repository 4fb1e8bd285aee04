import type { Rational } from '../../src/shared/rational.ts';
import { Fraction, NANOS, roundHalfUp } from '../shared/exact.ts';

/** What a snapshot shows, told naively: exact fractions, and a list of who had what. */

const ONE = new Fraction(1n);
const ZERO = new Fraction(0n);

/** Alpha of a reading so long after the start, when `spent` ticks ran or were dropped. */
export function exactAlpha(elapsedNs: bigint, spent: number, quantum: Rational): Fraction {
  const [n, d] = [BigInt(quantum.denominator), BigInt(quantum.numerator)];
  const ahead = new Fraction(elapsedNs * n, d * NANOS).minus(new Fraction(BigInt(spent)));
  if (ahead.n <= 0n) return ZERO;
  return ahead.n >= ahead.d ? ONE : ahead;
}

/** The Q16.16 number nearest to a fraction from 0, a half upwards. */
export function fixedOf({ n, d }: Fraction): number {
  return Number(roundHalfUp(n * 65_536n, d));
}

const bits = new Uint32Array(1);
const floats = new Float32Array(bits.buffer);

function neighbour(value: number, up: number): number {
  floats[0] = value;
  bits[0] = (bits[0] as number) + up;
  return floats[0];
}

/** The binary32 number nearest to a fraction from 0 to 1, ties to even: looked for among three. */
export function nearestF32(exact: Fraction): number {
  if (exact.n === 0n) return 0;
  const guess = Math.fround(exact.toDouble());
  const candidates = [neighbour(guess, -1), guess, neighbour(guess, 1)];
  const distances = candidates.map((it) => Fraction.ofDouble(it).minus(exact).magnitude());
  let best = 1;
  for (const other of [0, 2]) {
    const order = compare(distances[other] as Fraction, distances[best] as Fraction);
    floats[0] = candidates[other] as number;
    const isEven = ((bits[0] as number) & 1) === 0;
    if (order < 0 || (order === 0 && isEven)) best = other;
  }
  return candidates[best] as number;
}

function compare(a: Fraction, b: Fraction): number {
  const difference = a.minus(b).n;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** a + (b - a) x t in Q16.16: the product rounded once, ties to even, the sum saturated. */
function lerpRaw(a: number, b: number, t: number): number {
  const product = BigInt(b - a) * BigInt(t);
  const floor = product >> 16n;
  const rest = product & 0xffffn;
  const up = rest > 0x8000n || (rest === 0x8000n && (floor & 1n) === 1n);
  const sum = BigInt(a) + floor + (up ? 1n : 0n);
  return Number(sum > 2147483647n ? 2147483647n : sum < -2147483648n ? -2147483648n : sum);
}

/** a + (b - a) x t in binary32, the ends kept. */
function lerpFloat(a: number, b: number, t: number): number {
  const { fround } = Math;
  if (t === 0) return a;
  return t === 1 ? b : fround(a + fround(fround(b - a) * t));
}

export type Place = readonly [number, number];
export type Backend = 'fixed' | 'f32';

/** An entity as the model has it. `jump` is a new object whenever it must not be blended across. */
export interface ModelEntity {
  readonly handle: number;
  jump: object;
  readonly places: Map<Backend, Place>;
}

interface Shot {
  readonly jump: object;
  readonly place: Place;
}

/** What one snapshot is to show of entities that it is told about. */
export class SnapshotModel {
  readonly backend: Backend;
  readonly quantum: Rational;
  lastTick = 0;
  alpha: Fraction = ZERO;
  #earlier: ReadonlyMap<number, Shot> = new Map();
  #later: ReadonlyMap<number, Shot> = new Map();

  constructor(backend: Backend, quantum: Rational) {
    this.backend = backend;
    this.quantum = quantum;
  }

  onTick(tick: number, living: Iterable<ModelEntity>): void {
    const shots = new Map<number, Shot>();
    for (const { handle, jump, places } of living) {
      const place = places.get(this.backend);
      if (place !== undefined) shots.set(handle, { jump, place });
    }
    this.#earlier = tick === this.lastTick + 1 ? this.#later : new Map();
    this.#later = shots;
    this.lastTick = tick;
  }

  onRenderFrame(elapsedNs: bigint, dropped: number): void {
    const { lastTick, quantum } = this;
    this.alpha = lastTick === 0 ? ZERO : exactAlpha(elapsedNs, lastTick + dropped, quantum);
  }

  sample(handle: number, entity: ModelEntity | undefined): readonly [string, Place?] {
    if (entity === undefined) return ['stale'];
    const live = entity.places.get(this.backend);
    if (live === undefined) return ['no-component'];
    const later = this.#later.get(handle);
    if (later?.jump !== entity.jump) return ['snapped', live];
    const earlier = this.#earlier.get(handle);
    if (earlier?.jump !== entity.jump) return ['snapped', later.place];
    const [a, b] = [earlier.place, later.place];
    return ['ok', [this.#blend(a[0], b[0]), this.#blend(a[1], b[1])]];
  }

  #blend(a: number, b: number): number {
    if (this.backend === 'fixed') return lerpRaw(a, b, fixedOf(this.alpha));
    return lerpFloat(a, b, nearestF32(this.alpha));
  }
}
