import {
  Geometry,
  GlProgram,
  Mesh,
  type PointData,
  type Renderer,
  RendererType,
  Shader,
  type Texture,
  type VertexFormat,
} from 'pixi.js';
import { EscapementError } from '../../shared/error.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName, Frame, FramePair } from '../frame.ts';
import { TickUploads, UPLOAD_BUFFERS } from '../tick-uploads.ts';
import type { View } from '../view.ts';
import { ALPHA, EARLIER_WORD, LATER_WORD, type ShaderChannel } from '../webgl/channel-glsl.ts';
import {
  channelsOf,
  resolveSprite,
  resolveUnits,
  type SpriteChannels,
  type SpriteSize,
} from './sprite-layout.ts';
import { SpriteQuad } from './sprite-quad.ts';
import { CORNER, CORNER_UV, FRAGMENT_SHADER, writeVertexShader } from './sprite-shader.ts';
import { TickBuffers } from './tick-buffers.ts';

/*
 * Threads    the one that draws.
 * Memory     reads pinned columns and rosters; owns copies of up to three ticks, and GPU buffers.
 * Ordering   plain reads under the frame's pin, all of them before `update` returns.
 * Progress   a frame without a new tick sets one number; allocates when made, with a run of another
 *            capacity, and when two buffers are shown together for the first time.
 * Invariant  a slot that is not shown is outside of the picture; one that snaps shows the later
 *            tick at every alpha.
 */

/** Options of {@link GpuSprites}. */
export interface GpuSpritesOptions<T extends SimulationTypes = SimulationTypes>
  extends SpriteChannels<T>,
    SpriteSize {
  /** The picture of every sprite. */
  readonly texture: Texture;
  /**
   * Which point of it is at the position: 0 to 1 along its width and height. The middle,
   * (0.5, 0.5), by default.
   */
  readonly anchor?: Readonly<PointData>;
}

/** A channel and its buffers. */
interface ChannelBuffers {
  readonly channel: ShaderChannel;
  readonly ticks: TickBuffers;
}

const FORMATS: readonly VertexFormat[] = ['float32', 'float32x2', 'float32x3', 'float32x4'];
const MIDDLE: Readonly<PointData> = { x: 0.5, y: 0.5 };
/** How many pairs of two buffers there are. */
const PAIRS = UPLOAD_BUFFERS * UPLOAD_BUFFERS;

/**
 * Sprites of one texture that the GPU blends: one for every entity that has all of the channels and
 * is not hidden, in one draw. Both ticks of a frame lie in GPU buffers, filled once a tick; per
 * frame there is one number to set. For pixi's WebGL renderer.
 */
export class GpuSprites<T extends SimulationTypes = SimulationTypes> {
  /** Put this into the scene. To pixi it has no size: set its `boundsArea` if something asks. */
  readonly mesh: Mesh<Geometry, Shader>;
  readonly #channels: readonly ShaderChannel[];
  readonly #names: readonly ChannelName<T>[];
  readonly #uploads: TickUploads = new TickUploads();
  readonly #quad: SpriteQuad;
  readonly #uniforms: Record<typeof ALPHA, number>;
  #columns: readonly ChannelBuffers[] = [];
  #words: TickBuffers;
  /** The words of a channel other than the first one. */
  #others: Uint32Array = new Uint32Array(0);
  /** What is drawn, by which buffers it is drawn from; made when it is needed. */
  #geometries: (Geometry | undefined)[] = [];
  #capacity = 0;
  #isDestroyed = false;

