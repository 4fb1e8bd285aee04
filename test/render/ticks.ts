import { type RunningSimulation, startSimulation } from '../../src/main/index.ts';
import { type Frame, openView, type View } from '../../src/render/index.ts';
import type { SimulationTypes } from '../../src/shared/simulation-types.ts';
import { inline, type SimulationDefinition } from '../../src/sim-worker/index.ts';
import { VirtualClock } from './stage.ts';

/** One simulation of any kind in virtual time, and a view of it that stands where a test says. */
export class Ticks<T extends SimulationTypes> {
  readonly sim: RunningSimulation<T>;
  readonly view: View<T>;
  readonly #clock: VirtualClock;
  readonly #runDue: () => number;
  readonly #tickMs: number;
  /** Ticks that have been run, and when tick 0 was. */
  #tick = 0;
  #originMs = 0;

  constructor(
    sim: RunningSimulation<T>,
    clock: VirtualClock,
    runDue: () => number,
    tickMs: number,
  ) {
    this.sim = sim;
    this.#clock = clock;
    this.#runDue = runDue;
    this.#tickMs = tickMs;
    this.view = openView(sim.share());
  }

  /** Runs the ticks up to `tick` and opens a frame so far behind it. Release it. */
  frameAt(tick: number, alpha: number): Frame<T> {
    for (; this.#tick < tick; this.#tick++) {
      // A microsecond late: a clock of whole nanoseconds may fall short of a third of one.
      this.#clock.toMs(this.#originMs + (this.#tick + 1) * this.#tickMs + 0.001);
      this.#runDue();
    }
    this.#clock.toMs(this.#originMs + (tick + alpha) * this.#tickMs);
    return this.view.frame();
  }

  /** Starts another run, whose tick 0 is now. */
  async restart(): Promise<void> {
    await this.sim.restart();
    this.#originMs = this.#clock.ns / 1e6;
    this.#tick = 0;
  }

  async close(): Promise<void> {
    this.view.close();
    await this.sim.stop();
  }
}

/** Starts a simulation whose clock stands at tick 0. */
export async function openTicks<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
): Promise<Ticks<T>> {
  const clock = new VirtualClock();
  const source = inline(definition, { pacing: 'manual', clock });
  const sim = await startSimulation(source, { logLevel: 'off' });
  const { numerator, denominator } = definition.schema.quantum;
  return new Ticks<T>(sim, clock, () => source.runDue(), (1000 * numerator) / denominator);
}
