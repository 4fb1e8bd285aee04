/** Draws small scenes on every blend path, at exactly known alphas, and tells what is lit. */
import { type RunningSimulation, startSimulation } from 'escapement';
import { type Frame, openView, type View, type ViewOptions } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import {
  type BlendedColumns,
  type BlendedShapes,
  createBlendedColumns,
  createBlendedShapes,
} from 'escapement/webgl';
import { PATH_NAMES, type PathName } from './path-names.ts';
import { PlainDiscs } from './plain-discs.ts';
import type { Teleporter } from './teleporter.sim.ts';

type Types = TypesOf<Teleporter>;

/** What a path draws: the places of all discs, or nothing, because it draws by itself. */
type Draw = (frame: Frame<Types>, gpu: Gpu) => number[] | undefined;

interface Path {
  readonly options: ViewOptions;
  readonly draw: Draw;
}

interface Gpu {
  readonly columns: BlendedColumns<Types>;
  readonly shapes: BlendedShapes;
}

const PATHS: Readonly<Record<PathName, Path>> = {
  'per entity': { options: {}, draw: samplePlaces },
  'bulk JavaScript': { options: { kernels: 'off' }, draw: blendPlaces },
  'bulk SIMD': { options: { kernels: 'auto' }, draw: blendPlaces },
  GPU: { options: {}, draw: drawOnGpu },
};

/** One picture: where the frame stood, and the lit pixels as x + y * WIDTH, from below. */
export interface Picture {
  readonly status: string;
  readonly tick: number;
  readonly pairTick: number;
  readonly alpha: number;
  readonly time: number;
  readonly lit: readonly number[];
  /** x, y of each disc, where the path says so. */
  readonly places: readonly number[] | undefined;
  readonly uploads: number;
}

const WIDTH = 320;
const HEIGHT = 200;
const RADIUS = 0.06;
/** 100 pixels a unit, the origin in the middle. */
const WORLD_TO_CLIP = [1 / 1.6, 1, 0, 0] as const;

function samplePlaces(frame: Frame<Types>): number[] {
  const places: number[] = [];
  const out = [0, 0];
  for (const entity of frame.entities) {
    const status = frame.sample(entity as Parameters<typeof frame.sample>[0], 'position', out);
    if (status === 'ok' || status === 'snapped') places.push(...out);
  }
  return places;
}

function blendPlaces(frame: Frame<Types>): number[] {
  const rows = frame.blend('position');
  const places: number[] = [];
  for (let row = 0; row < rows.length; row += 2) {
    // Who lacks the component has a row of NaN.
    if (rows[row] === rows[row]) places.push(rows[row] as number, rows[row + 1] as number);
  }
  return places;
}

function drawOnGpu(frame: Frame<Types>, { columns, shapes }: Gpu): undefined {
  columns.update(frame);
  // After the release: nothing of the region may be needed to draw.
  frame.release();
  shapes.draw({ worldToClip: WORLD_TO_CLIP, radius: RADIUS, colour: [1, 1, 1, 1] });
}

/** A scene in a worker whose clock goes on only when told to, and one canvas. */
class Scene {
  readonly #sim: RunningSimulation<Types>;
  readonly #gl: WebGL2RenderingContext;
  readonly #views: ReadonlyMap<PathName, View<Types>>;
  readonly #gpu: Gpu;
  readonly #discs: PlainDiscs;
  readonly #losing: WEBGL_lose_context | null;

