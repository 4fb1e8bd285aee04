import { type BufferGeometry, InstancedMesh, type Material, Matrix4, Sphere } from 'three';
import { PaletteSkeleton } from './palette-skeleton.ts';
import { patchMesh } from './patched-material.ts';

/** Options of {@link SkinnedCrowd}. */
export interface SkinnedCrowdOptions {
  /** Bones of one body. */
  readonly boneCount: number;
  /** The most bodies. */
  readonly capacity: number;
}

/**
 * A crowd of skinned bodies in one draw. The geometry has `skinIndex` and `skinWeight` as for a
 * SkinnedMesh. Fill `skeleton.palette` with the matrices of all bodies, one body behind the other,
 * and set `count`. Where a body stands is in its palette, or in its instance matrix, as for any
 * InstancedMesh; those are identities at first. Works with three's mesh materials and their
 * shadows: the material is changed in place and draws nothing else from then on.
 */
export class SkinnedCrowd extends InstancedMesh {
  /** Has three hand the palette to the shader. */
  readonly isSkinnedMesh = true as const;
  /** From the mesh's own space to that of the palette. */
  readonly bindMatrix: Matrix4 = new Matrix4();
  /** The way back. */
  readonly bindMatrixInverse: Matrix4 = new Matrix4();
  /** The matrices of all bodies; see `palette`. */
  readonly skeleton: PaletteSkeleton;
  readonly #restore: () => void;

  /** Throws STATE_INVALID for a material that is used by another such mesh. */
  constructor(
    geometry: BufferGeometry,
    material: Material | Material[],
    options: SkinnedCrowdOptions,
  ) {
    const { boneCount, capacity } = options;
    super(geometry, material, capacity);
    this.count = 0;
    this.skeleton = new PaletteSkeleton(boneCount, capacity);
    this.frustumCulled = false;
    this.boundingSphere = new Sphere(undefined, Number.POSITIVE_INFINITY);
    this.#restore = patchMesh(this, {
      key: `crowd of ${boneCount} bones`,
      apply: (shader) => {
        shader.vertexShader = offsetBones(shader.vertexShader, boneCount);
      },
    });
  }

  /** Frees the palette and the matrices, and gives the materials back as they were. */
  override dispose(): void {
    super.dispose();
    this.skeleton.dispose();
    this.#restore();
  }

  /** Finds nothing: the bodies are where their bones are. */
  override raycast(): void {}
}

/**
 * Has a vertex shader of three look up the bones of its instance's own body. A macro is not
 * expanded within itself, so it can stand for the attribute and for what is added to it.
 */
export function offsetBones(vertexShader: string, boneCount: number): string {
  return `#define skinIndex ( skinIndex + float( gl_InstanceID * ${boneCount} ) )\n${vertexShader}`;
}
