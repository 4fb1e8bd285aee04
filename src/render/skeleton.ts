import type { Entity } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import {
  AFFINE_SIZE,
  composeBone,
  type Numbers,
  readMatrix,
  storeMatrix,
  storeProduct,
} from './affine.ts';
import { BoneTree } from './bone-tree.ts';
import type { ChannelName, Frame } from './frame.ts';
import { FrameMark } from './frame-mark.ts';
import { hasData, rowOfSlot } from './frame-row.ts';
import type { Hierarchy, HierarchyStatus } from './hierarchy.ts';
import { channelFault, TransformChannels, type TransformParts } from './transform-channels.ts';
import type { View } from './view.ts';

/*
 * Threads    the reader's own.
 * Memory     reads a frame while it is open; what is composed lies in arrays of its own.
 * Ordering   none: the frame is pinned.
 * Progress   allocates when made, and once for each run of the simulation.
 * Invariant  a palette and a bone's matrix of one frame are made of the same numbers.
 */

/** Options of {@link openSkeleton}. */
export interface SkeletonOptions<T extends SimulationTypes, K extends string> {
  /** The parent of each bone, -1 for none; the order of bones is that of `rotations`. */
  readonly parents: ArrayLike<number>;
  /**
   * Where each bone begins, in the coordinates of its parent: three numbers a bone. May be left out
   * where `positions` is given; with both it is for entities without those.
   */
  readonly rest?: ArrayLike<number>;
  /**
   * For a mesh with a skin: the matrix from the mesh's coordinates to those of each bone at rest,
   * 16 numbers a bone, column by column. Without it a palette holds the matrices of the bones
   * themselves, which suits bones that are drawn one by one.
   */
  readonly inverseBind?: ArrayLike<number>;
  /** The channel of the bones' rotations, `list(quaternion(), n)`, each relative to its parent. */
  readonly rotations: K;
  /** The channel of their places, `list(vec3(), n)`, where they move in their parents. */
  readonly positions?: K;
  /** Where the entity itself is: channels, or a hierarchy that it is in. */
  readonly root?: TransformParts<K> | Hierarchy<T>;
}

/** Whose slots a palette is made for; a query of the view is one. */
export interface SlotSource<T extends SimulationTypes = SimulationTypes> {
  /** Returns slot indices. */
  indices(frame: Frame<T>): Uint32Array;
}

/** Options of `skeleton.paletteInto`. */
export interface PaletteOptions<T extends SimulationTypes = SimulationTypes> {
  /** Slot indices, or a query; by default all rows of the frame. */
  readonly of?: Uint32Array | SlotSource<T>;
  /** `model`: in the entity's own coordinates, the default; `world`: with its root. */
  readonly space?: 'model' | 'world';
}

/**
 * Poses of entities with bones; made by `openSkeleton`. Each bone is blended in the coordinates of
 * its parent and the bones are composed afterwards, so they keep their lengths at any alpha.
 */
export interface Skeleton<T extends SimulationTypes = SimulationTypes> {
  readonly boneCount: number;
  /**
   * Writes the palettes of an open frame, `boneCount` matrices a row, 16 numbers each, column by
   * column. Returns the number of rows. A row without bones, or that the frame does not show, is
   * all zeros. A frame that is `busy` changes nothing in `out`. Throws VALUE_INVALID when the
   * array is too short.
   */
  paletteInto(frame: Frame<T>, out: Float32Array, options?: PaletteOptions<T>): number;
  /**
   * Writes the matrix of one bone, 16 numbers, in the world (in the entity's own coordinates where
   * the skeleton has no root), and says what became of the entity. `out` is untouched unless the
   * status is `ok` or `snapped`. Throws VALUE_INVALID for a bone that is not there.
   */
  boneMatrixInto(
    frame: Frame<T>,
    entity: Entity,
    bone: number,
    out: { [index: number]: number },
  ): HierarchyStatus;
}

/**
 * Opens a skeleton on a view. Throws NAME_UNKNOWN for a channel that is not published, and
 * OPTION_INVALID for one that does not fit, for parents that make no tree, and for numbers that do
 * not fit the bones.
 */
export function openSkeleton<T extends SimulationTypes>(
  view: View<T>,
  options: SkeletonOptions<T, ChannelName<T>>,
): Skeleton<T> {
  return new ReaderSkeleton(view, options);
}

