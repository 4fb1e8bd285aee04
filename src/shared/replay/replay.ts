import type { ParamValue, Schema } from '../schema.ts';

/** What a run follows from, beside its inputs; JSON in the file's first record. */
export interface ReplayHeader {
  readonly formatVersion: 1;
  /** Version of this library that wrote the file. */
  readonly library: string;
  /** The schema with the run's own quantum and parameters. */
  readonly schema: Schema;
  /** `version` of the definition as its author gave it, '' if none. */
  readonly identity: string;
  readonly seed: readonly [high: number, low: number];
  readonly params: Readonly<Record<string, ParamValue>>;
  /** The tick after which the recording begins; 0 is from setup. */
  readonly firstTick: number;
  /**
   * False when the state after tick 0 is not what setup made: the clock had been set back to it.
   * The first keyframe has it then.
   */
  readonly fromSetup?: false | undefined;
  /** How many ticks lie between two hashes, 0 for none. */
  readonly hashEveryTicks: number;
  /** How many ticks lie between two keyframes, 0 for none. */
  readonly keyframeEveryTicks: number;
}

/** The whole state after a tick. */
export interface Keyframe {
  readonly tick: number;
  /** The world's block in the region, byte for byte. */
  readonly world: Uint8Array;
  /**
   * Present values of the `state` inputs as `FieldCodec` encodes them, one behind the other in the
   * order of the schema.
   */
  readonly inputs: Uint32Array;
  /** What `foreign.save()` returned, undefined where the simulation has no foreign state. */
  readonly foreign: Uint8Array | undefined;
}

/** An input as a tick consumed it. */
export interface InputEntry {
  /** The tick that consumed it. */
  readonly tick: number;
  /** Its place in `schema.inputs`. */
  readonly input: number;
  /** Its values as `FieldCodec` encodes them. */
  readonly words: Uint32Array;
}

/** The state hash after a tick, as two unsigned halves. */
export interface HashEntry {
  readonly tick: number;
  readonly high: number;
  readonly low: number;
}

/**
 * Takes the bytes of a file, in order and never two writes at once; what it is given is its own. A
 * throw or a rejection ends the recording.
 */
export interface ReplaySink {
  write(bytes: Uint8Array): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Every reason for which a recording can end; a reason's place is its code in the file. */
export const REPLAY_END_REASONS = ['stopped', 'full', 'lost', 'failed'] as const;

/**
 * Why a recording ended: it was asked to, its file reached `maxBytes`, the host could not keep up,
 * or the simulation failed.
 */
export type ReplayEndReason = (typeof REPLAY_END_REASONS)[number];

/** A keyframe as it lies in a file. */
export interface ReplayKeyframe {
  readonly tick: number;
  /** Bytes that its state takes in the file. */
  readonly storedBytes: number;
  /** Bytes of its state. */
  readonly rawBytes: number;
}

/** Takes one input: `words[begin]` up to, not including, `words[begin + length]`. */
export type VisitInput = (input: number, words: Uint32Array, begin: number, length: number) => void;

/** What a replay file holds, up to its last whole record. Everything in it was checked. */
export interface Replay {
  readonly header: ReplayHeader;
  readonly byteLength: number;
  /** Inputs and hashes are complete through this tick. */
  readonly lastTick: number;
  /** How the recording ended, undefined if the file does not say: it is truncated. */
  readonly end: { readonly tick: number; readonly reason: ReplayEndReason } | undefined;
  /** The first byte that does not count and why, undefined if the file is whole. */
  readonly truncated: { readonly offset: number; readonly why: string } | undefined;
  readonly inputCount: number;
  /**
   * Hands the inputs that `tick` consumed to `visit`, in their order, and returns how many there
   * are. `words` is valid during the call only. Allocates nothing; the fastest order is ascending.
   */
  inputsOf(tick: number, visit: VisitInput): number;
  /**
   * Returns the first tick from `tick` on that consumed an input, -1 if there is none. Goes over no
   * empty ticks, however many a file claims; the fastest order is ascending.
   */
  nextInputTick(tick: number): number;
  readonly hashCount: number;
  /** Returns the `k`th hash, in ascending order of ticks. Throws VALUE_INVALID for no such `k`. */
  hashAt(k: number): HashEntry;
  /**
   * Writes the hash of `tick` to `out[0]`, its upper 32 bits, and `out[1]`; returns false if there
   * is none. Allocates nothing.
   */
  findHash(tick: number, out: Uint32Array): boolean;
  /** The keyframes up to `lastTick`, in ascending order of ticks. */
  readonly keyframes: readonly ReplayKeyframe[];
  /**
   * Returns the `k`th keyframe in memory of its own. Throws VALUE_INVALID for no such `k`,
   * REPLAY_INVALID if its bytes are not what its record promises.
   */
  loadKeyframe(k: number): Keyframe;
}

/** How a recording is written. */
export interface ReplayWriterOptions {
  /** The most bytes of the file, in which it always ends cleanly. Default 128 MiB. */
  readonly maxBytes?: number;
}
