/** Takes films of bouncing bodies, drawn by WebGL 2, in a page. */
import {
  type CaptureManifest,
  captureFrames,
  type CapturedShot,
  createManifest,
  readPixels,
  startSimulation,
} from 'escapement';
import { openView } from 'escapement/render';
import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Output,
  type VideoCodec,
  WebMOutputFormat,
} from 'mediabunny';
import type { Bounce } from '../../../scenes/bounce.sim.ts';
import { PlainDiscs } from './plain-discs.ts';

const WIDTH = 160;
const HEIGHT = 100;
const RADIUS = 0.05;
const POPULATION = 12;
const FPS = { numerator: 24_000, denominator: 1001 };
/** 50 pixels a unit, the origin in the middle. */
const WORLD_TO_CLIP = [1 / 1.6, 1, 0, 0] as const;
const CODECS: VideoCodec[] = ['vp9', 'vp8'];

/** A film, as the test looks at it; files as bytes in base 64. */
export interface PageFilm {
  readonly manifest: CaptureManifest;
  readonly pngs: readonly string[];
  /** WebM, and its codec; empty where this browser encodes none. */
  readonly video: string;
  readonly codec: VideoCodec | null;
}

/** The video that a canvas's frames go into. */
interface Video {
  readonly codec: VideoCodec | null;
  add(time: number, duration: number): Promise<void>;
  finish(): Promise<string>;
}

async function openVideo(canvas: OffscreenCanvas): Promise<Video> {
  const codec = await getFirstEncodableVideoCodec(CODECS, { width: WIDTH, height: HEIGHT });
  if (codec === null) {
    return { codec, add: () => Promise.resolve(), finish: () => Promise.resolve('') };
  }
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new CanvasSource(canvas, { codec, bitrate: 1e6 });
  output.addVideoTrack(source);
  await output.start();
  return {
    codec,
    add: (time, duration) => source.add(time, duration),
    finish: async () => {
      await output.finalize();
      return toBase64(new Uint8Array(target.buffer as ArrayBuffer));
    },
  };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Films from the beginning on; each frame comes late by a random time. */
async function film(frames: number, delayMsMax: number): Promise<PageFilm> {
  const simulation = await startSimulation<Bounce>(
    () => new Worker('/build/scenes/bounce.sim.js', { type: 'module' }),
    { drivenBy: 'host', params: { population: POPULATION } },
  );
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false });
  if (gl === null) throw new Error('there is no WebGL 2');
  const discs = new PlainDiscs(gl);
  const video = await openVideo(canvas);
  const pngs: string[] = [];
  const shots: CapturedShot[] = [];
  const view = openView(simulation.share());
  const capture = captureFrames(simulation, {
    fps: FPS,
    frames,
    view,
    async draw(frame, { index, time, duration }) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * delayMsMax));
      gl.clearColor(0.1, index / 40, 0.3, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      discs.draw([...frame.blend('position')], WORLD_TO_CLIP, RADIUS);
      // All of these look at the canvas before the task is over, and it is cleared.
      const pixels = readPixels(gl);
      const stored = [canvas.convertToBlob({ type: 'image/png' }), video.add(time, duration)];
      const [png] = await Promise.all(stored);
      pngs.push(toBase64(new Uint8Array(await (png as Blob).arrayBuffer())));
      return pixels;
    },
  });
  for await (const shot of capture) shots.push(shot);
  view.close();
  await simulation.stop();
  const manifest = createManifest(
    {
      simulation: 'bounce',
      quantum: { numerator: 1, denominator: 60 },
      fps: FPS,
      fromTick: 0,
      width: WIDTH,
      height: HEIGHT,
    },
    shots,
  );
  return { manifest, pngs, video: await video.finish(), codec: video.codec };
}

const filming = { film };

/** What the page puts on its global object. */
export type Filming = typeof filming;

Object.assign(globalThis, { filming });
document.title = 'ready';
