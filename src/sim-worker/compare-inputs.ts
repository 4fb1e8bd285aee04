import { FieldCodec, type FieldValues } from '../shared/field-codec.ts';
import type { Replay } from '../shared/replay/replay.ts';

/** An input of one recording that the other does not have at its place. */
export interface InputDifference {
  /** The first tick whose inputs differ. */
  readonly tick: number;
  /** Place among the inputs of that tick, from 0. */
  readonly place: number;
  /** What each consumed there; undefined where it consumed no more. */
  readonly a: NamedInput | undefined;
  readonly b: NamedInput | undefined;
}

/** An input as a tick consumed it. */
export interface NamedInput {
  readonly name: string;
  readonly values: Readonly<FieldValues>;
}

/**
 * Returns the first difference between the inputs of two recordings of one schema, over the ticks
 * that both have; undefined if there is none.
 */
export function firstInputDifference(a: Replay, b: Replay): InputDifference | undefined {
  const last = Math.min(a.lastTick, b.lastTick);
  let tick = Math.max(a.header.firstTick, b.header.firstTick);
  for (;;) {
    tick = nextOf(a.nextInputTick(tick + 1), b.nextInputTick(tick + 1));
    if (tick < 0 || tick > last) return undefined;
    const one = wordsOf(a, tick);
    const other = wordsOf(b, tick);
    const longest = Math.max(one.length, other.length);
    for (let place = 0; place < longest; place++) {
      if (isEqual(one[place], other[place])) continue;
      return { tick, place, a: name(a, one[place]), b: name(b, other[place]) };
    }
  }
}

/** Returns the smaller of two ticks of which either may be -1 for none. */
function nextOf(a: number, b: number): number {
  if (a < 0 || b < 0) return Math.max(a, b);
  return Math.min(a, b);
}

/** Lists the inputs of a tick with their values. */
export function inputsAt(replay: Replay, tick: number): NamedInput[] {
  return wordsOf(replay, tick).map((entry) => name(replay, entry) as NamedInput);
}

/** The place of an input in the schema, and its words. */
type InputWords = readonly number[];

function wordsOf(replay: Replay, tick: number): InputWords[] {
  const found: InputWords[] = [];
  replay.inputsOf(tick, (input, words, begin, length) => {
    found.push([input, ...words.subarray(begin, begin + length)]);
  });
  return found;
}

function isEqual(a: InputWords | undefined, b: InputWords | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

function name(replay: Replay, entry: InputWords | undefined): NamedInput | undefined {
  if (entry === undefined) return undefined;
  const [input, ...words] = entry;
  const { name: called, fields } = replay.header.schema.inputs[input as number] as {
    readonly name: string;
    readonly fields: FieldCodec['fields'];
  };
  return {
    name: called,
    values: new FieldCodec(called, fields).decode(new Uint32Array(words), 0, {}),
  };
}
