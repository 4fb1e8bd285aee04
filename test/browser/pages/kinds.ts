/** Reads back what a shader blends, beside what this thread blends. */
import { EscapementError, type RunningSimulation, startSimulation } from 'escapement';
import { openView, type View } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import {
  type BlendedColumns,
  type BlendedShapesOptions,
  createBlendedColumns,
  createBlendedShapes,
} from 'escapement/webgl';
import type { Kinds } from './kinds.sim.ts';
import { linkProgram } from './plain-discs.ts';

type Types = TypesOf<Kinds>;
type Channel = Types['published'];

/** One channel at one frame, row by row; `blend` and `period` are those of the channel. */
export interface Reading {
  readonly channel: string;
  readonly blend: string;
  readonly width: number;
  readonly period: number;
  readonly alpha: number;
  readonly gpu: readonly number[];
  readonly here: readonly number[];
}

const FRAGMENT = `#version 300 es
void main() {}`;

/** A vertex shader that hands on four floats for each of some expressions. */
class Reader {
  readonly columns: BlendedColumns<Types>;
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #outputs: number;

  constructor(
    gl: WebGL2RenderingContext,
    view: View<Types>,
    channels: readonly Channel[],
    expressions: (columns: BlendedColumns<Types>) => readonly string[],
  ) {
    this.#gl = gl;
    this.columns = createBlendedColumns(gl, view, { channels });
    const values = expressions(this.columns);
    this.#outputs = values.length;
    const names = values.map((_, k) => `out${k}`);
    const vertex = `#version 300 es
${this.columns.glsl}
${names.map((name) => `out vec4 ${name};`).join('\n')}
void main() {
  ${names.map((name, k) => `${name} = ${values[k]};`).join('\n  ')}
  gl_Position = isShown() ? vec4(0.0, 0.0, 0.0, 1.0) : NOWHERE;
}`;
    this.#program = linkProgram(gl, vertex, FRAGMENT, names);
  }

  /** Runs the shader once a slot; four floats for each expression. */
  read(): Float32Array {
    const gl = this.#gl;
    const { slotCount } = this.columns;
    const out = new Float32Array(slotCount * this.#outputs * 4);
    const buffer = gl.createBuffer();
    gl.bindVertexArray(gl.createVertexArray());
    this.columns.bind(this.#program, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, out.byteLength, gl.STREAM_READ);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, slotCount);
    gl.endTransformFeedback();
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.deleteBuffer(buffer);
    const fault = gl.getError();
    if (fault !== gl.NO_ERROR) throw new Error(`GL ${fault}`);
    return out;
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (cause) {
    return cause instanceof EscapementError ? cause.code : String(cause);
  }
}

/** Turns a blended value into four floats. */
function padded(channel: string, width: number): string {
  const call = `blended${channel.charAt(0).toUpperCase()}${channel.slice(1)}()`;
  return `vec4(${[call, ...Array.from({ length: 4 - width }, () => '0.0')].join(', ')})`;
}

const GROUPS: readonly (readonly Channel[])[] = [
  ['single', 'pair', 'position', 'tint', 'heading', 'degrees', 'look'],
  ['orientation', 'cheap', 'floats', 'words', 'halves', 'bytes', 'exact'],
  ['exacts', 'friend'],
];

const MATRIX = 'composeMatrix(blendedPosition(), blendedOrientation(), vec3(2.0, 0.5, -3.0))';
const FLAT = 'composeMatrix(blendedPosition().xy, blendedHeading(), vec2(2.0, -0.5))';

class KindsPage {
  readonly #sim: RunningSimulation<Types>;
  readonly #view: View<Types>;
  readonly #gl: WebGL2RenderingContext;
  readonly #readers: readonly Reader[];
  readonly #composer: Reader;

  constructor(sim: RunningSimulation<Types>) {
    this.#sim = sim;
    this.#view = openView(sim.share()) as View<Types>;
    const gl = document.createElement('canvas').getContext('webgl2');
    if (gl === null) throw new Error('no WebGL 2');
    this.#gl = gl;
    this.#readers = GROUPS.map(
      (channels) =>
        new Reader(gl, this.#view, channels, (columns) =>
          channels.map((name) => padded(name, columns.channel(name).width)),
        ),
    );
    this.#composer = new Reader(gl, this.#view, ['position', 'orientation', 'heading'], () => [
      ...[0, 1, 2, 3].map((column) => `${MATRIX}[${column}]`),
      ...[0, 1, 2, 3].map((column) => `${FLAT}[${column}]`),
    ]);
  }

