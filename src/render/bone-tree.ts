import { EscapementError } from '../shared/error.ts';
import { WIDTH_MAX } from '../shared/schema.ts';
import { AFFINE_SIZE, readMatrix } from './affine.ts';
import { ParentOrder } from './parent-order.ts';

/** What never changes about a skeleton; see `openSkeleton`. */
export interface BoneTreeOptions {
  /** The parent of each bone, -1 for none, in any order. */
  readonly parents: ArrayLike<number>;
  /** Offsets from the parent's bone in its coordinates, three numbers a bone. */
  readonly rest?: ArrayLike<number>;
  /** Matrices from the mesh's coordinates to those of each bone at rest, 16 numbers a bone. */
  readonly inverseBind?: ArrayLike<number>;
}

/** The bones of a skeleton, checked: who hangs on whom, in which order, and how they rest. */
export class BoneTree {
  readonly count: number;
  readonly parents: Int32Array;
  /** Bones, parents first. */
  readonly order: Int32Array;
  readonly rest: Float64Array | undefined;
  /** Affine transforms, twelve numbers a bone. */
  readonly inverseBind: Float64Array | undefined;

  /** Checks the options. Throws OPTION_INVALID. */
  constructor({ parents, rest, inverseBind }: BoneTreeOptions) {
    const count = parents.length;
    if (!(count >= 1 && count <= WIDTH_MAX / 4)) {
      throw fault('`parents` has no fitting length.', String(count), `1 to ${WIDTH_MAX / 4} bones`);
    }
    this.count = count;
    this.parents = Int32Array.from(parents);
    for (let bone = 0; bone < count; bone++) {
      const parent = parents[bone] as number;
      if (Number.isInteger(parent) && parent >= -1 && parent < count) continue;
      const allowed = `a whole number from -1 to ${count - 1}`;
      throw fault(`The parent of bone ${bone} is no bone.`, String(parent), allowed);
    }
    const order = new ParentOrder();
    order.make(this.parents, count);
    if (order.placedCount < count) {
      const circling = this.parents.findIndex((_, bone) => order.fate[bone] !== 0);
      const given = `bone ${circling} with parent ${this.parents[circling]}`;
      throw fault('Some bones are their own ancestors.', given, 'a tree, or several');
    }
    this.order = order.order;
    checkNumbers(rest, count * 3, 'rest');
    this.rest = rest && Float64Array.from(rest);
    checkNumbers(inverseBind, count * 16, 'inverseBind');
    this.inverseBind = inverseBind && readMatrices(inverseBind, count);
  }
}

function checkNumbers(numbers: ArrayLike<number> | undefined, length: number, name: string): void {
  if (numbers === undefined) return;
  if (numbers.length !== length) {
    throw fault(`\`${name}\` has the wrong length.`, String(numbers.length), String(length));
  }
  for (let i = 0; i < length; i++) {
    if (Number.isFinite(numbers[i])) continue;
    throw fault(`\`${name}[${i}]\` is no number.`, String(numbers[i]), 'finite numbers');
  }
}

function readMatrices(matrices: ArrayLike<number>, count: number): Float64Array {
  const affine = new Float64Array(count * AFFINE_SIZE);
  for (let bone = 0; bone < count; bone++) {
    const from = bone * 16;
    for (let column = 0; column < 4; column++) {
      const last = matrices[from + 4 * column + 3] as number;
      if (Math.abs(last - (column === 3 ? 1 : 0)) <= 1e-6) continue;
      const given = `${last} as the last of column ${column} of bone ${bone}`;
      throw fault('`inverseBind` holds what is no affine matrix.', given, 'a last row 0, 0, 0, 1');
    }
    readMatrix(matrices, from, affine, bone * AFFINE_SIZE);
  }
  return affine;
}

function fault(headline: string, given: string, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', headline, { given, allowed });
}
