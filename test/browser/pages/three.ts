/** Draws the same frames in several ways with three, and says how far their pictures differ. */
import { type Frame, openView, type View } from 'escapement/render';
import type { Entity } from 'escapement/sim';
import { BulkInstances, GpuInstances } from 'escapement/three';
import {
  BoxGeometry,
  Color,
  InstancedMesh,
  type Material,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshMatcapMaterial,
  MeshNormalMaterial,
  MeshPhongMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshToonMaterial,
  Quaternion,
  Vector3,
} from 'three';
import { drawCrowd } from './three-crowd.ts';
import { countDiffering, type Difference, litColumns, ThreePicture } from './three-picture.ts';
import { type Shapes, type ShapesKind, startShapes } from './three-shapes.ts';

const MATERIALS = {
  basic: () => new MeshBasicMaterial(),
  lambert: () => new MeshLambertMaterial(),
  phong: () => new MeshPhongMaterial(),
  standard: () => new MeshStandardMaterial(),
  physical: () => new MeshPhysicalMaterial({ clearcoat: 0.5 }),
  toon: () => new MeshToonMaterial(),
  normal: () => new MeshNormalMaterial(),
  matcap: () => new MeshMatcapMaterial(),
};
/** Names of the materials that are tried. */
export type MaterialKind = keyof typeof MATERIALS;

const CHANNELS = {
  position: 'place',
  orientation: 'turn',
  scale: 'size',
  colour: 'paint',
} as const;
const CAPACITY = 64;

/** A way to show frames. */
interface Way {
  readonly mesh: InstancedMesh | GpuInstances<Shapes>;
  update(frame: Frame<Shapes>): void;
  dispose(): void;
}

/** The ways that are compared with three's own maths, applied to one entity after another. */
export type WayName = 'gpu' | 'bulk' | 'culled';

const picture = new ThreePicture();
const geometry = new BoxGeometry();

function openWay(name: WayName, view: View<Shapes>, material: Material): Way {
  if (name === 'gpu') {
    const mesh = new GpuInstances<Shapes>(view, geometry, material, CHANNELS);
    return { mesh, update: (frame) => mesh.update(frame), dispose: () => mesh.dispose() };
  }
  const mesh = new InstancedMesh(geometry, material, CAPACITY);
  const bulk = new BulkInstances<Shapes>(view, mesh, { ...CHANNELS, reach: 1 });
  const camera = name === 'culled' ? picture.camera : undefined;
  return {
    mesh,
    update: (frame) => void bulk.update(frame, camera),
    dispose: () => mesh.dispose(),
  };
}

function openReference(material: Material): Way {
  const mesh = new InstancedMesh(geometry, material, CAPACITY);
  mesh.frustumCulled = false;
  return { mesh, update: (frame) => fill(mesh, frame), dispose: () => mesh.dispose() };
}

const matrix = new Matrix4();
const position = new Vector3();
const orientation = new Quaternion();
const scale = new Vector3();
const paint = new Color();

function fill(mesh: InstancedMesh, frame: Frame<Shapes>): void {
  const numbers = [0, 0, 0, 1];
  const read = (entity: number, channel: 'place' | 'turn' | 'size' | 'paint'): number[] => {
    frame.sample(entity as Entity, channel, numbers);
    return numbers;
  };
  mesh.count = 0;
  for (const entity of frame.entities) {
    position.fromArray(read(entity, 'place'));
    orientation.fromArray(read(entity, 'turn'));
    scale.setScalar(read(entity, 'size')[0] as number);
    mesh.setMatrixAt(mesh.count, matrix.compose(position, orientation, scale));
    mesh.setColorAt(mesh.count, paint.fromArray(read(entity, 'paint')));
    mesh.count++;
  }
  mesh.instanceMatrix.needsUpdate = true;
  if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
}

/** What is compared. */
export interface Comparison {
  readonly way: WayName;
  readonly material: MaterialKind;
  readonly shadows: boolean;
  /** In ticks, ascending. */
  readonly times: readonly number[];
  /** Times that a frame is taken at, but nothing is drawn. */
  readonly undrawn?: readonly number[];
  /** Time before which the context is lost and comes back. */
  readonly loseAt?: number;
}

async function compare(comparison: Comparison): Promise<Difference[]> {
  const { way: name, material, shadows, times, undrawn = [], loseAt } = comparison;
  const { sim, passTo } = await startShapes('many');
  const view = openView(sim.share());
  const way = openWay(name, view, MATERIALS[material]());
  const reference = openReference(MATERIALS[material]());
  const differences: Difference[] = [];
  for (const time of times) {
    passTo(time);
    if (time === loseAt) await picture.loseContext();
    using frame = view.frame();
    way.update(frame);
    if (undrawn.includes(time)) continue;
    reference.update(frame);
    const pixels = picture.draw(way.mesh, shadows);
    const wanted = picture.draw(reference.mesh, shadows);
    const { alpha, pairTick } = frame;
    differences.push({
      ...countDiffering(wanted, pixels),
      alpha,
      pairTick,
      error: picture.error(),
    });
  }
  way.dispose();
  reference.dispose();
  // three also deletes what it had in the context that was lost, which is an error to WebGL.
  if (loseAt !== undefined) picture.error();
  view.close();
  await sim.stop();
  return differences;
}

/** Columns of the picture in which the box that leaps is seen, at some times. */
async function leap(name: WayName, times: readonly number[]): Promise<(readonly number[])[]> {
  const { sim, passTo } = await startShapes('leap');
  const view = openView(sim.share());
  const way = openWay(name, view, new MeshBasicMaterial());
  const seen: (readonly number[])[] = [];
  for (const time of times) {
    passTo(time);
    using frame = view.frame();
    way.update(frame);
    seen.push(litColumns(picture.draw(way.mesh, false)));
  }
  way.dispose();
  view.close();
  await sim.stop();
  return seen;
}

/** The code of the error when a frame is released before its ticks were uploaded. */
async function drawReleased(): Promise<string> {
  const { sim, passTo } = await startShapes('many');
  const view = openView(sim.share());
  const way = openWay('gpu', view, new MeshBasicMaterial());
  passTo(3.5);
  const frame = view.frame();
  way.update(frame);
  frame.release();
  let code = 'none';
  try {
    picture.draw(way.mesh, false);
  } catch (cause) {
    code = (cause as { readonly code: string }).code;
  }
  way.dispose();
  view.close();
  await sim.stop();
  return code;
}

/** Uploads and GPU objects of frames between two ticks, of a new tick, and after the disposal. */
async function countUploads() {
  const { sim, passTo } = await startShapes('many');
  const view = openView(sim.share());
  const before = picture.memory();
  const way = openWay('gpu', view, new MeshBasicMaterial());
  const counted: Record<string, number> = {};
  for (const time of [1.1, 1.5, 1.9, 2.1, 2.5, 3.1, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 9.6]) {
    passTo(time);
    using frame = view.frame();
    way.update(frame);
    counted[time] = picture.countBufferUploads(() => picture.draw(way.mesh, false));
  }
  way.dispose();
  view.close();
  await sim.stop();
  return { counted, left: picture.memory() - before };
}

/** The page's side of the test. */
export const threePage = {
  compare,
  leap,
  drawReleased,
  countUploads,
  drawCrowd: () => drawCrowd(picture),
};
export type ThreePage = typeof threePage;
export type { ShapesKind };

Object.assign(globalThis, { threePage });
document.title = 'ready';
