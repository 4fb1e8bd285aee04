import { EscapementError } from '../../shared/error.ts';
import type { ComponentSpec } from '../../shared/schema.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName, Frame, FramePair } from '../frame.ts';
import { TickUploads } from '../tick-uploads.ts';
import type { View } from '../view.ts';
import {
  ALPHA,
  describeChannel,
  EARLIER_WORD,
  LATER_WORD,
  type ShaderChannel,
  writeColumnsGlsl,
} from './channel-glsl.ts';
import { glScalar, PairBuffers, Uploader } from './pair-buffers.ts';

/*
 * Threads    the one that owns the context and the view.
 * Memory     reads pinned columns and rosters, uploads them; keeps nothing of them after an update.
 * Ordering   plain reads under the frame's pin.
 * Progress   allocates when made, when the population outgrows the buffers, and for a new program.
 * Invariant  after an update the buffers hold both ticks of its frame: a released frame is drawn.
 */

/** Options of {@link createBlendedColumns}. */
export interface BlendedColumnsOptions<T extends SimulationTypes = SimulationTypes> {
  /** What the shader reads: 1 to 4 numbers each, of any type but f64. At least one. */
  readonly channels: readonly ChannelName<T>[];
  /** An entity without this one's component is not shown; the first of `channels` by default. */
  readonly shownBy?: ChannelName<T>;
}

/**
 * Columns of two ticks on the GPU, where a vertex shader blends them. A tick is uploaded once, in
 * one call a channel; a frame without a new tick uploads nothing. Made by
 * {@link createBlendedColumns}.
 */
export interface BlendedColumns<T extends SimulationTypes = SimulationTypes> {
  /**
   * What a vertex shader needs, to be put behind its `#version 300 es`: the attributes, the uniform
   * and the functions of `BLEND_GLSL`; `isShown()`, which is false for an instance that must draw
   * nothing (set `gl_Position = NOWHERE`); and for each channel a function without arguments that
   * returns its blended value, as `blendedPosition()` for `position`. A `fixed` channel comes in
   * units, a `step` channel of integers as integers.
   */
  readonly glsl: string;
  /** How many instances to draw: one a slot, with those that show nothing. */
  readonly slotCount: number;
  /** Where the last frame stood between its two ticks, in [0, 1]. */
  readonly alpha: number;
  /** Calls that uploaded a column or words, so far. */
  readonly uploadCount: number;
  /** Whether uploads read shared memory itself, without a copy; undefined before the first. */
  readonly uploadsInPlace: boolean | undefined;
  /** Returns how one of the channels is stored. Throws NAME_UNKNOWN for another one. */
  channel(name: ChannelName<T>): ComponentSpec;
  /**
   * Takes in a frame before it is released: uploads what is new. A frame that is `busy` changes
   * nothing, one that is `not-ready` shows nothing. Leaves ARRAY_BUFFER bound to something else.
   */
  update(frame: Frame<T>): void;
  /**
   * Uses a program whose vertex shader has `glsl`, sets its uniform, and points its attributes at
   * the last frame in the vertex array that is bound: one entity an instance, or, with a `divisor`
   * of 0, one entity a vertex, for points. To be called before each draw: buffers take turns.
   * Throws VALUE_INVALID for a program that reads none of it.
   */
  bind(program: WebGLProgram, divisor?: 0 | 1): void;
  /** Makes the buffers anew after `webglcontextrestored`; the next frame fills them. */
  restore(): void;
  /** Gives the buffers back. Doing so twice does nothing. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * Makes the buffers through which a WebGL 2 program blends channels of a view's simulation. Throws
 * OPTION_INVALID for channels that cannot be attributes, or too many, and NAME_UNKNOWN.
 */
export function createBlendedColumns<T extends SimulationTypes>(
  gl: WebGL2RenderingContext,
  view: View<T>,
  options: BlendedColumnsOptions<T>,
): BlendedColumns<T> {
  const { channels } = options;
  const shownBy = options.shownBy ?? channels[0];
  const attributes = gl.getParameter(gl.MAX_VERTEX_ATTRIBS) as number;
  const most = Math.floor((attributes - 2) / 2);
  const isRepeated = new Set(channels).size !== channels.length;
  if (shownBy === undefined || isRepeated || (channels.length > most && attributes > 0)) {
    throw new EscapementError('OPTION_INVALID', 'These `channels` are not possible.', {
      given: channels.join(', ') || 'none',
      allowed: `1 to ${most} different names`,
    });
  }
  view.channel(shownBy);
  return new PairColumns<T>(
    gl,
    channels.map((name) => describeChannel(name, view.channel(name))),
    shownBy,
  );
}

/** Where a program wants one column: its two attributes, -1 for one it does not read. */
interface Place {
  readonly earlier: number;
  readonly later: number;
}

/** Where a program wants everything. */
interface Places {
  readonly alpha: WebGLUniformLocation | null;
  readonly words: Place;
  readonly channels: readonly Place[];
}

const ROWS_MIN = 64;

class PairColumns<T extends SimulationTypes> implements BlendedColumns<T> {
  readonly glsl: string;
  slotCount = 0;
  alpha = 0;
  readonly #gl: WebGL2RenderingContext;
  readonly #channels: readonly ShaderChannel[];
  readonly #types: readonly number[];
  readonly #shownBy: ChannelName<T>;
  readonly #uploader: Uploader;
  readonly #columns: readonly PairBuffers[];
  readonly #words: PairBuffers;
  readonly #uploads: TickUploads = new TickUploads();
  #places: WeakMap<WebGLProgram, Places> = new WeakMap();
  #wordRoom: Uint32Array = new Uint32Array(0);
  #rows = 0;
  #isDisposed = false;