class ReaderSkeleton<T extends SimulationTypes> implements Skeleton<T> {
  readonly boneCount: number;
  readonly #tree: BoneTree;
  readonly #rotations: ChannelName<T>;
  readonly #positions: ChannelName<T> | undefined;
  readonly #hierarchy: Hierarchy<T> | undefined;
  readonly #root: TransformChannels<T> | undefined;
  /** The bones of one entity: their transforms, in its own coordinates. */
  readonly #bones: Float64Array;
  /** The root of one entity. */
  readonly #rootAffine = new Float64Array(AFFINE_SIZE);
  /** What was sampled of the one entity whose bones are asked for. */
  readonly #rotationRow: Float32Array;
  readonly #positionRow: Float32Array;
  readonly #rootMatrix = new Float32Array(16);
  readonly #mark = new FrameMark();
  #markedEntity = 0;
  #markedStatus: HierarchyStatus = 'not-published';
  #rows = 0;

  constructor(view: View<T>, options: SkeletonOptions<T, ChannelName<T>>) {
    const { rotations, positions, root, rest } = options;
    const tree = new BoneTree(options);
    checkBones(view, rotations, 4, tree.count);
    if (positions !== undefined) checkBones(view, positions, 3, tree.count);
    if (positions === undefined && rest === undefined) {
      throw new EscapementError('OPTION_INVALID', 'Nothing says where the bones are.', {
        allowed: '`rest`, `positions`, or both',
        fix: 'Give `rest`: where each bone begins in its parent, three numbers a bone.',
      });
    }
    this.#tree = tree;
    this.boneCount = tree.count;
    this.#rotations = rotations;
    this.#positions = positions;
    this.#bones = new Float64Array(tree.count * AFFINE_SIZE);
    this.#rotationRow = new Float32Array(tree.count * 4);
    this.#positionRow = new Float32Array(tree.count * 3);
    if (root === undefined) return;
    if ('worldMatrixInto' in root) this.#hierarchy = root;
    else this.#root = new TransformChannels(view, root);
  }

