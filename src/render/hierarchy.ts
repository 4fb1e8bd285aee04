import { type Entity, HandleCodec, NO_ENTITY } from '../shared/entity.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { AFFINE_SIZE, applyParent, composeAffine, storeMatrix } from './affine.ts';
import type { ChannelName, Frame, SampleStatus } from './frame.ts';
import { FrameMark } from './frame-mark.ts';
import { codecOf, hasData, rowOfEntity, rowOfSlot } from './frame-row.ts';
import { LEFT_OUT, ORPHANED, ParentOrder, PLACED, ROOT } from './parent-order.ts';
import { channelFault, TransformChannels, type TransformParts } from './transform-channels.ts';
import type { View } from './view.ts';

/*
 * Threads    the reader's own.
 * Memory     reads a frame while it is open; what is composed lies in arrays of its own.
 * Ordering   none: the frame is pinned.
 * Progress   allocates when there are more rows than ever before, or another number of them.
 * Invariant  an entity is composed only after its parent; who is left out has a matrix of zeros.
 */

/** What became of an entity whose world matrix was asked for. */
export type HierarchyStatus =
  | SampleStatus
  /** Its parent, or one further up, has ended, is hidden, or has no position. */
  | 'orphan'
  /** It is its own ancestor, or below one that is. */
  | 'cycle';

/** The channels that {@link openHierarchy} composes world matrices of; all local but the roots'. */
export interface HierarchyParts<K extends string = string> extends TransformParts<K> {
  /** A `reference()`: the parent's handle. Who has none, or no such component, is a root. */
  readonly parent: K;
}

/**
 * World matrices of entities that hang on others; made by `openHierarchy`. What a frame shows is
 * blended for each entity in its parent's coordinates, and composed afterwards, parents first.
 */
export interface Hierarchy<T extends SimulationTypes = SimulationTypes> {
  /** Rows of the last frame: 16 numbers each, column by column; zeros for who is left out. */
  readonly worldMatrices: Float32Array;
  /** Rows of the last frame, those that are left out included. */
  readonly count: number;
  /** How many are left out since they or one above has ended, is hidden or has no position. */
  readonly orphanCount: number;
  /** How many are left out since they are their own ancestors, or below one that is. */
  readonly cycleCount: number;
  /**
   * Composes the world matrices of an open frame. They are valid until the next update. A frame
   * that is `busy` or `not-ready` changes nothing, and a second update of one frame does nothing.
   */
  update(frame: Frame<T>): void;
  /**
   * Writes the world matrix of one entity, 16 numbers, and says what became of it; updates for the
   * frame first where that is not done. `out` is untouched unless the status is `ok` or `snapped`.
   */
  worldMatrixInto(
    frame: Frame<T>,
    entity: Entity,
    out: { [index: number]: number },
  ): HierarchyStatus;
}

/**
 * Opens a hierarchy on a view. Throws NAME_UNKNOWN for a channel that is not published, and
 * OPTION_INVALID for one that does not fit its part.
 */
export function openHierarchy<T extends SimulationTypes>(
  view: View<T>,
  parts: HierarchyParts<ChannelName<T>>,
): Hierarchy<T> {
  return new ReaderHierarchy(view, parts);
}

// Flags of a row.
const HAS_PARENT = 1;
const HAS_POSITION = 2;
const HAS_ORIENTATION = 4;
const HAS_SCALE = 8;
/** It hung on another parent at the earlier tick: its place there has other coordinates. */
const MOVED = 16;

class ReaderHierarchy<T extends SimulationTypes> implements Hierarchy<T> {
  worldMatrices: Float32Array = new Float32Array(0);
  count = 0;

  readonly #parent: ChannelName<T>;
  readonly #channels: TransformChannels<T>;
  readonly #mark = new FrameMark();
  readonly #order = new ParentOrder();
  readonly #scratch = new Float64Array(3);
  #codec = new HandleCodec(0);
  /** By row: flags, the parent's handle and its row, the transform, the matrix. */
  #flags = new Uint8Array(0);
  #handles = new Uint32Array(0);
  #parents = new Int32Array(0);
  #affine = new Float64Array(0);
  #matrices = new Float32Array(0);

  constructor(view: View<T>, parts: HierarchyParts<ChannelName<T>>) {
    const spec = view.channel(parts.parent);
    if (!(spec.scalar === 'u32' && spec.width === 1 && spec.blend === 'step')) {
      throw channelFault(parts.parent, 'parent', spec, 'a reference()');
    }
    this.#parent = parts.parent;
    this.#channels = new TransformChannels(view, parts);
  }

  get orphanCount(): number {
    return this.#order.orphanCount;
  }

  get cycleCount(): number {
    return this.#order.circlingCount;
  }

