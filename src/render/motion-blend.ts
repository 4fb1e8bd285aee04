import { hasBit } from '../shared/bitset.ts';
import type { Column, ComponentSchema } from '../shared/schema.ts';
import { type BlendJob, blendChannel, copyRow } from './blend.ts';
import type { Channel } from './channel.ts';
import type { AnyMotions, ChannelMotion } from './motion-options.ts';
import type { PinnedPair } from './pinned-pair.ts';

/*
 * Threads    the reader's own.
 * Memory     reads pinned slots and rosters, writes the reader's output or an array of the
 *            caller's.
 * Ordering   plain accesses under a pin.
 * Progress   wait-free, allocates nothing.
 * Invariant  a row that two ticks do not share is never blended between them; where nothing is
 *            asked of the velocity the bits are those of `blend.ts`.
 */

/** What a motion needs of the frame: where it stands. */
interface Moment {
  readonly pair: PinnedPair;
  readonly alpha: number;
  /** Seconds of world time beyond the later tick, and of one quantum. */
  readonly overrun: number;
  readonly quantumSeconds: number;
}

/** How a row of a motion is made. */
const HOW = { blend: 0, later: 1, hermite: 2, beyond: 3, backdate: 4 } as const;

const EMPTY: Column = new Float32Array(0);
const { fround } = Math;

/**
 * Blends one channel by its velocity: between two ticks along the cubic through both states with
 * both velocities, beyond the later one along its velocity, before the first tick of a new entity
 * along its velocity backwards. Doubles are kept in fields: as arguments they would be boxed.
 */
export class MotionBlend {
  readonly #schema: ComponentSchema;
  readonly #velocity: Channel;
  readonly #hermite: boolean;
  readonly #backdates: boolean;
  /** 0 when nothing is extrapolated. */
  readonly #limitSeconds: number;
  #pair: PinnedPair | undefined;
  #alpha = 0;
  #beyond = 0;
  #quantum = 0;
  #isPair = false;
  #earlierVelocity: Column = EMPTY;
  #laterVelocity: Column = EMPTY;
  #moving: Uint32Array = new Uint32Array(0);

  /** `motion` was checked. */
  constructor(position: ComponentSchema, velocity: Channel, motion: ChannelMotion) {
    this.#schema = position;
    this.#velocity = velocity;
    this.#hermite = motion.blend === 'hermite';
    this.#backdates = motion.backdateSpawn === true;
    this.#limitSeconds = (motion.extrapolateMs ?? 0) / 1000;
  }

  /** Takes in where a frame stands; before any row of it. */
  prepare(moment: Moment): void {
    const { pair } = moment;
    const velocity = this.#velocity;
    this.#pair = pair;
    this.#alpha = moment.alpha;
    this.#beyond = Math.min(moment.overrun, this.#limitSeconds);
    this.#quantum = moment.quantumSeconds;
    // One slot in both places is no pair: its velocities would bend a path of no length.
    this.#isPair = pair.earlierSlot !== pair.laterSlot;
    this.#earlierVelocity = velocity.columns[pair.earlierSlot] as Column;
    this.#laterVelocity = velocity.columns[pair.laterSlot] as Column;
    this.#moving = pair.laterRoster.presence[velocity.componentIndex] as Uint32Array;
  }

