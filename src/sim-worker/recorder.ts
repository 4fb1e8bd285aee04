import type { InputTrace } from './input-queue.ts';
import type { RecordPeriods } from '../shared/replay/record-options.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { Simulation, TickObserver } from './simulation.ts';

/** Where a recorder hands over what a run was made of. */
export interface RecorderOutput {
  /** Takes an input that a tick consumes. The words are the caller's again afterwards. */
  readonly input: InputTrace;
  /** Takes the hash of the state after a tick. */
  hash(tick: number, high: number, low: number): void;
  /** Takes the whole state after a tick. */
  keyframe(keyframe: Keyframe): void;
  /** Says that everything up to a tick has been handed over. */
  mark(tick: number): void;
}

/** Ticks after which what has been recorded is marked as complete, at most. */
const MARK_TICKS = 60;

/**
 * Takes down what a run follows from, from the present state on: a keyframe of it, then inputs as
 * ticks consume them, hashes and keyframes. A tick between two hashes without an input costs a few
 * comparisons and allocates nothing.
 */
export class Recorder implements TickObserver {
  readonly firstTick: number;
  readonly #simulation: Simulation;
  readonly #output: RecorderOutput;
  readonly #hashEvery: number;
  readonly #keyframeEvery: number;
  readonly #markEvery: number;
  readonly #hash: Uint32Array = new Uint32Array(2);

  constructor(simulation: Simulation, output: RecorderOutput, periods: RecordPeriods) {
    this.#simulation = simulation;
    this.#output = output;
    this.#hashEvery = periods.hashEveryTicks;
    this.#keyframeEvery = periods.keyframeEveryTicks;
    this.#markEvery = Math.min(MARK_TICKS, this.#hashEvery);
    this.firstTick = simulation.tick;
    output.keyframe(simulation.saveKeyframe());
    this.#takeHash(this.firstTick);
    output.mark(this.firstTick);
    simulation.inputs.trace = output.input;
    simulation.observe(this);
  }

  /** Takes what is due after a tick. Periods count from tick 0, whenever the recording began. */
  afterTick(tick: number): void {
    if (tick % this.#hashEvery === 0) this.#takeHash(tick);
    if (tick % this.#keyframeEvery === 0) this.#output.keyframe(this.#simulation.saveKeyframe());
    if (tick % this.#markEvery === 0) this.#output.mark(tick);
  }

  /** Ends the recording with the present tick, and its hash. */
  end(): void {
    const { tick } = this.#simulation;
    if (tick > this.firstTick && tick % this.#hashEvery !== 0) this.#takeHash(tick);
    this.#output.mark(tick);
    this.#detach();
  }

  /**
   * Ends the recording with the last tick that was completed. Its state is not hashed: the tick
   * that failed has been at it.
   */
  fail(): void {
    this.#output.mark(this.#simulation.tick);
    this.#detach();
  }

  #detach(): void {
    this.#simulation.inputs.trace = undefined;
    this.#simulation.forgetObserver(this);
  }

  #takeHash(tick: number): void {
    this.#simulation.world.stateHash.compute(tick, this.#hash);
    this.#output.hash(tick, this.#hash[0] as number, this.#hash[1] as number);
  }
}
