import {
  BoxGeometry,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  MeshLambertMaterial,
} from 'three';
import type { TypesOf } from 'escapement';
import type { Frame, View } from 'escapement/render';
import { BulkInstances, GpuInstances } from 'escapement/three';
import type { Cubes } from '../../scenes/cubes.sim.ts';
import type { BlendPath } from '../blend-path.ts';
import type { Camera } from '../camera.ts';
import type { Halo } from '../dart-renderer.ts';
import type { Showing } from '../showing.ts';
import type { Subject } from '../subject.ts';
import { RowMatrices } from './row-matrices.ts';
import { SpaceView } from './space-view.ts';

type Types = TypesOf<Cubes>;

const CHANNELS = { position: 'position', orientation: 'orientation', scale: 'scale' } as const;
const COLOURED = { ...CHANNELS, colour: 'colour' } as const;

/** Makes a mesh of as many cubes as can be there, none of which is there yet. */
function createCubes(most: number): InstancedMesh {
  const mesh = new InstancedMesh(new BoxGeometry(), new MeshLambertMaterial(), most);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(4 * most), 4);
  mesh.instanceColor.setUsage(DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.count = 0;
  return mesh;
}

/** Draws cubes: instances of one mesh, whichever way their matrices come about. */
export class CubesSubject implements Subject<Types> {
  readonly kind = 'space';
  readonly paths: readonly BlendPath[] = ['entity', 'javascript', 'simd', 'gpu'];
  readonly uploadsInPlace = undefined;
  readonly #space: SpaceView;
  readonly #rows: RowMatrices<Types> = new RowMatrices(CHANNELS);
  readonly #each: InstancedMesh;
  readonly #bulk: BulkInstances<Types>;
  readonly #gpu: GpuInstances<Types>;
  readonly #raw: BulkInstances<Types>;

  constructor(canvas: HTMLCanvasElement, view: View<Types>, most: number) {
    this.#space = new SpaceView(canvas, { eye: [9, 8, 13], target: [0, 2.2, 0], floor: 14 });
    this.#each = createCubes(most);
    this.#raw = new BulkInstances(view, createCubes(most), COLOURED);
    const bulk = createCubes(most);
    this.#bulk = new BulkInstances(view, bulk, COLOURED);
    const { geometry, material } = createCubes(0);
    this.#gpu = new GpuInstances(view, geometry, material, COLOURED);
    this.#space.blended.add(this.#each, bulk, this.#gpu);
    this.#space.raw.add(this.#raw.mesh);
  }

  take(frame: Frame<Types>, raw: Frame<Types> | undefined, { path }: Readonly<Showing>): void {
    this.#each.visible = path === 'entity';
    this.#bulk.mesh.visible = path === 'javascript' || path === 'simd';
    this.#gpu.visible = path === 'gpu';
    if (path === 'gpu') this.#gpu.update(frame);
    else if (path === 'entity') this.#fillEach(frame);
    else this.#bulk.update(frame);
    if (raw !== undefined) this.#raw.update(raw);
  }

  aim(): void {}

  paint(camera: Camera, _halo: Halo, { isSplit }: Readonly<Showing>): void {
    this.#space.paint(camera, isSplit);
  }

  toWorld(camera: Camera, x: number, y: number): readonly [number, number] {
    return this.#space.floorAt(camera, x, y);
  }

  positions(count: number): number[] {
    const mesh = this.#each.visible ? this.#each : this.#bulk.mesh;
    const { array } = mesh.instanceMatrix;
    return Array.from({ length: 2 * Math.min(count, mesh.count) }, (_, at) =>
      Number(array[16 * (at >> 1) + 12 + (at & 1)]),
    );
  }

  dispose(): void {
    for (const mesh of [this.#each, this.#raw.mesh, this.#bulk.mesh, this.#gpu]) {
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
      if (mesh instanceof InstancedMesh) mesh.dispose();
    }
    this.#gpu.dispose();
    this.#space.dispose();
  }

  #fillEach(frame: Frame<Types>): void {
    const { instanceMatrix, instanceColor } = this.#each;
    this.#each.count = this.#rows.blendInto(frame, instanceMatrix.array as Float32Array);
    instanceMatrix.needsUpdate = true;
    if (instanceColor === null) return;
    frame.sampleInto('colour', instanceColor.array);
    instanceColor.needsUpdate = true;
  }
}