  constructor(
    gl: WebGL2RenderingContext,
    channels: readonly ShaderChannel[],
    shownBy: ChannelName<T>,
  ) {
    this.#gl = gl;
    this.#channels = channels;
    this.#types = channels.map(({ spec }) => glScalar(gl, spec.scalar));
    this.#shownBy = shownBy;
    this.glsl = writeColumnsGlsl(channels);
    const uploader = new Uploader(gl);
    this.#uploader = uploader;
    this.#columns = channels.map(({ spec }) => new PairBuffers(uploader, spec.scalar, spec.width));
    this.#words = new PairBuffers(uploader, 'u32', 1);
    this.#allocate(ROWS_MIN);
  }

  get uploadCount(): number {
    return this.#uploader.count;
  }

  get uploadsInPlace(): boolean | undefined {
    return this.#uploader.inPlace;
  }

  channel(name: ChannelName<T>): ComponentSpec {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found.spec;
    throw new EscapementError('NAME_UNKNOWN', 'These columns have no such channel.', {
      given: JSON.stringify(name),
      allowed: this.#channels.map((channel) => channel.name).join(', '),
      fix: 'List it in `channels` of createBlendedColumns.',
    });
  }

  update(frame: Frame<T>): void {
    this.#checkUsable();
    const { pair, status } = frame;
    if (status === 'not-ready') this.slotCount = 0;
    if (status === 'not-ready' || status === 'busy' || this.#gl.isContextLost()) return;
    const rows = Math.max(pair.slotCount, pair.earlierSlotCount);
    if (rows > this.#rows) this.#allocate(rows);
    this.#uploads.place(pair);
    this.#uploadColumns(pair);
    this.#uploadWords(pair);
    this.slotCount = pair.slotCount;
    this.alpha = frame.alpha;
  }

  bind(program: WebGLProgram, divisor: 0 | 1 = 1): void {
    this.#checkUsable();
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const places = this.#placesOf(program);
    const { columns, words } = this.#uploads;
    gl.useProgram(program);
    gl.uniform1f(places.alpha, this.alpha);
    this.#point(this.#words, words.earlier, places.words.earlier, gl.UNSIGNED_INT, true, divisor);
    this.#point(this.#words, words.later, places.words.later, gl.UNSIGNED_INT, true, divisor);
    for (let k = 0; k < this.#channels.length; k++) {
      const { isInteger } = this.#channels[k] as ShaderChannel;
      const type = this.#types[k] as number;
      const place = places.channels[k] as Place;
      const buffers = this.#columns[k] as PairBuffers;
      this.#point(buffers, columns.earlier, place.earlier, type, isInteger, divisor);
      this.#point(buffers, columns.later, place.later, type, isInteger, divisor);
    }
  }

  restore(): void {
    this.#checkUsable();
    this.#places = new WeakMap();
    this.#allocate(this.#rows);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.slotCount = 0;
    for (const buffers of this.#columns) buffers.free();
    this.#words.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #uploadColumns(pair: FramePair<T>): void {
    const { earlier, later, earlierRows, laterRows } = this.#uploads.columns;
    if (earlierRows === 0 && laterRows === 0) return;
    for (let k = 0; k < this.#channels.length; k++) {
      const { name } = this.#channels[k] as ShaderChannel;
      const buffers = this.#columns[k] as PairBuffers;
      if (earlierRows > 0) {
        buffers.upload(earlier, pair.earlier(name as ChannelName<T>), earlierRows);
      }
      if (laterRows > 0) buffers.upload(later, pair.later(name as ChannelName<T>), laterRows);
    }
  }

  #uploadWords(pair: FramePair<T>): void {
    const { earlier, later, earlierRows, laterRows } = this.#uploads.words;
    const room = this.#wordRoom;
    if (earlierRows > 0) {
      room.fill(0, pair.earlierWords(this.#shownBy, room), earlierRows);
      this.#words.upload(earlier, room, earlierRows);
    }
    if (laterRows > 0) {
      room.fill(0, pair.laterWords(this.#shownBy, room), laterRows);
      this.#words.upload(later, room, laterRows);
    }
  }

  /** A draw reads as many rows of each buffer as there are instances: all have the same room. */
  #allocate(rows: number): void {
    let room = ROWS_MIN;
    while (room < rows) room *= 2;
    this.#rows = room;
    if (this.#wordRoom.length < room) this.#wordRoom = new Uint32Array(room);
    for (const buffers of this.#columns) buffers.allocate(room);
    this.#words.allocate(room);
    this.#uploads.forget();
  }

  #point(
    buffers: PairBuffers,
    buffer: number,
    location: number,
    type: number,
    isInteger: boolean,
    divisor: number,
  ): void {
    if (location < 0) return;
    const gl = this.#gl;
    buffers.bind(buffer);
    gl.enableVertexAttribArray(location);
    if (isInteger) gl.vertexAttribIPointer(location, buffers.width, type, 0, 0);
    else gl.vertexAttribPointer(location, buffers.width, type, false, 0, 0);
    gl.vertexAttribDivisor(location, divisor);
  }

  #placesOf(program: WebGLProgram): Places {
    const known = this.#places.get(program);
    if (known !== undefined) return known;
    const gl = this.#gl;
    const place = (earlier: string, later: string): Place => ({
      earlier: gl.getAttribLocation(program, earlier),
      later: gl.getAttribLocation(program, later),
    });
    const channels = this.#channels.map(({ earlier, later }) => place(earlier, later));
    if (channels.every(({ earlier, later }) => earlier < 0 && later < 0)) {
      throw new EscapementError('VALUE_INVALID', 'The program reads none of these columns.', {
        allowed: 'a linked program whose vertex shader has `columns.glsl` and calls its functions',
      });
    }
    const words = place(EARLIER_WORD, LATER_WORD);
    const places = { alpha: gl.getUniformLocation(program, ALPHA), words, channels };
    this.#places.set(program, places);
    return places;
  }

  #checkUsable(): void {
    if (!this.#isDisposed) return;
    throw new EscapementError('STATE_INVALID', 'These columns have been disposed of.', {
      fix: 'Make others with createBlendedColumns.',
    });
  }
}