  constructor(sim: RunningSimulation<Types>) {
    this.#sim = sim;
    const canvas = document.createElement('canvas');
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false });
    if (gl === null) throw new Error('no WebGL 2');
    this.#gl = gl;
    this.#losing = gl.getExtension('WEBGL_lose_context');
    const open = (path: PathName): View<Types> => openView(sim.share(), PATHS[path].options);
    this.#views = new Map(PATH_NAMES.map((path) => [path, open(path)]));
    const columns = createBlendedColumns(gl, this.#viewOf('GPU'), { channels: ['position'] });
    const shapes = createBlendedShapes(gl, columns, { shape: 'disc', position: 'position' });
    this.#gpu = { columns, shapes };
    this.#discs = new PlainDiscs(gl);
  }

  /** Lets world time go on by so many ticks, which need not be whole. */
  async advance(ticks: number): Promise<void> {
    await this.#sim.clock.advance(ticks / 60);
  }

  async seekTick(tick: number): Promise<void> {
    await this.#sim.clock.seekTick(tick);
  }

  async restart(): Promise<void> {
    await this.#sim.restart();
  }

  shoot(path: PathName): Picture {
    const gl = this.#gl;
    gl.viewport(0, 0, WIDTH, HEIGHT);
    gl.clearColor(0, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const frame = this.#viewOf(path).frame();
    const { status, tick, pairTick, alpha, time } = frame;
    const { kernels } = PATHS[path].options;
    const isSimd = this.#viewOf(path).stats().path === 'simd';
    if (kernels !== undefined && isSimd !== (kernels === 'auto')) {
      throw new Error(`the path "${path}" blends another way`);
    }
    const places = PATHS[path].draw(frame, this.#gpu);
    frame.release();
    if (places !== undefined) this.#discs.draw(places, WORLD_TO_CLIP, RADIUS);
    const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
    gl.readPixels(0, 0, WIDTH, HEIGHT, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const lit: number[] = [];
    for (let at = 0; at < WIDTH * HEIGHT; at++) if ((pixels[4 * at] as number) > 0) lit.push(at);
    const fault = gl.getError();
    if (fault !== gl.NO_ERROR && fault !== gl.CONTEXT_LOST_WEBGL) throw new Error(`GL ${fault}`);
    const uploads = this.#gpu.columns.uploadCount;
    return { status, tick, pairTick, alpha, time, lit, places, uploads };
  }

  /** Whether uploads read shared memory itself. */
  get uploadsInPlace(): boolean | undefined {
    return this.#gpu.columns.uploadsInPlace;
  }

  /** Takes the context away, draws nothing into it, and gets it back. */
  async loseContext(): Promise<Picture> {
    const { canvas } = this.#gl;
    const heard = (name: string): Promise<unknown> =>
      new Promise((resolve) => canvas.addEventListener(name, resolve, { once: true }));
    const lost = heard('webglcontextlost');
    this.#losing?.loseContext();
    await lost;
    // The browser allows what comes next once all listeners have been heard.
    await new Promise(requestAnimationFrame);
    const picture = this.shoot('GPU');
    const restored = heard('webglcontextrestored');
    this.#losing?.restoreContext();
    await restored;
    this.#gpu.columns.restore();
    this.#gpu.shapes.restore();
    return picture;
  }

  async close(): Promise<void> {
    this.#gpu.shapes.dispose();
    this.#gpu.columns.dispose();
    for (const view of this.#views.values()) view.close();
    await this.#sim.stop();
  }

  #viewOf(path: PathName): View<Types> {
    const view = this.#views.get(path);
    if (view === undefined) throw new Error(`no path ${path}`);
    return view;
  }
}

/** Starts a scene whose script is given by its address; both scenes publish a position. */
async function open(script: string, params: Readonly<Record<string, number>>): Promise<Scene> {
  const makeWorker = (): Worker => new Worker(script, { type: 'module' });
  const maxViews = PATH_NAMES.length;
  const options = { drivenBy: 'host', maxTicksPerAdvance: 1000, maxViews, params } as const;
  const sim = await startSimulation<Teleporter>(makeWorker, options);
  return new Scene(sim);
}

/** The page's side of the test. */
export const pictures = { open };
export type Pictures = typeof pictures;
export type PictureScene = Scene;

Object.assign(globalThis, { pictures });
document.title = 'ready';
