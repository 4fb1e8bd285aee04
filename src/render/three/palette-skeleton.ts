import {
  DataTexture,
  FloatType,
  Matrix4,
  RGBAFormat,
  Skeleton,
  type SkinnedMesh,
  Sphere,
} from 'three';
import { EscapementError } from '../../shared/error.ts';

/** Texels of a matrix: four numbers each. */
const TEXELS = 4;

/**
 * A skeleton of three without Bone objects: its matrices are written as they are. Fill `palette`
 * (16 numbers a bone, column by column: what moves a vertex from the pose that it was modelled in
 * to where it is), and three uploads it with the next draw.
 */
export class PaletteSkeleton extends Skeleton {
  /** Bones of one body. */
  readonly boneCount: number;
  /** The most bodies. */
  readonly capacity: number;
  /** Matrices of all bodies, one body behind the other. */
  readonly palette: Float32Array;
  readonly #texture: DataTexture;

  /** Throws OPTION_INVALID for what is no number of bones or bodies. */
  constructor(boneCount: number, capacity = 1) {
    super([], []);
    if (!(Number.isInteger(boneCount) && Number.isInteger(capacity) && boneCount * capacity > 0)) {
      throw new EscapementError('OPTION_INVALID', 'There is no such skeleton.', {
        given: `${boneCount} bones, ${capacity} bodies`,
        allowed: 'whole numbers of at least 1',
      });
    }
    this.boneCount = boneCount;
    this.capacity = capacity;
    const texels = boneCount * capacity * TEXELS;
    // As square as can be, and no matrix lies in two lines.
    const width = Math.ceil(Math.sqrt(texels) / TEXELS) * TEXELS;
    const height = Math.ceil(texels / width);
    const data = new Float32Array(width * height * 4);
    this.palette = data.subarray(0, texels * 4);
    for (let i = 0; i < texels * 4; i += 16) {
      for (let k = 0; k < 4; k++) data[i + k * 5] = 1;
    }
    this.#texture = new DataTexture(data, width, height, RGBAFormat, FloatType);
    this.#texture.needsUpdate = true;
    this.boneMatrices = data;
    this.boneTexture = this.#texture;
  }

  /**
   * Makes a mesh follow this skeleton. Matrices are in the world then, unless the mesh's `bindMode`
   * is `DetachedBindMode`. The mesh is no longer culled: its bounds would take Bone objects.
   */
  bindTo(mesh: SkinnedMesh): void {
    mesh.bind(this, new Matrix4());
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere(undefined, Number.POSITIVE_INFINITY);
  }

  /** Has the palette uploaded; three calls it once a frame for a mesh that is drawn. */
  override update(): void {
    this.#texture.needsUpdate = true;
  }
}
