import {
  type Camera,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  type InstancedMesh,
  Matrix4,
  Sphere,
  WebGPUCoordinateSystem,
} from 'three';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { RowsOf, SampleOptions, WithinFrustum } from '../bulk-options.ts';
import type { ChannelName, Frame } from '../frame.ts';
import { frustumPlanes } from '../frustum-planes.ts';
import type { View } from '../view.ts';
import { type InstanceChannels, resolveLayout } from './instance-layout.ts';

/** Options of {@link BulkInstances}. */
export interface BulkInstancesOptions<T extends SimulationTypes = SimulationTypes>
  extends InstanceChannels<T> {
  /** Whose instances: those of a query, or of a list of slot indices. By default all. */
  readonly of?: RowsOf<T>;
  /**
   * How far an entity reaches around its position, in the mesh's own space, or a channel that says
   * so. 0 by default. Who is wholly outside of the camera given to `update` is left out.
   */
  readonly reach?: number | ChannelName<T>;
}

/** An attribute that is filled from its first row on, and what of it is uploaded. */
interface Filled {
  readonly attribute: InstancedBufferAttribute;
  readonly range: { start: number; count: number };
}

type Rows<T extends SimulationTypes> = SampleOptions<T, ChannelName<T>>;

/**
 * Fills an InstancedMesh of three, once a frame: with matrices that are blended and composed in one
 * go, and with colours where there is a channel for them. Any material and any use of an
 * InstancedMesh works. The mesh must have room for as many instances as can be seen at once. Three
 * no longer culls it as a whole: its bounds would have to be made anew each frame.
 */
export class BulkInstances<T extends SimulationTypes = SimulationTypes> {
  readonly mesh: InstancedMesh;
  readonly #channels: InstanceChannels<T>;
  readonly #matrices: Filled;
  readonly #colours: Filled | undefined;
  readonly #planes = new Float32Array(24);
  readonly #projection: Matrix4 = new Matrix4();
  /** Whose rows, without and with a camera. */
  readonly #all: Rows<T>;
  readonly #inside: Rows<T>;

  /** Throws NAME_UNKNOWN and VALUE_INVALID for channels that do not fit. */
  constructor(view: View<T>, mesh: InstancedMesh, options: BulkInstancesOptions<T>) {
    const { colour } = resolveLayout(view, options);
    const { of, reach = 0, position } = options;
    this.mesh = mesh;
    this.#channels = options;
    const within: WithinFrustum<ChannelName<T>> = { planes: this.#planes, radius: reach };
    this.#all = of === undefined ? { position } : { position, of };
    this.#inside = { ...this.#all, within };
    this.#matrices = prepare(mesh.instanceMatrix);
    if (colour !== undefined) {
      const room = new Float32Array(mesh.instanceMatrix.count * colour.spec.width);
      mesh.instanceColor = new InstancedBufferAttribute(room, colour.spec.width);
      this.#colours = prepare(mesh.instanceColor);
    }
    mesh.count = 0;
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere(undefined, Number.POSITIVE_INFINITY);
  }

  /**
   * Fills the mesh from an open frame, which may be released before three renders. Given a camera,
   * leaves out who is outside of what it sees. Returns the number of instances. A frame that is
   * busy leaves the mesh as it was. Throws VALUE_INVALID when the mesh has no room for them.
   */
  update(frame: Frame<T>, camera?: Camera): number {
    const { mesh } = this;
    if (frame.status === 'busy') return mesh.count;
    const { colour } = this.#channels;
    if (camera !== undefined) this.#look(camera);
    const rows = camera === undefined ? this.#all : this.#inside;
    const matrices = this.#matrices;
    mesh.count = frame.composeMatricesInto(matrices.attribute.array, this.#channels, rows);
    upload(matrices, mesh.count);
    if (colour !== undefined && this.#colours !== undefined) {
      frame.sampleInto(colour, this.#colours.attribute.array, rows);
      upload(this.#colours, mesh.count);
    }
    return mesh.count;
  }

  /** Finds the planes of a camera in the mesh's own space. */
  #look(camera: Camera): void {
    const { mesh } = this;
    camera.updateWorldMatrix(true, false);
    mesh.updateWorldMatrix(true, false);
    const projection = this.#projection.copy(camera.matrixWorld).invert();
    projection.premultiply(camera.projectionMatrix).multiply(mesh.matrixWorld);
    const isFromZero =
      camera.coordinateSystem === WebGPUCoordinateSystem || isReversed(camera as Reversible);
    frustumPlanes(projection.elements, this.#planes, isFromZero ? 'webgpu' : 'webgl');
  }
}

/** A camera whose depth may go from 1 at near to 0 at far; three has it since r180. */
interface Reversible {
  readonly reversedDepth?: boolean;
}

function isReversed({ reversedDepth }: Reversible): boolean {
  return reversedDepth === true;
}

function prepare(attribute: InstancedBufferAttribute): Filled {
  attribute.setUsage(DynamicDrawUsage);
  return { attribute, range: { start: 0, count: 0 } };
}

/** Has the first rows uploaded with the next draw; the range is the same object every time. */
function upload({ attribute, range }: Filled, rows: number): void {
  // To WebGL a length of 0 is all there is.
  if (rows === 0) return;
  range.count = rows * attribute.itemSize;
  attribute.updateRanges.length = 0;
  attribute.updateRanges.push(range);
  attribute.needsUpdate = true;
}
