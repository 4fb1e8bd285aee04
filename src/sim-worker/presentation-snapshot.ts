import { hasBit } from '../shared/bitset.ts';
import type { Entity } from '../shared/entity.ts';
import type { Instant } from '../shared/instant.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { FIXED_ONE, lerpFixed } from '../shared/math/fixed.ts';
import type { Column } from '../shared/schema.ts';
import type { ComponentStore } from './component-store.ts';
import type { ComponentSpecs } from './component-values.ts';
import { PositionPair } from './position-pair.ts';
import { PresentationAlpha, type PresentationClock } from './presentation-alpha.ts';
import {
  type PresentationOptions,
  resolveClock,
  resolveLog,
  resolvePosition,
} from './presentation-options.ts';
import type { World } from './world.ts';

/**
 * What became of a tick. `in-walk`: a query is being walked, so the tick is not over; `not-a-tick`:
 * the number is no whole one from 1 on. Both leave the last tick and the pair as they were.
 */
export type RefreshStatus = 'ok' | 'in-walk' | 'not-a-tick' | 'closed';

/** What became of a sampled entity. */
export type PositionStatus =
  | 'ok'
  /** There is nothing to blend it from: the later state, or the live one if it is newer. */
  | 'snapped'
  /** The entity has ended. */
  | 'stale'
  | 'no-component'
  /** The entity lives, but `world.setVisible` hides it. */
  | 'hidden'
  /** The snapshot is closed. */
  | 'closed';

/** What goes when a snapshot is closed. */
interface Parts {
  readonly world: World;
  readonly store: ComponentStore;
  readonly pair: PositionPair;
  readonly alpha: PresentationAlpha;
  readonly log: SubsystemLog;
}

const { fround } = Math;

// Not the exported one, which V8 reads anew at each use.
const ONE = FIXED_ONE;

/**
 * The positions of a world as its last two ticks left them, and where a frame stands between them:
 * for programs that draw on the simulation's own thread. Give {@link onTick} each completed tick
 * and {@link onRenderFrame} each frame's reading, then sample.
 *
 * The component's scalar is the backend. `fixed(2)`: alpha and position are raw Q16.16, each
 * rounded once. `position2d()` and `vec2()`: pinned f32, a + (b - a) x alpha with each operation
 * rounded. Alpha comes from an exact fraction, rounded once, in [0, 1]: at 0 the position is the
 * earlier one and at 1 the later one, bit for bit.
 *
 * An entity that was spawned, teleported or given a published component between the two ticks
 * snaps: the later position, not blended; so does one that opted out of blending. If that happened
 * since the last tick, the live one. What was merely overwritten since then is seen after the next
 * tick.
 *
 * It reads the world and never changes it; the world outlives it. Several of one world know nothing
 * of each other. Ticks, frames and samples allocate nothing. Each slot of the world takes 20 bytes
 * and a bit: two positions, a stamp, and whether it snaps.
 */
