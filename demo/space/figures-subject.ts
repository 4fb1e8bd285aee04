import {
  BoxGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
} from 'three';
import type { TypesOf } from 'escapement';
import { type Frame, openSkeleton, type Skeleton, type View } from 'escapement/render';
import {
  BONE_COUNT,
  BONE_NAMES,
  BONE_OFFSETS,
  BONE_PARENTS,
  BONE_TIPS,
} from '../../scenes/skeleton-figure.ts';
import type { Skeletons } from '../../scenes/skeletons.sim.ts';
import type { BlendPath } from '../blend-path.ts';
import type { Camera } from '../camera.ts';
import type { Halo } from '../dart-renderer.ts';
import type { Showing } from '../showing.ts';
import type { Subject } from '../subject.ts';
import { SpaceView } from './space-view.ts';

type Types = TypesOf<Skeletons>;

/** Metres across a bone's box. */
const THICKNESS: Readonly<Record<string, number>> = {
  hips: 0.24,
  spine: 0.2,
  chest: 0.3,
  head: 0.2,
};
const LIMB_THICKNESS = 0.1;

/** The matrices that make a unit box the flesh of each bone: along it, and half way to its tip. */
function fleshOfBones(): Float32Array {
  const flesh = new Float32Array(16 * BONE_COUNT);
  const up = new Vector3(0, 1, 0);
  const tip = new Vector3();
  const turn = new Quaternion();
  const size = new Vector3();
  const matrix = new Matrix4();
  for (let bone = 0; bone < BONE_COUNT; bone++) {
    tip.fromArray(BONE_TIPS, 3 * bone);
    const thickness = THICKNESS[BONE_NAMES[bone] as string] ?? LIMB_THICKNESS;
    size.set(thickness, tip.length(), thickness * 0.8);
    turn.setFromUnitVectors(up, tip.clone().normalize());
    matrix.compose(tip.multiplyScalar(0.5), turn, size).toArray(flesh, 16 * bone);
  }
  return flesh;
}

/** Boxes for the bones of as many figures as can be there. */
function createBoxes(figures: number): InstancedMesh {
  const boxes = figures * BONE_COUNT;
  const mesh = new InstancedMesh(new BoxGeometry(), new MeshLambertMaterial(), boxes);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * boxes), 3);
  mesh.frustumCulled = false;
  mesh.count = 0;
  return mesh;
}

/** Draws a crowd of figures: a box a bone, all in one mesh. */
export class FiguresSubject implements Subject<Types> {
  readonly kind = 'space';
  readonly paths: readonly BlendPath[] = ['javascript', 'simd'];
  readonly uploadsInPlace = undefined;
  readonly #space: SpaceView;
  readonly #skeleton: Skeleton<Types>;
  readonly #rawSkeleton: Skeleton<Types>;
  readonly #blended: InstancedMesh;
  readonly #raw: InstancedMesh;
  readonly #colour: Color = new Color();
  #colouredVersion = -1;

  constructor(canvas: HTMLCanvasElement, view: View<Types>, most: number, half: number) {
    const eye = [half * 1.05, half * 0.95, half * 1.75] as const;
    this.#space = new SpaceView(canvas, { eye, target: [0, 0, 0], floor: half });
    const parts = {
      parents: BONE_PARENTS,
      rest: BONE_OFFSETS,
      inverseBind: fleshOfBones(),
      rotations: 'boneRotation',
      root: { position: 'position', orientation: 'heading', axis: 'y' },
    } as const;
    this.#skeleton = openSkeleton(view, parts);
    this.#rawSkeleton = openSkeleton(view, parts);
    this.#blended = createBoxes(most);
    this.#raw = createBoxes(most);
    this.#space.blended.add(this.#blended);
    this.#space.raw.add(this.#raw);
  }

  take(frame: Frame<Types>, raw: Frame<Types> | undefined): void {
    this.#fill(this.#blended, this.#skeleton, frame);
    if (raw !== undefined) this.#fill(this.#raw, this.#rawSkeleton, raw);
    this.#paintFigures(frame);
  }

  aim(): void {}

  paint(camera: Camera, _halo: Halo, { isSplit }: Readonly<Showing>): void {
    this.#space.paint(camera, isSplit);
  }

  toWorld(camera: Camera, x: number, y: number): readonly [number, number] {
    return this.#space.floorAt(camera, x, y);
  }

  positions(count: number): number[] {
    const { array } = this.#blended.instanceMatrix;
    const figures = Math.min(count, this.#blended.count / BONE_COUNT);
    return Array.from({ length: 2 * figures }, (_, at) =>
      Number(array[16 * BONE_COUNT * (at >> 1) + 12 + (at & 1)]),
    );
  }

  dispose(): void {
    for (const mesh of [this.#blended, this.#raw]) {
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
      mesh.dispose();
    }
    this.#space.dispose();
  }

  #fill(mesh: InstancedMesh, skeleton: Skeleton<Types>, frame: Frame<Types>): void {
    const palette = mesh.instanceMatrix.array as Float32Array;
    mesh.count = skeleton.paletteInto(frame, palette, { space: 'world' }) * BONE_COUNT;
    mesh.instanceMatrix.needsUpdate = true;
  }

  #paintFigures(frame: Frame<Types>): void {
    const { laterVersion } = frame.pair;
    if (laterVersion === this.#colouredVersion) return;
    this.#colouredVersion = laterVersion;
    const hues = frame.blend('hue');
    for (const { instanceColor } of [this.#blended, this.#raw]) {
      if (instanceColor === null) continue;
      for (let row = 0; row < hues.length; row++) {
        this.#colour.setHSL(hues[row] as number, 0.62, 0.62);
        for (let bone = 0; bone < BONE_COUNT; bone++) {
          this.#colour.toArray(instanceColor.array, 3 * (row * BONE_COUNT + bone));
        }
      }
      instanceColor.needsUpdate = true;
    }
  }
}
