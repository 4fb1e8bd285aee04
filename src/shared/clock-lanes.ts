import type { ClockReadout } from './clock-control.ts';
import { checkClockKeys, type ClockKeys } from './clock-keys.ts';
import type { ClockMode } from './clock-options.ts';
import { type KeyMode, readFlag, readKeyMode, readSpeed, readSteps } from './control-value.ts';
import { KeyLane } from './key-lane.ts';
import type { StateTree, StateValue } from './state-tree.ts';
import { StepLane } from './step-lane.ts';

/**
 * One thing that a clock can be told by keys: what they want, and what the clock was last known to
 * be. A clock that is found to be something else was told so by somebody else, and the keys follow;
 * but not while a command is on its way, when the clock may still show what was before.
 */
export abstract class ClockLane<T extends StateValue> {
  #known: T;
  #underWay = 0;

  constructor(known: T) {
    this.#known = known;
  }

  /** What the clock is to be. */
  abstract get wanted(): T;

  /** Takes in what the keys say now. */
  abstract read(): void;

  /** Makes the keys say what the clock is. */
  protected abstract adopt(value: T): void;

  /** Whether the clock is to be told something. */
  get isChanged(): boolean {
    return this.wanted !== this.#known;
  }

  /** Looks at what the clock is. */
  follow(value: T): void {
    if (this.#underWay > 0 || value === this.#known) return;
    this.#known = value;
    this.adopt(value);
  }

  /** Notes that the clock is being told what is wanted. Pair it with {@link settle}. */
  send(): void {
    this.#known = this.wanted;
    this.#underWay++;
  }

  /** Notes that the clock has obeyed or refused: what it is now, it is. */
  settle(): void {
    this.#underWay--;
  }
}

/** A lane of one key. */
class NumberLane extends ClockLane<number> {
  readonly #key: KeyLane<number>;

  constructor(key: KeyLane<number>) {
    super(key.value);
    this.#key = key;
  }

  get wanted(): number {
    return this.#key.value;
  }

  read(): void {
    this.#key.read();
  }

  protected adopt(value: number): void {
    this.#key.follow(value);
  }
}

/** The mode, of two keys: `paused` wins over live and lockstep, not over stepping and replay. */
class ModeLane extends ClockLane<ClockMode> {
  readonly #mode: KeyLane<KeyMode>;
  readonly #paused: KeyLane<boolean>;

  constructor(tree: StateTree, keys: ClockKeys, mode: ClockMode) {
    super(mode);
    const isPaused = mode === 'paused';
    this.#mode = new KeyLane<KeyMode>(tree, keys.mode, readKeyMode, isPaused ? 'live' : mode);
    this.#paused = new KeyLane<boolean>(tree, keys.paused, readFlag, isPaused);
  }

  get wanted(): ClockMode {
    const mode = this.#mode.value;
    return this.#paused.value && canPause(mode) ? 'paused' : mode;
  }

  read(): void {
    this.#mode.read();
    this.#paused.read();
  }

  protected adopt(value: ClockMode): void {
    if (value === 'paused') {
      this.#paused.follow(true);
      if (!canPause(this.#mode.value)) this.#mode.follow('live');
      return;
    }
    this.#mode.follow(value);
    if (canPause(value)) this.#paused.follow(false);
  }
}

/**
 * The rules by which the keys of a state tree and a clock go together, for whoever drives either.
 *
 * A key that changed wins; where none did, the keys follow the clock. So the tree shows what the
 * clock is, except that a value which was taken stays as it was written ('2', 0.3333), and that one
 * which is unreadable stays too and changes nothing. Reading throws nothing.
 */
export class ClockLanes {
  /** World seconds a wall second. */
  readonly speed: ClockLane<number>;
  /** Quanta an advance in lockstep. */
  readonly lockstepSteps: ClockLane<number>;
  /** The mode, a pause included. */
  readonly mode: ClockLane<ClockMode>;
  /** Requested single steps. */
  readonly steps: StepLane;
  readonly #tree: StateTree;
  readonly #keys: ClockKeys;
  /** On the way to the tree. */
  readonly #number: Float64Array = new Float64Array(1);

  /**
   * Binds the keys and gives those that are not there the clock's values. Throws OPTION_INVALID for
   * keys that {@link checkClockKeys} refuses.
   */
  constructor(tree: StateTree, keys: ClockKeys, clock: ClockReadout) {
    const checked = checkClockKeys(keys);
    this.#tree = tree;
    this.#keys = checked;
    this.speed = new NumberLane(new KeyLane(tree, checked.speed, readSpeed, clock.speed));
    this.lockstepSteps = new NumberLane(
      new KeyLane(tree, checked.lockstepSteps, readSteps, clock.lockstepSteps),
    );
    this.mode = new ModeLane(tree, checked, clock.mode);
    this.steps = new StepLane(tree, checked.step);
    this.publish(clock);
  }

  /** Lets the keys follow what the clock was told by others, then takes in what changed in them. */
  read(clock: ClockReadout): void {
    this.follow(clock);
    this.speed.read();
    this.lockstepSteps.read();
    this.mode.read();
    this.steps.read();
  }

  /** Lets the keys follow what the clock is. */
  follow(clock: ClockReadout): void {
    this.speed.follow(clock.speed);
    this.lockstepSteps.follow(clock.lockstepSteps);
    this.mode.follow(clock.mode);
  }

  /**
   * Writes the telemetry. A realized speed that there is none of has no key: it is not there before
   * the first window, nor, after a configure, before the next.
   */
  publish(clock: ClockReadout): void {
    const tree = this.#tree;
    const keys = this.#keys;
    if (keys.time !== '') this.#publishTime(clock);
    if (keys.tick !== '') tree.set(keys.tick, clock.tick);
    if (keys.fixedDt !== '') tree.set(keys.fixedDt, clock.fixedDt);
    if (keys.dropped !== '') tree.set(keys.dropped, clock.dropped);
    if (keys.realizedSpeed !== '') this.#publishRealizedSpeed(clock);
  }

  #publishTime(clock: ClockReadout): void {
    this.#number[0] = clock.time;
    this.#tree.setFrom(this.#keys.time, this.#number);
  }

  #publishRealizedSpeed(clock: ClockReadout): void {
    this.#number[0] = clock.realizedSpeed;
    if (Number.isFinite(this.#number[0])) {
      this.#tree.setFrom(this.#keys.realizedSpeed, this.#number);
    } else this.#tree.delete(this.#keys.realizedSpeed);
  }
}

function canPause(mode: ClockMode): boolean {
  return mode === 'live' || mode === 'lockstep';
}
