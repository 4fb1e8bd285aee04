import { STEP_TICKS_MAX } from './command.ts';
import { readWhole } from './control-value.ts';
import { isSameValue, type StateTree, type StateValue } from './state-tree.ts';

/**
 * Gathers requested single steps: increments of a counter in the tree, and those asked for
 * directly. The first value of the counter is the baseline, and a decrease is a new one.
 */
export class StepLane {
  readonly #tree: StateTree;
  readonly #path: string;
  #seen: StateValue | undefined;
  #baseline: number | undefined;
  #requested = 0;

  /** Makes a lane; a counter that is not there is set to 0. */
  constructor(tree: StateTree, path: string) {
    this.#tree = tree;
    this.#path = path;
    this.read();
  }

  /** Takes in what the counter says now. */
  read(): void {
    if (this.#path === '') return;
    const held = this.#tree.get(this.#path);
    if (held === undefined) {
      this.#baseline ??= 0;
      this.#seen = this.#baseline;
      this.#tree.set(this.#path, this.#baseline);
      return;
    }
    if (isSameValue(held, this.#seen)) return;
    this.#seen = held;
    const count = readWhole(held);
    if (count === undefined) return;
    if (this.#baseline !== undefined && count > this.#baseline) this.add(count - this.#baseline);
    this.#baseline = count;
  }

  /** Requests `steps` quanta more. */
  add(steps: number): void {
    this.#requested = Math.min(Number.MAX_SAFE_INTEGER, this.#requested + steps);
  }

  /** Takes what is requested, at most what one command may run; the rest waits. */
  take(): number {
    const steps = Math.min(this.#requested, STEP_TICKS_MAX);
    this.#requested -= steps;
    return steps;
  }
}