  /** Goes on and reads every channel, blended there and here. */
  async readAll(ticks: number): Promise<Reading[]> {
    await this.#sim.clock.advance(ticks / 60);
    const frame = this.#view.frame();
    const { alpha } = frame;
    const readings: Reading[] = [];
    for (const [g, reader] of this.#readers.entries()) {
      reader.columns.update(frame);
      const values = reader.read();
      const channels = GROUPS[g] ?? [];
      for (const [k, channel] of channels.entries()) {
        const { width, blend, period } = reader.columns.channel(channel);
        const gpu: number[] = [];
        for (const slot of frame.indices) {
          const at = (slot * channels.length + k) * 4;
          gpu.push(...values.subarray(at, at + width));
        }
        const here = [...frame.blend(channel)];
        readings.push({ channel, blend, width, period, alpha, gpu, here });
      }
    }
    frame.release();
    return readings;
  }

  /** What is refused, by what was tried. */
  refusals(): Record<string, string> {
    const gl = this.#gl;
    const make = (...channels: string[]): BlendedColumns<Types> =>
      createBlendedColumns(gl, this.#view, { channels: channels as Channel[] });
    const all = GROUPS.flat();
    const columns = make('position', 'heading', 'look');
    const shapes = (options: object) => () =>
      createBlendedShapes(gl, columns, options as BlendedShapesOptions<Types>);
    const stranger = linkProgram(gl, '#version 300 es\nvoid main() {}', FRAGMENT);
    const disposed = make('position');
    disposed.dispose();
    disposed.dispose();
    return {
      'no channel': codeOf(() => make()),
      'an unknown channel': codeOf(() => make('nothing')),
      'a channel twice': codeOf(() => make('position', 'position')),
      'too many channels': codeOf(() => make(...all)),
      'shown by what is not there': codeOf(() =>
        createBlendedColumns(gl, this.#view, {
          channels: ['position'],
          shownBy: 'nothing' as Channel,
        }),
      ),
      'a program without the columns': codeOf(() => columns.bind(stranger)),
      'disposed columns': codeOf(() => disposed.bind(stranger)),
      'an unknown shape': codeOf(shapes({ shape: 'star', position: 'position' })),
      'a narrow position': codeOf(shapes({ shape: 'disc', position: 'heading' })),
      'a heading of three': codeOf(
        shapes({ shape: 'dart', position: 'position', heading: 'look' }),
      ),
      'a position of other columns': codeOf(shapes({ shape: 'disc', position: 'pair' })),
      'what is fitting': codeOf(
        shapes({ shape: 'dart', position: 'position', heading: 'heading' }),
      ),
    };
  }

  /** Composes both kinds of matrices there; position, orientation and heading were blended here. */
  async readMatrices(ticks: number): Promise<Record<'gpu' | Channel, number[]>> {
    await this.#sim.clock.advance(ticks / 60);
    const frame = this.#view.frame();
    this.#composer.columns.update(frame);
    const gpu = [...this.#composer.read()];
    const position = [...frame.blend('position')];
    const orientation = [...frame.blend('orientation')];
    const heading = [...frame.blend('heading')];
    frame.release();
    return { gpu, position, orientation, heading } as Record<'gpu' | Channel, number[]>;
  }
}

/** The page's side of the test. */
export const kindsPage = {
  async open(): Promise<KindsPage> {
    const makeWorker = (): Worker =>
      new Worker(new URL('./kinds.sim.js', import.meta.url), { type: 'module' });
    const options = { drivenBy: 'host', maxTicksPerAdvance: 1000 } as const;
    return new KindsPage(await startSimulation<Kinds>(makeWorker, options));
  },
};
export type { KindsPage };
export type KindsHook = typeof kindsPage;

Object.assign(globalThis, { kindsPage });
document.title = 'ready';
