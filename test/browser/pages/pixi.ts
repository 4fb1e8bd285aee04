/** Draws small scenes with pixi in both ways, at exactly known alphas, and tells what is lit. */
import { type RunningSimulation, startSimulation } from 'escapement';
import { BulkParticles, EscapementError, GpuSprites, type SpriteChannels } from 'escapement/pixi';
import { type Entity, type Frame, openView, type View } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import {
  autoDetectRenderer,
  Container,
  Particle,
  Sprite,
  Texture,
  type WebGLRenderer,
  WebGPURenderer,
} from 'pixi.js';
import type { Sprites } from './sprites.sim.ts';

type Types = TypesOf<Sprites>;

const WIDTH = 320;
const HEIGHT = 200;
const PIXELS_PER_UNIT = 100;
/** Upright, though the world's y goes upwards. */
const UNITS_PER_PIXEL = { x: 1 / PIXELS_PER_UNIT, y: -1 / PIXELS_PER_UNIT };

/** What a scene is drawn with. */
export type SpriteKind = 'disc' | 'flag';

/** The ways; `plain` is pixi's own sprites, one entity after another. */
export type PixiWay = 'bulk' | 'gpu' | 'plain';

/** One picture: where the frame stood, and the lit pixels as x + y * WIDTH, from below. */
export interface PixiPicture {
  readonly status: string;
  readonly pairTick: number;
  readonly alpha: number;
  readonly time: number;
  readonly lit: readonly number[];
  /** Calls that filled a buffer while pixi drew. */
  readonly uploads: number;
}

/** How far two pictures of one frame differ. */
export interface PixiDifference {
  readonly alpha: number;
  readonly pairTick: number;
  /** Pixels of which some component differs by more than 8 of 255. */
  readonly differing: number;
  /** Pixels of the wanted picture that are not black. */
  readonly drawn: number;
}

interface Way {
  readonly root: Container;
  update(frame: Frame<Types>): void;
  destroy(): void;
}

const POSITION: SpriteChannels<Types> = { position: 'position' };
const ALL: SpriteChannels<Types> = {
  position: 'position',
  rotation: 'heading',
  scale: 'size',
  colour: 'paint',
};

/** A disc of 12 pixels, or something that looks another way from every side. */
function makeTexture(kind: SpriteKind): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = kind === 'disc' ? 12 : 20;
  canvas.height = 12;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const paint = (colour: string, x: number, y: number, width: number, height: number): void => {
    context.fillStyle = colour;
    context.fillRect(x, y, width, height);
  };
  if (kind === 'flag') {
    paint('white', 0, 0, 20, 12);
    paint('red', 0, 0, 10, 6);
    paint('lime', 10, 6, 10, 6);
  } else {
    for (let pixel = 0; pixel < 144; pixel++) {
      const x = pixel % 12;
      const y = Math.floor(pixel / 12);
      if (Math.hypot(x - 5.5, y - 5.5) <= 6) paint('white', x, y, 1, 1);
    }
  }
  const texture = Texture.from(canvas);
  texture.source.scaleMode = 'nearest';
  return texture;
}

function makeRoot(): Container {
  const root = new Container();
  root.position.set(WIDTH / 2, HEIGHT / 2);
  root.scale.set(PIXELS_PER_UNIT, -PIXELS_PER_UNIT);
  return root;
}

/** A scene in a worker whose clock goes on only when told to, and one renderer. */
class Scene {
  readonly sim: RunningSimulation<Types>;
  readonly #renderer: WebGLRenderer;
  readonly #ways: Readonly<Record<PixiWay, Way>>;
  readonly #views: Readonly<Record<PixiWay, View<Types>>>;