  /** Whether nothing is asked of the velocity, so that every row is that of a plain blend. */
  isPlain(job: BlendJob): boolean {
    if (this.#beyond > 0) return false;
    return this.#alpha >= 1 || !(this.#hermite || (this.#backdates && job.checkStamps));
  }

  /** Blends the rows of a job, as `blendChannel` does. */
  blendRows(job: BlendJob): void {
    if (this.isPlain(job)) {
      blendChannel(this.#schema, job);
      return;
    }
    const { live, count, out, offset, stride } = job;
    const { width } = this.#schema;
    for (let row = 0; row < count; row++) {
      const index = live[row] as number;
      const at = offset + row * stride;
      if (job.checkPresence && !hasBit(job.presence, index)) {
        for (let i = 0; i < width; i++) out[at + i] = Number.NaN;
      } else {
        this.blendRow(job.earlier, job.later, index, out, at);
      }
    }
  }

  /**
   * Blends the row of one slot to element `to` of `out`. Returns whether it snapped: whether it
   * shows nothing but the later tick, or goes on from there.
   */
  blendRow(
    earlier: Column,
    later: Column,
    index: number,
    out: { [index: number]: number },
    to: number,
  ): boolean {
    const { width } = this.#schema;
    const from = index * width;
    const how = this.#howFor(index);
    if (how === HOW.blend) this.#blend(earlier, later, from, out, to);
    else if (how === HOW.hermite) this.#follow(earlier, later, from, out, to);
    else if (how === HOW.beyond) this.#goBeyond(later, from, out, to);
    else if (how === HOW.backdate) this.#backdate(later, from, out, to);
    else copyRow(later, from, width, out, to);
    return how !== HOW.backdate && (this.#pair as PinnedPair).snaps(index);
  }

  #howFor(index: number): number {
    const pair = this.#pair as PinnedPair;
    if (hasBit(pair.laterRoster.unblended, index)) return HOW.later;
    const moves = hasBit(this.#moving, index);
    if (moves && this.#beyond > 0) return HOW.beyond;
    if (pair.snaps(index)) {
      return moves && this.#backdates && this.#alpha < 1 && isNew(pair, index)
        ? HOW.backdate
        : HOW.later;
    }
    const between = this.#alpha > 0 && this.#alpha < 1;
    return moves && this.#hermite && this.#isPair && between ? HOW.hermite : HOW.blend;
  }

  /** As `blendRow` of `blend.ts` does it, whose alpha would be boxed. */
  #blend(
    earlier: Column,
    later: Column,
    from: number,
    out: { [index: number]: number },
    to: number,
  ): void {
    const { width, scalar } = this.#schema;
    const isSingle = scalar === 'f32';
    const t = isSingle ? fround(this.#alpha) : this.#alpha;
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      const b = later[from + i] as number;
      if (t >= 1) out[to + i] = b;
      else if (t <= 0) out[to + i] = a;
      else if (isSingle) out[to + i] = fround(a + fround(fround(b - a) * t));
      else out[to + i] = a + (b - a) * t;
    }
  }

  /**
   * The cubic Hermite curve: p(0) and p(1) are the states, p'(0) and p'(1) their velocities times a
   * quantum (Bartels, Beatty, Barsky: An Introduction to Splines, 1987, chapter 3).
   */
  #follow(
    earlier: Column,
    later: Column,
    from: number,
    out: { [index: number]: number },
    to: number,
  ): void {
    const { width, scalar } = this.#schema;
    const t = this.#alpha;
    const isSingle = scalar === 'f32';
    for (let i = 0; i < width; i++) {
      const a = earlier[from + i] as number;
      const way = (later[from + i] as number) - a;
      const start = (this.#earlierVelocity[from + i] as number) * this.#quantum;
      const end = (this.#laterVelocity[from + i] as number) * this.#quantum;
      const bend = way + way + way - start - start - end + (start + end - way - way) * t;
      const value = a + (start + bend * t) * t;
      out[to + i] = isSingle ? fround(value) : value;
    }
  }

  #goBeyond(later: Column, from: number, out: { [index: number]: number }, to: number): void {
    const { width, scalar } = this.#schema;
    const isSingle = scalar === 'f32';
    for (let i = 0; i < width; i++) {
      const speed = this.#laterVelocity[from + i] as number;
      const value = (later[from + i] as number) + speed * this.#beyond;
      out[to + i] = isSingle ? fround(value) : value;
    }
  }

  /** Blends from where the velocity puts the row one quantum before the later tick. */
  #backdate(later: Column, from: number, out: { [index: number]: number }, to: number): void {
    const { width, scalar } = this.#schema;
    const isSingle = scalar === 'f32';
    const t = isSingle ? fround(this.#alpha) : this.#alpha;
    for (let i = 0; i < width; i++) {
      const b = later[from + i] as number;
      const a = b - (this.#laterVelocity[from + i] as number) * this.#quantum;
      if (isSingle) out[to + i] = fround(fround(a) + fround(fround(b - fround(a)) * t));
      else out[to + i] = a + (b - a) * t;
    }
  }
}

/** Whether the entity of a slot was not there at the earlier tick: spawned, not teleported. */
function isNew({ earlierRoster, laterRoster }: PinnedPair, index: number): boolean {
  if (index >= earlierRoster.issued) return true;
  return (
    earlierRoster.handles[index] !== laterRoster.handles[index] ||
    !hasBit(earlierRoster.alive, index)
  );
}

/** Motions by the place of their channel's component in the schema. */
export type Motions = ReadonlyMap<number, MotionBlend>;

/** Makes the motions that a view asks for; they were checked. */
export function openMotions(motions: AnyMotions, channels: ReadonlyMap<string, Channel>): Motions {
  const opened = new Map<number, MotionBlend>();
  for (const [name, { schema, componentIndex }] of channels) {
    const motion = motions[name];
    const velocity = motion && channels.get(motion.velocity);
    if (motion === undefined || velocity === undefined) continue;
    opened.set(componentIndex, new MotionBlend(schema, velocity, motion));
  }
  return opened;
}