export class PresentationSnapshot {
  readonly #isFixed: boolean;
  #parts: Parts | undefined;
  #lastTick = 0;
  #rejected = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#isFixed = parts.store.schema.scalar === 'fixed';
  }

  /**
   * Makes a snapshot that has seen no tick. `reference` is the loop, whose start reference and
   * drops are read at each frame, or the instant at which tick 0 was due. Throws OPTION_INVALID,
   * after a warning, for a rate outside 20 to 120 Hz or another than the loop's; NAME_UNKNOWN and
   * OPTION_INVALID for a component that is none or no position.
   */
  static create<C extends ComponentSpecs>(
    world: World<C>,
    reference: PresentationClock | Readonly<Instant>,
    options: PresentationOptions<keyof C & string> = {},
  ): PresentationSnapshot {
    const { component = 'position', tickRateHz } = options;
    const log = resolveLog(options.log);
    const clock = resolveClock(reference, tickRateHz, log);
    const plain = world as unknown as World;
    const store = resolvePosition(plain, component);
    return new PresentationSnapshot({
      world: plain,
      store,
      pair: new PositionPair(plain, store),
      alpha: new PresentationAlpha(clock),
      log,
    });
  }

  /** The last tick that was taken; 0 before the first, and once closed. */
  get lastTick(): number {
    return this.#lastTick;
  }

  /** Alpha of the last frame as the backend has it, in [0, 1]; 0 before the first tick. */
  get alpha(): number {
    const alpha = this.#parts?.alpha;
    if (alpha === undefined) return 0;
    return this.#isFixed ? alpha.raw / ONE : alpha.f32;
  }

  /** The same in raw Q16.16, 0 to 65536; undefined where the backend is f32. */
  get alphaRaw(): number | undefined {
    return this.#isFixed ? (this.#parts?.alpha.raw ?? 0) : undefined;
  }

  /** Ticks that were refused. */
  get rejectedCount(): number {
    return this.#rejected;
  }

  /**
   * Takes the world as `tick` left it; the last tick becomes the earlier one. Call it once after
   * each completed tick, as the loop's `onTick` is. A tick that does not follow the last one snaps
   * everything: ticks that are no neighbours are never blended. Refuses, and warns once a window of
   * the log, as {@link RefreshStatus} says.
   */
  onTick(tick: number): RefreshStatus {
    const parts = this.#parts;
    if (parts === undefined) return 'closed';
    if (!(Number.isSafeInteger(tick) && tick >= 1)) return this.#reject(parts, 'not-a-tick', tick);
    if (parts.world.isWalked) return this.#reject(parts, 'in-walk', tick);
    parts.pair.capture(this.#lastTick > 0 && tick === this.#lastTick + 1);
    this.#lastTick = tick;
    return 'ok';
  }

  /**
   * Sets alpha to that of a reading: the frame's one reading of the loop's clock, after the loop's
   * frame, as `loop.lastReading`. One before the last tick was due gives 0, one a quantum or more
   * after that 1: it never extrapolates.
   */
  onRenderFrame(now: Readonly<Instant>): void {
    this.#parts?.alpha.measure(now, this.#lastTick);
  }

  /**
   * Writes an entity's position at the last frame into `out[0]` and `out[1]` and says what became
   * of it. `out` is untouched unless the status is `ok` or `snapped`. A stale handle is counted and
   * warned about by the world, as `world.check` does.
   */
  samplePosition(entity: Entity, out: { [index: number]: number }): PositionStatus {
    const parts = this.#parts;
    if (parts === undefined) return 'closed';
    const { world, store, pair, alpha } = parts;
    if (!world.check(entity)) return 'stale';
    const index = world.indexOf(entity);
    if (!world.isVisible(entity)) return 'hidden';
    if (!hasBit(store.presence, index)) return 'no-component';
    const at = index * 2;
    if (this.#lastTick === 0 || pair.isNewer(index)) {
      copyRow(store.column, at, out);
      return 'snapped';
    }
    const { earlier, later } = pair;
    if (hasBit(pair.snaps, index) || !world.isBlended(entity)) {
      copyRow(later, at, out);
      return 'snapped';
    }
    if (this.#isFixed) blendFixed(earlier, later, at, alpha, out);
    else blendF32(earlier, later, at, alpha, out);
    return 'ok';
  }

  /**
   * Lets go of the world. From then on nothing is touched or logged, ticks and samples return
   * `closed`, and alpha and the last tick read 0. Idempotent.
   */
  close(): void {
    this.#parts = undefined;
    this.#lastTick = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #reject(parts: Parts, status: 'in-walk' | 'not-a-tick', tick: number): RefreshStatus {
    this.#rejected++;
    parts.log.warn('refresh_rejected', 'A tick was not taken; the last one stays.', {
      reason: status,
      tick,
      last_tick: this.#lastTick,
      rejected: this.#rejected,
    });
    return status;
  }
}

function copyRow(from: Column, at: number, out: { [index: number]: number }): void {
  out[0] = from[at] as number;
  out[1] = from[at + 1] as number;
}

function blendFixed(
  earlier: Column,
  later: Column,
  at: number,
  { raw }: PresentationAlpha,
  out: { [index: number]: number },
): void {
  out[0] = lerpFixed(earlier[at] as number, later[at] as number, raw);
  out[1] = lerpFixed(earlier[at + 1] as number, later[at + 1] as number, raw);
}

function blendF32(
  earlier: Column,
  later: Column,
  at: number,
  { f32 }: PresentationAlpha,
  out: { [index: number]: number },
): void {
  // The formula loses b at 1 by its roundings, and the sign of a zero or all of a at 0.
  if (f32 <= 0 || f32 >= 1) {
    copyRow(f32 <= 0 ? earlier : later, at, out);
    return;
  }
  for (let i = 0; i < 2; i++) {
    const a = earlier[at + i] as number;
    const b = later[at + i] as number;
    out[i] = fround(a + fround(fround(b - a) * f32));
  }
}