  paletteInto(frame: Frame<T>, out: Float32Array, options: PaletteOptions<T> = NO_OPTIONS): number {
    if (!hasData(frame)) return this.#rows;
    const { of, space } = options;
    const slots = of === undefined || of instanceof Uint32Array ? of : of.indices(frame);
    const isWorld = space === 'world';
    this.#rows = slots === undefined ? frame.count : slots.length;
    this.#checkPalette(out, isWorld);
    // The bones of the one entity that was asked for are overwritten.
    this.#mark.forget();
    const size = this.boneCount * 16;
    const rotations = frame.blend(this.#rotations) as Float32Array;
    const positions = this.#positions && (frame.blend(this.#positions) as Float32Array);
    if (isWorld) {
      this.#root?.blend(frame);
      this.#hierarchy?.update(frame);
    }
    const root = isWorld ? this.#rootAffine : UNMOVED;
    const { indices } = frame;
    for (let k = 0; k < this.#rows; k++) {
      const row = slots === undefined ? k : rowOfSlot(indices, slots[k] as number);
      const isThere = row >= 0 && (!isWorld || this.#readRoot(row));
      if (isThere && this.#pose(rotations, positions, row, root)) this.#store(out, k * size);
      else out.fill(0, k * size, k * size + size);
    }
    return this.#rows;
  }

  boneMatrixInto(
    frame: Frame<T>,
    entity: Entity,
    bone: number,
    out: { [index: number]: number },
  ): HierarchyStatus {
    if (!(Number.isInteger(bone) && bone >= 0 && bone < this.boneCount)) {
      throw new EscapementError('VALUE_INVALID', 'There is no such bone.', {
        given: String(bone),
        allowed: `a whole number from 0 to ${this.boneCount - 1}`,
      });
    }
    if (entity !== this.#markedEntity || !this.#mark.isOf(frame)) {
      this.#markedStatus = this.#sample(frame, entity);
      this.#markedEntity = entity;
      if (hasData(frame)) this.#mark.note(frame);
      else this.#mark.forget();
    }
    const status = this.#markedStatus;
    if (isShown(status)) storeMatrix(this.#bones, bone * AFFINE_SIZE, out, 0);
    return status;
  }

  /** Samples one entity and poses its bones, root and all. */
  #sample(frame: Frame<T>, entity: Entity): HierarchyStatus {
    const status = frame.sample(entity, this.#rotations, this.#rotationRow);
    if (!isShown(status)) return status;
    let positions: Float32Array | undefined;
    if (this.#positions !== undefined) {
      positions = this.#positionRow;
      // Those who have no positions of their own rest.
      if (!isShown(frame.sample(entity, this.#positions, positions))) positions.fill(Number.NaN);
    }
    let rootStatus: HierarchyStatus = 'ok';
    if (this.#hierarchy !== undefined) {
      rootStatus = this.#hierarchy.worldMatrixInto(frame, entity, this.#rootMatrix);
      readMatrix(this.#rootMatrix, 0, this.#rootAffine, 0);
    } else if (this.#root !== undefined) {
      rootStatus = this.#root.sampleInto(frame, entity, this.#rootAffine);
    }
    if (!isShown(rootStatus)) return rootStatus;
    const hasRoot = this.#hierarchy !== undefined || this.#root !== undefined;
    const root = hasRoot ? this.#rootAffine : UNMOVED;
    if (!this.#pose(this.#rotationRow, positions, 0, root)) return 'no-component';
    return rootStatus === 'snapped' ? 'snapped' : status;
  }

  /** Reads the root of a row of the frame. Returns whether it has one. */
  #readRoot(row: number): boolean {
    if (this.#root !== undefined) return this.#root.composeInto(row, this.#rootAffine);
    const { worldMatrices } = this.#hierarchy as Hierarchy<T>;
    readMatrix(worldMatrices, row * 16, this.#rootAffine, 0);
    return worldMatrices[row * 16 + 15] === 1;
  }

  /**
   * Composes the bones of a row, parents first. Returns whether it has any: blended rows of
   * entities without the component are NaN.
   */
  #pose(
    rotations: Float32Array,
    positions: Float32Array | undefined,
    row: number,
    root: Float64Array,
  ): boolean {
    const { order, parents, rest, count } = this.#tree;
    const bones = this.#bones;
    const turn = row * count * 4;
    if (Number.isNaN(rotations[turn])) return false;
    let places: Numbers | undefined = positions;
    let place = row * count * 3;
    if (positions === undefined || Number.isNaN(positions[place])) {
      places = rest;
      place = 0;
    }
    if (places === undefined) return false;
    for (let i = 0; i < count; i++) {
      const bone = order[i] as number;
      const at = bone * AFFINE_SIZE;
      const parent = parents[bone] as number;
      const above = parent < 0 ? root : bones;
      const aboveAt = parent < 0 ? 0 : parent * AFFINE_SIZE;
      const from = turn + bone * 4;
      composeBone(rotations, from, places, place + bone * 3, above, aboveAt, bones, at);
    }
    return true;
  }

  #store(out: Float32Array, base: number): void {
    const { count, inverseBind } = this.#tree;
    for (let bone = 0; bone < count; bone++) {
      const at = bone * AFFINE_SIZE;
      const to = base + bone * 16;
      if (inverseBind === undefined) storeMatrix(this.#bones, at, out, to);
      else storeProduct(this.#bones, at, inverseBind, at, out, to);
    }
  }

  #checkPalette(out: Float32Array, isWorld: boolean): void {
    if (isWorld && this.#root === undefined && this.#hierarchy === undefined) {
      throw new EscapementError('OPTION_INVALID', 'This skeleton has no root in the world.', {
        given: 'space: "world"',
        allowed: '"model", or a skeleton that was opened with `root`',
      });
    }
    const needed = this.#rows * this.boneCount * 16;
    if (out.length >= needed) return;
    throw new EscapementError('VALUE_INVALID', 'The array does not hold all palettes.', {
      given: `length ${out.length}`,
      allowed: `${needed} for ${this.#rows} rows of ${this.boneCount} bones`,
      fix: 'Make it as long as capacity x bones x 16 once, and reuse it.',
    });
  }
}

/** The transform that leaves all where it is. */
const UNMOVED: Float64Array = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);

const NO_OPTIONS: PaletteOptions<never> = {};

function isShown(status: HierarchyStatus): boolean {
  return status === 'ok' || status === 'snapped';
}

function checkBones<T extends SimulationTypes>(
  view: View<T>,
  name: ChannelName<T>,
  element: 3 | 4,
  count: number,
): void {
  const spec = view.channel(name);
  const { width, scalar, blend } = spec;
  const isTurn = blend === 'slerp' || blend === 'nlerp' || blend === 'step';
  const isFit = element === 4 ? isTurn : blend === 'lerp' || blend === 'step';
  if (scalar === 'f32' && width === count * element && isFit) return;
  const kind = element === 4 ? 'quaternion' : 'vec3';
  throw channelFault(name, `list of ${count} bones`, spec, `list(${kind}(), ${count})`);
}