  update(frame: Frame<T>): void {
    if (!hasData(frame) || this.#mark.isOf(frame)) return;
    if (!this.#mark.isPairOf(frame)) this.#readPair(frame);
    this.#mark.note(frame);
    this.#compose(frame);
  }

  worldMatrixInto(
    frame: Frame<T>,
    entity: Entity,
    out: { [index: number]: number },
  ): HierarchyStatus {
    this.update(frame);
    const row = hasData(frame) ? rowOfEntity(frame, this.#codec, entity) : -1;
    // Sampling says why there is no row.
    if (row < 0) return frame.sample(entity, this.#channels.parts.position, this.#scratch);
    const flags = this.#flags[row] as number;
    if ((flags & HAS_POSITION) === 0) return 'no-component';
    const fate = this.#order.fate[row] as number;
    if (fate !== PLACED) return fate === ORPHANED ? 'orphan' : 'cycle';
    for (let i = 0; i < 16; i++) out[i] = this.#matrices[row * 16 + i] as number;
    const isSnapped = (flags & MOVED) !== 0 || frame.pair.snaps(frame.indices[row] as number);
    return isSnapped ? 'snapped' : 'ok';
  }

  /** Takes in who is there, who hangs on whom, and who changed over between the two ticks. */
  #readPair(frame: Frame<T>): void {
    const isNewRoster = !this.#mark.isRosterOf(frame);
    if (!this.#mark.isRunOf(frame)) this.#codec = codecOf(frame);
    if (isNewRoster) this.#readRoster(frame);
    this.#channels.point(frame);
    if (this.#readHandles(frame) || isNewRoster) this.#readParents(frame);
  }

  #readRoster(frame: Frame<T>): void {
    const { pair, indices, count } = frame;
    const { position, orientation, scale } = this.#channels.parts;
    this.#reserve(count);
    for (let row = 0; row < count; row++) {
      const slot = indices[row] as number;
      let flags = pair.has(slot, this.#parent) ? HAS_PARENT : 0;
      if (pair.has(slot, position)) flags |= HAS_POSITION;
      if (orientation !== undefined && pair.has(slot, orientation)) flags |= HAS_ORIENTATION;
      if (scale !== undefined && pair.has(slot, scale)) flags |= HAS_SCALE;
      this.#flags[row] = flags;
    }
  }

  /** Says whether anybody hangs on another parent than when the order was made. */
  #readHandles({ pair, indices, count }: Frame<T>): boolean {
    const later = pair.later(this.#parent);
    const earlier = pair.earlier(this.#parent);
    const isSameRoster = pair.earlierVersion === pair.laterVersion;
    let isChanged = false;
    for (let row = 0; row < count; row++) {
      const slot = indices[row] as number;
      const flags = (this.#flags[row] as number) & ~MOVED;
      const has = (flags & HAS_PARENT) !== 0;
      const had = isSameRoster ? has : pair.had(slot, this.#parent);
      const now = has ? (later[slot] as number) : NO_ENTITY;
      const before = had ? (earlier[slot] as number) : NO_ENTITY;
      this.#flags[row] = now === before ? flags : flags | MOVED;
      if (this.#handles[row] === now) continue;
      this.#handles[row] = now;
      isChanged = true;
    }
    return isChanged;
  }

  /** Finds the rows of the parents and the order of rows. */
  #readParents({ indices, entities, count }: Frame<T>): void {
    for (let row = 0; row < count; row++) {
      const handle = this.#handles[row] as Entity;
      let parent = ROOT;
      if (((this.#flags[row] as number) & HAS_POSITION) === 0) {
        parent = LEFT_OUT;
      } else if (handle !== NO_ENTITY) {
        parent = rowOfSlot(indices, this.#codec.indexOf(handle));
        if (parent < 0 || entities[parent] !== handle) parent = LEFT_OUT;
      }
      this.#parents[row] = parent;
    }
    this.#order.make(this.#parents, count);
    for (let row = 0; row < count; row++) {
      if (this.#order.fate[row] !== PLACED) this.#matrices.fill(0, row * 16, row * 16 + 16);
    }
  }

  #compose(frame: Frame<T>): void {
    this.#channels.blend(frame);
    const { blended, later } = this.#channels;
    const { order, placedCount } = this.#order;
    const { indices } = frame;
    const affine = this.#affine;
    for (let i = 0; i < placedCount; i++) {
      const row = order[i] as number;
      const flags = this.#flags[row] as number;
      const isTurned = (flags & HAS_ORIENTATION) !== 0;
      const isScaled = (flags & HAS_SCALE) !== 0;
      const at = row * AFFINE_SIZE;
      if ((flags & MOVED) === 0) composeAffine(blended, row, isTurned, isScaled, affine, at);
      else composeAffine(later, indices[row] as number, isTurned, isScaled, affine, at);
      const parent = this.#parents[row] as number;
      if (parent >= 0) applyParent(affine, parent * AFFINE_SIZE, affine, at);
      storeMatrix(affine, at, this.#matrices, row * 16);
    }
  }

  #reserve(count: number): void {
    if (this.#flags.length < count) {
      // Twice as many at least, so that a world that grows does not make them anew each time.
      const room = Math.max(count, 2 * this.#flags.length);
      this.#flags = new Uint8Array(room);
      this.#handles = new Uint32Array(room);
      this.#parents = new Int32Array(room);
      this.#affine = new Float64Array(room * AFFINE_SIZE);
      this.#matrices = new Float32Array(room * 16);
      this.worldMatrices = this.#matrices.subarray(0, 0);
    }
    this.count = count;
    if (this.worldMatrices.length === count * 16) return;
    this.worldMatrices = this.#matrices.subarray(0, count * 16);
  }
}
