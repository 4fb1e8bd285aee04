import { assert } from './assert.ts';

/**
 * One advance of a clock: how many quanta it may still complete, whether they come from the clock's
 * bank, and what was owed beyond them. Reused from advance to advance.
 */
export class Advance {
  /** The tick before the advance: its quanta are this plus 1, plus 2, and so on. */
  firstTick = 0;
  /** Quanta that may still be completed. */
  #planned = 0;
  /** Whether they were counted out rather than due: then the bank does not pay for them. */
  #counted = false;
  /** Quanta owed beyond the cap. */
  #excess = 0;

  /** Begins an advance at a tick, with nothing planned; what is left of the last one is void. */
  begin(tick: number): void {
    this.firstTick = tick;
    this.#planned = 0;
    this.#counted = false;
    this.#excess = 0;
  }

  /** Plans what is owed, at most `cap`. Returns how many quanta that are. */
  planOwed(owed: number, cap: number): number {
    this.#planned = Math.min(owed, cap);
    this.#excess = owed - this.#planned;
    return this.#planned;
  }

  /** Plans quanta that the bank does not pay for. Returns them. */
  planCounted(quanta: number): number {
    this.#counted = true;
    this.#planned = quanta;
    return quanta;
  }

  /** Takes one planned quantum as completed. Returns whether the bank pays for it. */
  complete(): boolean {
    assert(this.#planned > 0, 'only a planned tick is completed');
    this.#planned--;
    return !this.#counted;
  }

  /** Forgets what the bank owes: it was emptied. What is planned may still be completed. */
  forgetOwed(): void {
    this.#counted = true;
    this.#excess = 0;
  }

  /** Returns the quanta owed beyond the cap, once. */
  takeExcess(): number {
    const excess = this.#excess;
    this.#excess = 0;
    return excess;
  }
}