  constructor(sim: RunningSimulation<Types>, renderer: WebGLRenderer, kind: SpriteKind) {
    this.sim = sim;
    this.#renderer = renderer;
    const texture = makeTexture(kind);
    const channels = kind === 'disc' ? POSITION : ALL;
    const open = (): View<Types> => openView(sim.share());
    this.#views = { bulk: open(), gpu: open(), plain: open() };
    this.#ways = {
      bulk: openBulk(this.#views.bulk, texture, channels),
      gpu: openGpu(this.#views.gpu, renderer, texture, channels),
      plain: openPlain(texture, channels),
    };
  }

  /** Lets world time go on by so many ticks, which need not be whole. */
  async advance(ticks: number): Promise<void> {
    await this.sim.clock.advance(ticks / 60);
  }

  shoot(name: PixiWay): PixiPicture {
    const way = this.#ways[name];
    const frame = this.#views[name].frame();
    const { status, pairTick, alpha, time } = frame;
    way.update(frame);
    // Before pixi draws: nothing of the region may be needed then.
    frame.release();
    const uploads = this.#countUploads(() => this.#renderer.render(way.root));
    const pixels = this.#read();
    const lit: number[] = [];
    for (let at = 0; at < WIDTH * HEIGHT; at++) if ((pixels[4 * at] as number) > 0) lit.push(at);
    return { status, pairTick, alpha, time, lit, uploads };
  }

  /** Compares a way with pixi's own sprites. */
  compare(name: PixiWay): PixiDifference {
    const { pairTick, alpha } = this.shoot('plain');
    const wanted = this.#read();
    this.shoot(name);
    const pixels = this.#read();
    let differing = 0;
    let drawn = 0;
    for (let i = 0; i < wanted.length; i += 4) {
      const apart = (c: number): number =>
        Math.abs((wanted[i + c] as number) - (pixels[i + c] as number));
      if (Math.max(apart(0), apart(1), apart(2)) > 8) differing++;
      if ((wanted[i] as number) + (wanted[i + 1] as number) + (wanted[i + 2] as number) > 0)
        drawn++;
    }
    return { pairTick, alpha, differing, drawn };
  }

  /** Loses the context and waits until pixi has it back. */
  async loseContext(): Promise<void> {
    const { canvas, context } = this.#renderer;
    const restored = new Promise((resolve) =>
      canvas.addEventListener?.('webglcontextrestored', resolve, { once: true }),
    );
    context.forceContextLoss();
    await restored;
  }

  async close(): Promise<void> {
    for (const way of Object.values(this.#ways)) way.destroy();
    for (const view of Object.values(this.#views)) view.close();
    const fault = this.#renderer.gl.getError();
    this.#renderer.destroy();
    await this.sim.stop();
    if (fault !== 0) throw new Error(`GL ${fault}`);
  }

  #countUploads(work: () => void): number {
    const { gl } = this.#renderer;
    let count = 0;
    for (const name of ['bufferData', 'bufferSubData'] as const) {
      const fill = gl[name].bind(gl) as (...args: readonly unknown[]) => void;
      Object.assign(gl, {
        [name]: (...args: readonly unknown[]) => {
          count++;
          fill(...args);
        },
      });
    }
    work();
    Reflect.deleteProperty(gl, 'bufferData');
    Reflect.deleteProperty(gl, 'bufferSubData');
    return count;
  }

  #read(): Uint8Array {
    const { gl } = this.#renderer;
    const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
    gl.readPixels(0, 0, WIDTH, HEIGHT, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const fault = gl.getError();
    if (fault !== gl.NO_ERROR) throw new Error(`GL ${fault}`);
    return pixels;
  }
}

const ANCHOR = { x: 0.25, y: 0.5 };
const MIDDLE = { x: 0.5, y: 0.5 };

function anchorOf(channels: SpriteChannels<Types>): { readonly x: number; readonly y: number } {
  return channels === ALL ? ANCHOR : MIDDLE;
}

function openBulk(view: View<Types>, texture: Texture, channels: SpriteChannels<Types>): Way {
  const { x: anchorX, y: anchorY } = anchorOf(channels);
  const bulk = new BulkParticles(view, {
    ...channels,
    unitsPerPixel: UNITS_PER_PIXEL,
    create: () => new Particle({ texture, anchorX, anchorY }),
  });
  const root = makeRoot();
  root.addChild(bulk.container);
  return { root, update: (frame) => bulk.update(frame), destroy: () => bulk.destroy() };
}

function openGpu(
  view: View<Types>,
  renderer: WebGLRenderer,
  texture: Texture,
  channels: SpriteChannels<Types>,
): Way {
  const anchor = anchorOf(channels);
  const unitsPerPixel = UNITS_PER_PIXEL;
  const gpu = new GpuSprites(view, renderer, { ...channels, texture, anchor, unitsPerPixel });
  const root = makeRoot();
  root.addChild(gpu.mesh);
  return { root, update: (frame) => gpu.update(frame), destroy: () => gpu.destroy() };
}

/** Makes a sprite of pixi for every entity and frame. */
function openPlain(texture: Texture, channels: SpriteChannels<Types>): Way {
  const root = makeRoot();
  const out = [0, 0, 0, 0];
  const read = (frame: Frame<Types>, entity: number, channel: keyof Types['components']) => {
    const status = frame.sample(entity as Entity, channel, out);
    return status === 'ok' || status === 'snapped';
  };
  const encode = (light: number): number =>
    light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  const show = (frame: Frame<Types>, entity: number): void => {
    if (!read(frame, entity, 'position')) return;
    const sprite = new Sprite({ texture, anchor: anchorOf(channels) });
    sprite.position.set(out[0], out[1]);
    sprite.scale.set(UNITS_PER_PIXEL.x, UNITS_PER_PIXEL.y);
    if (channels === ALL) {
      if (!read(frame, entity, 'size')) return;
      sprite.scale.set(UNITS_PER_PIXEL.x * (out[0] ?? 0), UNITS_PER_PIXEL.y * (out[1] ?? 0));
      read(frame, entity, 'heading');
      sprite.angle = out[0] ?? 0;
      read(frame, entity, 'paint');
      sprite.tint = out.slice(0, 3).map(encode) as [number, number, number];
      sprite.alpha = out[3] ?? 0;
    }
    root.addChild(sprite);
  };
  return {
    root,
    update(frame) {
      for (const sprite of root.removeChildren()) sprite.destroy();
      // Who has a lower slot is drawn first, as rows are ordered.
      for (const entity of frame.entities) show(frame, entity);
    },
    destroy: () => root.destroy({ children: true }),
  };
}

/** Starts a scene whose script is given by its address; all of them publish a position. */
async function open(
  script: string,
  kind: SpriteKind,
  params: Readonly<Record<string, number>>,
): Promise<Scene> {
  const makeWorker = (): Worker => new Worker(script, { type: 'module' });
  const options = { drivenBy: 'host', maxTicksPerAdvance: 1000, params } as const;
  const sim = await startSimulation<Sprites>(makeWorker, options);
  const renderer = await autoDetectRenderer({
    preference: 'webgl',
    width: WIDTH,
    height: HEIGHT,
    antialias: false,
    background: 'black',
  });
  return new Scene(sim, renderer as WebGLRenderer, kind);
}

/** What sprites say that shall be drawn with WebGPU. */
async function refuse(script: string): Promise<{ readonly code: string; readonly text: string }> {
  const makeWorker = (): Worker => new Worker(script, { type: 'module' });
  const sim = await startSimulation<Sprites>(makeWorker, { drivenBy: 'host' });
  const view = openView(sim.share());
  try {
    const gpu = new GpuSprites(view, new WebGPURenderer(), { ...ALL, texture: Texture.WHITE });
    gpu.destroy();
    return { code: 'none', text: '' };
  } catch (cause) {
    if (!(cause instanceof EscapementError)) throw cause;
    return { code: cause.code, text: cause.message };
  } finally {
    view.close();
    await sim.stop();
  }
}

/** The page's side of the test. */
export const pixiPage = { open, refuse };
export type PixiPage = typeof pixiPage;
export type PixiScene = Scene;

Object.assign(globalThis, { pixiPage });
document.title = 'ready';
