import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';

/** What the guardrails of a world count. */
export interface WorldGuardStats {
  /** Components given (overwriting included) and taken in this frame. */
  readonly frameChurn: number;
  /** Frames whose churn went over the budget. */
  readonly churnWarnings: number;
  /** Times that a frame reached 25, 50 or 100 % of the capacity. */
  readonly entityBudgetWarnings: number;
  /** Calls that named a dead entity. */
  readonly staleCalls: number;
}

/** Components a frame may give and take before it is warned about. */
export const CHURN_BUDGET_DEFAULT = 256;

/** Percent of the capacity at which a warning is due. */
const LEVELS = [25, 50, 100] as const;

/**
 * The guardrails of a world, counted per frame (a driver's wake-up, a loop's frame):
 * - entities: a birth that makes the count reach 25, 50 or 100 % of the capacity, rounded down,
 *   warns once per level and frame; a level that rounds to 0 never does.
 * - churn: more components given and taken than the budget warns once per frame. Overwriting counts
 *   as giving; what despawn and clear take does not, nor does a call that changes nothing.
 * Before the first frame neither is counted: what fills a world at first is no overload.
 */
export class WorldGuard implements WorldGuardStats {
  frameChurn = 0;
  churnWarnings = 0;
  entityBudgetWarnings = 0;
  staleCalls = 0;
  readonly #log: SubsystemLog | undefined;
  readonly #capacity: number;
  readonly #churnBudget: number;
  readonly #thresholds: Int32Array;
  /** Whether a level has warned in this frame. */
  readonly #warned: Uint8Array = new Uint8Array(LEVELS.length);
  #churnWarned = false;
  #isInFrame = false;

  constructor(capacity: number, churnBudget: number, log: SubsystemLog | undefined) {
    this.#capacity = capacity;
    this.#churnBudget = churnBudget;
    this.#log = log;
    this.#thresholds = Int32Array.from(LEVELS, (level) => Math.floor((capacity * level) / 100));
  }

  /** Opens the windows of a new frame. */
  beginFrame(): void {
    this.#isInFrame = true;
    this.frameChurn = 0;
    this.#churnWarned = false;
    this.#warned.fill(0);
  }

  /** Counts a birth that made the world hold `count` entities. */
  born(count: number): void {
    if (!this.#isInFrame) return;
    for (let level = 0; level < LEVELS.length; level++) {
      if (count === this.#thresholds[level] && count > 0) this.#reach(level, count);
    }
  }

  /** Counts a component given or taken. */
  churn(): void {
    if (!this.#isInFrame) return;
    this.frameChurn++;
    if (this.#churnBudget === 0 || this.frameChurn <= this.#churnBudget) return;
    if (this.#churnWarned) return;
    this.#churnWarned = true;
    this.churnWarnings++;
    this.#log?.warn('churn_per_frame', 'Components are given and taken more often than planned.', {
      frame_churn: this.frameChurn,
      churn_budget: this.#churnBudget,
    });
  }

  /** Counts a call that named a dead entity. */
  stale(event: 'stale_entity_access' | 'stale_entity_destroy', entity: number): void {
    this.staleCalls++;
    this.#log?.warn(event, 'A call named an entity that is not alive.', {
      entity,
      stale_calls: this.staleCalls,
    });
  }

  /** Tells that slots are used up: 1 % of the capacity and more. */
  retired(count: number, capacity: number): void {
    this.#log?.warn('slots_retired', 'Slots have used up their generations and are retired.', {
      retired_count: count,
      capacity,
    });
  }

  #reach(level: number, count: number): void {
    if (this.#warned[level] === 1) return;
    this.#warned[level] = 1;
    this.entityBudgetWarnings++;
    const percent = LEVELS[level] as number;
    this.#log?.warn(`entity_budget_${percent}`, `The world is ${percent} % full.`, {
      entity_count: count,
      capacity: this.#capacity,
      level: percent,
    });
  }
}

/** Refuses a churn budget that is no whole number from 0. */
export function checkChurn(churnPerFrame: number | undefined): number | undefined {
  if (churnPerFrame === undefined) return undefined;
  if (Number.isSafeInteger(churnPerFrame) && churnPerFrame >= 0) return churnPerFrame;
  throw new EscapementError('OPTION_INVALID', '`churnPerFrame` is not possible.', {
    given: String(churnPerFrame),
    allowed: 'a whole number from 0',
    fix: 'Leave it out for 256, or give 0 to switch the warning off.',
  });
}
