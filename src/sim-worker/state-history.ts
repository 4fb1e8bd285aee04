import { assert } from '../shared/assert.ts';
import type { Simulation } from './simulation.ts';

/*
 * Threads    the simulation thread alone, between ticks.
 * Memory     copies of the world's block, of its own, made once.
 * Ordering   plain accesses.
 * Progress   one bulk copy a call; allocates nothing but what a foreign state is saved as.
 * Invariant  the state after tick T lies at T modulo the number of copies, until T + that many.
 */

/** One state that is kept. */
interface Kept {
  tick: number;
  readonly world: Uint8Array;
  readonly inputs: Uint32Array;
  foreign: Uint8Array | undefined;
}

/** The states after the last ticks of a simulation, to go back to. */
export class StateHistory {
  readonly #simulation: Simulation;
  readonly #kept: readonly Kept[];
  #newest = -1;
  #count = 0;

  /** Keeps `size` states. */
  constructor(simulation: Simulation, size: number) {
    this.#simulation = simulation;
    this.#kept = Array.from({ length: size }, () => ({
      tick: -1,
      world: new Uint8Array(simulation.world.block.byteLength),
      inputs: new Uint32Array(simulation.inputs.stateWords),
      foreign: undefined,
    }));
  }

  /** The oldest tick whose state is kept; -1 before the first. */
  get oldestTick(): number {
    return this.#count === 0 ? -1 : this.#newest - this.#count + 1;
  }

  /** Returns what a kept tick saw of the `state` inputs, as `InputQueue.save` writes it. */
  inputsOf(tick: number): Uint32Array {
    return this.#keptOf(tick).inputs;
  }

  /** Keeps the present state, in place of the oldest, or of the one that this tick had before. */
  save(): void {
    const { tick, world, inputs, definition } = this.#simulation;
    const kept = this.#kept[tick % this.#kept.length] as Kept;
    world.commands.apply();
    world.block.save(kept.world);
    inputs.save(kept.inputs);
    keepForeign(kept, definition.foreign?.save());
    kept.tick = tick;
    if (tick === this.#newest + 1) this.#count = Math.min(this.#count + 1, this.#kept.length);
    else if (tick > this.#newest + 1) this.#count = 1;
    if (tick > this.#newest) this.#newest = tick;
  }

  /** Goes back to a kept state. What readers are shown next goes on from it without a jump. */
  restore(tick: number): void {
    const kept = this.#keptOf(tick);
    const { world, inputs, definition } = this.#simulation;
    world.commands.discard();
    world.block.restore(kept.world, true);
    inputs.restore(kept.inputs);
    if (kept.foreign !== undefined) definition.foreign?.restore(kept.foreign);
    this.#simulation.tick = tick;
  }

  #keptOf(tick: number): Kept {
    const kept = this.#kept[tick % this.#kept.length] as Kept;
    assert(kept.tick === tick, 'a state that is gone back to was kept');
    return kept;
  }
}

/** Keeps a copy: it may be a view of memory that goes on changing. Room of one size is kept. */
function keepForeign(kept: Kept, saved: Uint8Array | undefined): void {
  if (saved === undefined || kept.foreign?.length !== saved.length) kept.foreign = saved?.slice();
  else kept.foreign.set(saved);
}
