/** Draws bodies by one way, and says what each frame cost this thread. */
import {
  type InstancedBufferGeometry,
  InstancedMesh,
  type Mesh,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from 'three';
import { openWay, type WayName } from './ways.ts';

/** A frame of a screen of 60 Hz, and half a millisecond less: animation frames have a grain. */
const FRAME_MS = 1000 / 60 - 0.5;

/** How long the first picture may be in coming. */
const WHOLE_MS_MAX = 60_000;

/** What the frames of a way cost. */
export interface Cost {
  /** By frame: script on this thread, messages and three's own work included; in milliseconds. */
  readonly scriptMs: readonly number[];
  /** From frame to frame. */
  readonly intervalMs: readonly number[];
  /** Instances that were drawn. */
  readonly instances: number;
  readonly isolated: boolean;
}

/** What is asked for. */
export interface Task {
  readonly way: WayName;
  readonly bodies: number;
  /** How long to draw before frames count. */
  readonly warmUpMs: number;
  readonly framesMax: number;
  /** When to stop even if there were fewer frames. */
  readonly msMax: number;
}

/**
 * Draws all bodies once, and from then on with none of their vertices: every call and every upload
 * is there, but a GPU in software takes each instance as a draw of its own, far longer than a frame
 * for so many, and the script would wait for it.
 */
async function measure({ way: name, bodies, warmUpMs, framesMax, msMax }: Task): Promise<Cost> {
  const renderer = new WebGLRenderer({ antialias: false });
  renderer.setSize(64, 64);
  document.body.append(renderer.domElement);
  const camera = new PerspectiveCamera(50, 1, 0.1, 500);
  camera.position.z = 80;
  const scene = new Scene();
  const way = await openWay(name, bodies);
  scene.add(way.mesh);
  const gl = renderer.getContext() as WebGL2RenderingContext;
  const scriptMs: number[] = [];
  const intervalMs: number[] = [];
  const opened = performance.now();
  let last = opened;
  /** When the frame after the whole one began. */
  let start = Number.NaN;
  let drawn: WebGLSync | null = null;
  let instances = 0;
  while (scriptMs.length < framesMax && !(last - start > warmUpMs + msMax)) {
    if (instances === 0 && last - opened > WHOLE_MS_MAX) throw new Error('nothing was drawn');
    const now = await nextFrame(gl, last, drawn);
    const begin = performance.now();
    if (instances > 0 && Number.isNaN(start)) start = begin;
    way.prepare(now);
    const isWhole = instances === 0 && countOf(way.mesh) === bodies;
    way.mesh.geometry.setDrawRange(0, isWhole ? Number.POSITIVE_INFINITY : 0);
    renderer.render(scene, camera);
    if (isWhole) instances = renderer.info.render.triangles;
    way.release();
    const cost = performance.now() - begin + way.takeMessageMs();
    drawn = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (begin - start > warmUpMs) {
      scriptMs.push(cost);
      intervalMs.push(begin - last);
    }
    last = begin;
  }
  await way.stop();
  renderer.dispose();
  return { scriptMs, intervalMs, instances, isolated: crossOriginIsolated };
}

/** Instances that a mesh is about to draw. */
function countOf(mesh: Mesh): number {
  if (mesh instanceof InstancedMesh) return mesh.count;
  return (mesh.geometry as InstancedBufferGeometry).instanceCount;
}

/**
 * Waits for the first animation frame that comes a 60th of a second after the last one, and after
 * that one was drawn: a queue that is full would make the script of the next one wait.
 */
async function nextFrame(
  gl: WebGL2RenderingContext,
  last: number,
  drawn: WebGLSync | null,
): Promise<number> {
  for (;;) {
    const now = await new Promise<number>(requestAnimationFrame);
    const isDrawn = drawn === null || gl.getSyncParameter(drawn, gl.SYNC_STATUS) === gl.SIGNALED;
    if (!isDrawn || performance.now() - last < FRAME_MS) continue;
    gl.deleteSync(drawn);
    return now;
  }
}

/** The page's side of the bench. */
export const bench = { measure };
export type Bench = typeof bench;

Object.assign(globalThis, { bench });
document.title = 'ready';