  /**
   * Throws NAME_UNKNOWN and VALUE_INVALID for channels that do not fit, and OPTION_INVALID for a
   * renderer that is not WebGL 2.
   */
  constructor(view: View<T>, renderer: Renderer, options: GpuSpritesOptions<T>) {
    checkRenderer(renderer);
    const { texture, anchor = MIDDLE } = options;
    const layout = resolveSprite(view, options);
    this.#channels = channelsOf(layout);
    this.#names = this.#channels.map(({ name }) => name as ChannelName<T>);
    this.#quad = new SpriteQuad(texture, anchor, resolveUnits(options));
    const shader = makeShader(writeVertexShader(layout), texture);
    this.#uniforms = shader.resources['blend'].uniforms;
    this.#words = this.#makeBuffers(1);
    this.mesh = new Mesh({ geometry: this.#geometryOf(0, 0, 0, 0), shader, texture });
    // Where its sprites are is known to the GPU alone, so that nothing can be hit.
    this.mesh.eventMode = 'none';
    this.mesh.label = 'GpuSprites';
  }

  /**
   * Takes over an open frame, which may be released before pixi draws: copies what is new of its
   * two ticks, and sets alpha. A frame that is busy changes nothing, one that is not ready shows
   * nothing.
   */
  update(frame: Frame<T>): void {
    this.#checkUsable();
    const { pair, status } = frame;
    if (status === 'busy') return;
    if (status === 'not-ready') {
      this.mesh.geometry.instanceCount = 0;
      return;
    }
    const retired = pair.laterStamps.length === this.#capacity ? undefined : this.#rebuild(pair);
    const uploads = this.#uploads;
    uploads.place(pair);
    this.#fillColumns(pair);
    this.#fillWords(pair);
    const { columns, words } = uploads;
    const geometry = this.#geometryOf(columns.earlier, columns.later, words.earlier, words.later);
    geometry.instanceCount = uploads.slotCount;
    this.#uniforms[ALPHA] = frame.alpha;
    this.mesh.geometry = geometry;
    retired?.();
  }

  /** Takes the mesh out of the scene and frees what it has. The texture is left alone. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    const { shader } = this.mesh;
    this.mesh.destroy();
    this.#retire()();
    this.#quad.destroy();
    shader?.destroy();
  }

  #checkUsable(): void {
    if (!this.#isDestroyed) return;
    throw new EscapementError('STATE_INVALID', 'These sprites were destroyed.');
  }

  #fillColumns(pair: FramePair<T>): void {
    const { earlier, later, earlierRows, laterRows } = this.#uploads.columns;
    if (earlierRows === 0 && laterRows === 0) return;
    for (let c = 0; c < this.#columns.length; c++) {
      const { channel, ticks } = this.#columns[c] as ChannelBuffers;
      const name = this.#names[c] as ChannelName<T>;
      const { width } = channel.spec;
      if (earlierRows > 0) ticks.fill(earlier, pair.earlier(name), earlierRows * width);
      if (laterRows > 0) ticks.fill(later, pair.later(name), laterRows * width);
    }
  }

  #fillWords(pair: FramePair<T>): void {
    const { earlier, later, earlierRows, laterRows } = this.#uploads.words;
    if (earlierRows > 0) this.#writeWords(pair, true, earlier, earlierRows);
    if (laterRows > 0) this.#writeWords(pair, false, later, laterRows);
  }

  /** Writes the words of one side: 0 for whoever lacks one of the channels. */
  #writeWords(pair: FramePair<T>, isEarlier: boolean, buffer: number, rows: number): void {
    const words = this.#words.arrays[buffer] as Uint32Array;
    for (let c = 0; c < this.#names.length; c++) {
      const name = this.#names[c] as ChannelName<T>;
      const out = c === 0 ? words : this.#others;
      const count = isEarlier ? pair.earlierWords(name, out) : pair.laterWords(name, out);
      if (c === 0) words.fill(0, count, rows);
      else for (let slot = 0; slot < count; slot++) if (out[slot] === 0) words[slot] = 0;
    }
    this.#words.touch(buffer, rows);
  }

  /** Makes the buffers anew. Returns what frees the old ones, once they are no longer shown. */
  #rebuild(pair: FramePair<T>): () => void {
    const retire = this.#retire();
    this.#geometries = [];
    this.#uploads.reset();
    this.#words = this.#makeBuffers(pair.laterStamps.length);
    return retire;
  }

  #makeBuffers(capacity: number): TickBuffers {
    this.#capacity = capacity;
    this.#others = new Uint32Array(capacity);
    this.#columns = this.#channels.map((channel) => ({
      channel,
      ticks: new TickBuffers(channel.name, () => new Float32Array(capacity * channel.spec.width)),
    }));
    return new TickBuffers('words', () => new Uint32Array(capacity));
  }

  #retire(): () => void {
    const geometries = this.#geometries;
    const buffers = [...this.#columns.map(({ ticks }) => ticks), this.#words];
    return () => {
      for (const geometry of geometries) geometry?.destroy();
      for (const ticks of buffers) ticks.destroy();
    };
  }

  /** Finds the geometry of four buffers: to pixi, what a geometry is made of never changes. */
  #geometryOf(earlier: number, later: number, earlierWords: number, laterWords: number): Geometry {
    const columns = earlier * UPLOAD_BUFFERS + later;
    const key = columns * PAIRS + earlierWords * UPLOAD_BUFFERS + laterWords;
    const known = this.#geometries[key];
    if (known !== undefined) return known;
    const { corners, places, indices } = this.#quad;
    const geometry = new Geometry({
      attributes: {
        [CORNER]: { buffer: corners, format: 'float32x2' },
        [CORNER_UV]: { buffer: places, format: 'float32x2' },
      },
      indexBuffer: indices,
      instanceCount: 0,
    });
    addTick(geometry, EARLIER_WORD, this.#words, earlierWords, 'uint32');
    addTick(geometry, LATER_WORD, this.#words, laterWords, 'uint32');
    for (const { channel, ticks } of this.#columns) {
      const format = FORMATS[channel.spec.width - 1] as VertexFormat;
      addTick(geometry, channel.earlier, ticks, earlier, format);
      addTick(geometry, channel.later, ticks, later, format);
    }
    this.#geometries[key] = geometry;
    return geometry;
  }
}

function addTick(
  geometry: Geometry,
  name: string,
  ticks: TickBuffers,
  buffer: number,
  format: VertexFormat,
): void {
  // Without a stride pixi takes two attributes of one buffer for parts of the same rows.
  const stride = 4 * (FORMATS.indexOf(format) + 1 || 1);
  const source = ticks.buffers[buffer];
  if (source === undefined) return;
  geometry.addAttribute(name, { buffer: source, format, stride, offset: 0, instance: true });
}

function makeShader(vertex: string, texture: Texture): Shader {
  return new Shader({
    glProgram: GlProgram.from({ vertex, fragment: FRAGMENT_SHADER, name: 'escapement-sprites' }),
    resources: {
      uTexture: texture.source,
      blend: { [ALPHA]: { value: 0, type: 'f32' } },
    },
  });
}

function checkRenderer(renderer: Renderer): void {
  const isWebGl = renderer.type === RendererType.WEBGL;
  if (isWebGl && 'context' in renderer && renderer.context.webGLVersion === 2) return;
  throw new EscapementError('OPTION_INVALID', 'GpuSprites blend in a shader for WebGL 2.', {
    given: `the renderer "${renderer.name}"`,
    allowed: 'a WebGLRenderer of WebGL 2',
    fix: "Pass `preference: 'webgl'` to app.init(), or take BulkParticles, which all can draw.",
  });
}
