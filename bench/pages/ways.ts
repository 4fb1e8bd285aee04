/** The ways to show the bodies that the bench compares. */
import { type RunningSimulation, startSimulation } from 'escapement';
import { type Frame, openView, type View } from 'escapement/render';
import { BulkInstances, GpuInstances } from 'escapement/three';
import {
  BufferGeometry,
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedMesh,
  type Mesh,
  MeshBasicMaterial,
} from 'three';
import { blendNumbers, blendObjects, type States } from './blend-by-hand.ts';
import type { PlainStart } from './plain-worker.ts';
import { placeBodies, STATE_WIDTH, TICK_RATE_HZ, tumble } from './tumble.ts';
import type { Tumbling, TumblingTypes } from './tumble.sim.ts';

/**
 * `gpu` and `bulk` are ours. `posted`: a worker posts a clone of its state, and the page blends it
 * into the instance matrices; `transferred`: it hands over a copy instead; `per-object`: as
 * `posted`, blended by the classes of three; `on-main`: the page simulates as well.
 */
export type WayName = 'gpu' | 'bulk' | 'on-main' | 'posted' | 'transferred' | 'per-object';

/** A way to show the bodies. */
export interface Way {
  readonly mesh: Mesh;
  /** Prepares the mesh for a frame, and lets go after it was drawn. */
  prepare(now: number): void;
  release(): void;
  /** Milliseconds that messages took since this was asked last. */
  takeMessageMs(): number;
  stop(): Promise<void>;
}

const TICK_MS = 1000 / TICK_RATE_HZ;

/** As little to draw as can be: the bench is about the page's thread. */
function createTriangle(): BufferGeometry {
  const corners = [0, 0, 0, 0.3, 0, 0, 0, 0.3, 0];
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(corners, 3));
}

/** Opens a way; its worker runs when this resolves. */
export async function openWay(name: WayName, bodies: number): Promise<Way> {
  if (name === 'gpu' || name === 'bulk') return openOurs(name, bodies);
  return name === 'on-main' ? openOnMain(bodies) : openPosted(name, bodies);
}

/** Our simulation in a worker, and a view of it. */
class OurWay implements Way {
  readonly mesh: Mesh;
  readonly #sim: RunningSimulation<TumblingTypes>;
  readonly #view: View<TumblingTypes>;
  readonly #update: (frame: Frame<TumblingTypes>) => void;
  #frame: Frame<TumblingTypes> | undefined;

  constructor(name: WayName, bodies: number, sim: RunningSimulation<TumblingTypes>) {
    const channels = { position: 'position', orientation: 'orientation' } as const;
    this.#sim = sim;
    this.#view = openView(sim.share());
    if (name === 'gpu') {
      const material = new MeshBasicMaterial();
      const mesh = new GpuInstances(this.#view, createTriangle(), material, channels);
      this.mesh = mesh;
      this.#update = (frame) => mesh.update(frame);
    } else {
      const mesh = createMesh(bodies);
      const bulk = new BulkInstances(this.#view, mesh, channels);
      this.mesh = mesh;
      this.#update = (frame) => void bulk.update(frame);
    }
  }

  prepare(now: number): void {
    this.#frame = this.#view.frame(now);
    this.#update(this.#frame);
  }

  release(): void {
    this.#frame?.release();
  }

  takeMessageMs(): number {
    return 0;
  }

  async stop(): Promise<void> {
    this.#view.close();
    await this.#sim.stop();
  }
}

async function openOurs(name: WayName, bodies: number): Promise<Way> {
  const sim = await startSimulation<Tumbling>(
    () => new Worker(new URL('./tumble.sim.js', import.meta.url), { type: 'module' }),
    { params: { bodies } },
  );
  return new OurWay(name, bodies, sim);
}

function createMesh(bodies: number): InstancedMesh {
  const mesh = new InstancedMesh(createTriangle(), new MeshBasicMaterial(), bodies);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.computeBoundingSphere();
  return mesh;
}

function createStates(bodies: number): States {
  const later = new Float32Array(bodies * STATE_WIDTH);
  placeBodies(later.subarray(0, bodies * 3), later.subarray(bodies * 3));
  return { earlier: later.slice(), later, cameAt: performance.now() };
}

function alphaAt(states: States): number {
  return Math.min(1, Math.max(0, (performance.now() - states.cameAt) / TICK_MS));
}

function openOnMain(bodies: number): Way {
  const mesh = createMesh(bodies);
  const states = createStates(bodies);
  return {
    mesh,
    prepare() {
      // At most three ticks a frame, or a page that is late would never catch up.
      const late = performance.now() - states.cameAt;
      if (late > 3 * TICK_MS) states.cameAt += late - 3 * TICK_MS;
      while (performance.now() - states.cameAt >= TICK_MS) {
        const { earlier, later } = states;
        earlier.set(later);
        tumble(later.subarray(0, bodies * 3), later.subarray(bodies * 3), bodies);
        states.cameAt += TICK_MS;
      }
      blendNumbers(states, bodies, alphaAt(states), mesh.instanceMatrix.array as Float32Array);
      mesh.instanceMatrix.needsUpdate = true;
    },
    release() {},
    takeMessageMs: () => 0,
    stop: () => Promise.resolve(),
  };
}

function openPosted(name: WayName, bodies: number): Way {
  const mesh = createMesh(bodies);
  const states = createStates(bodies);
  let messageMs = 0;
  const worker = new Worker(new URL('./plain-worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = (event: MessageEvent<Float32Array>) => {
    const begin = performance.now();
    states.earlier = states.later;
    // A clone is made when it is asked for.
    states.later = event.data;
    states.cameAt = performance.now();
    messageMs += states.cameAt - begin;
  };
  const start: PlainStart = { bodies, transfers: name === 'transferred' };
  worker.postMessage(start);
  return {
    mesh,
    prepare() {
      const alpha = alphaAt(states);
      if (name === 'per-object') blendObjects(states, bodies, alpha, mesh);
      else blendNumbers(states, bodies, alpha, mesh.instanceMatrix.array as Float32Array);
      mesh.instanceMatrix.needsUpdate = true;
    },
    release() {},
    takeMessageMs() {
      const taken = messageMs;
      messageMs = 0;
      return taken;
    },
    stop() {
      worker.terminate();
      return Promise.resolve();
    },
  };
}
