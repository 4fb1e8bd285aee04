import type { AdvanceResult } from '../shared/clock-control.ts';
import { ClockKeys } from '../shared/clock-keys.ts';
import { ClockLanes } from '../shared/clock-lanes.ts';
import { checkDelta, checkTickCount } from '../shared/clock-options.ts';
import { EscapementError } from '../shared/error.ts';
import { resolveSpeed } from '../shared/speed.ts';
import type { StateTree } from '../shared/state-tree.ts';
import type { ClockDriver } from './clock-driver.ts';

type MutableResult = { -readonly [K in keyof AdvanceResult]: AdvanceResult[K] };

/**
 * Binds the keys of a state tree to a clock on the same thread, by the rules of {@link ClockLanes}.
 * Nothing that a key holds is ever thrown into a frame.
 */
export class ClockBinding {
  readonly #driver: ClockDriver;
  readonly #lanes: ClockLanes;
  readonly #result: MutableResult = { firstTick: 0, steps: 0, dropped: 0, alpha: 0 };
  #driving = false;

  /** Binds the keys and seeds those that are not there. Throws OPTION_INVALID for bad keys. */
  constructor(tree: StateTree, driver: ClockDriver, keys: ClockKeys = ClockKeys.under()) {
    this.#driver = driver;
    this.#lanes = new ClockLanes(tree, keys, driver);
  }

  /**
   * Queues `steps` quanta, to run at the next drive in any mode: the same as so many increments of
   * the step key. Throws VALUE_INVALID unless it is an integer of at least 0.
   */
  requestSteps(steps: number): void {
    checkTickCount(steps);
    this.#lanes.steps.add(steps);
  }

  /**
   * Reads the controls, advances by `wallDt` seconds or by what the clock says, runs the requested
   * steps, at most 1,000,000 a call, and writes the telemetry. Returns what ran, of both; the
   * object is reused. What a tick throws passes on, after the telemetry: steps that did not run
   * stay requested. Throws what `ClockDriver.advance` throws, and STATE_INVALID from inside a
   * drive.
   */
  drive(wallDt?: number): AdvanceResult {
    if (this.#driving) throw nestedError();
    if (wallDt !== undefined) checkDelta(wallDt);
    this.#driving = true;
    try {
      this.#obey();
      return this.#advance(wallDt);
    } finally {
      // A tick may have told the clock something, and a speed may have been refused.
      this.#lanes.follow(this.#driver);
      this.#lanes.publish(this.#driver);
      this.#driving = false;
    }
  }

  #obey(): void {
    const driver = this.#driver;
    const { speed, lockstepSteps, mode } = this.#lanes;
    this.#lanes.read(driver);
    if (speed.isChanged) {
      speed.send();
      if (resolveSpeed(speed.wanted, driver.quantum) !== undefined) driver.setSpeed(speed.wanted);
      speed.settle();
    }
    if (lockstepSteps.isChanged) {
      lockstepSteps.send();
      driver.setLockstepSteps(lockstepSteps.wanted);
      lockstepSteps.settle();
    }
    if (mode.isChanged) {
      mode.send();
      driver.setMode(mode.wanted);
      mode.settle();
    }
  }

  #advance(wallDt: number | undefined): AdvanceResult {
    const result = this.#result;
    const advanced = this.#driver.advance(wallDt);
    result.firstTick = advanced.firstTick;
    result.steps = advanced.steps;
    result.dropped = advanced.dropped;
    result.alpha = advanced.alpha;
    const requested = this.#lanes.steps.take();
    if (requested > 0) this.#step(requested);
    return result;
  }

  #step(requested: number): void {
    const driver = this.#driver;
    const before = driver.tick;
    try {
      driver.advanceTicks(requested);
      this.#result.alpha = driver.alpha;
    } finally {
      const ran = driver.tick - before;
      this.#result.steps += ran;
      if (ran < requested) this.#lanes.steps.add(requested - ran);
    }
  }
}

function nestedError(): EscapementError {
  return new EscapementError('STATE_INVALID', 'drive() was called from inside a drive.', {
    fix: 'Call it once a frame, not from a tick or a listener.',
  });
}
