import { EscapementError } from '../../shared/error.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName } from '../frame.ts';
import type { BlendedColumns } from './blended-columns.ts';
import { describeChannel } from './channel-glsl.ts';
import { createShaderProgram, type ShaderProgram } from './shader-program.ts';

/** What an entity is drawn as. A dart points where it heads. */
export type ShapeKind = 'disc' | 'square' | 'dart';

/** Options of {@link createBlendedShapes}. */
export interface BlendedShapesOptions<T extends SimulationTypes = SimulationTypes> {
  readonly shape: ShapeKind;
  /** The channel of the middle: two numbers at least, of which the first two count. */
  readonly position: ChannelName<T>;
  /** The channel of the angle, in radians unless it is an `angle` of another period. */
  readonly heading?: ChannelName<T>;
  /** The channel of the colour: red, green, blue and opacity as they go into the picture. */
  readonly colour?: ChannelName<T>;
}

/** How the shapes of one draw look. */
export interface ShapeLook {
  /** Clip space is x times the first plus the third, and y times the second plus the fourth. */
  readonly worldToClip: readonly [scaleX: number, scaleY: number, moveX: number, moveY: number];
  /** Half the size of a shape in world units: a disc's radius. */
  readonly radius: number;
  /** Red, green, blue and opacity from 0 to 1, times the channel's if there is one. */
  readonly colour: readonly [red: number, green: number, blue: number, opacity: number];
}

/** Draws entities as plain shapes in one call; made by {@link createBlendedShapes}. */
export interface BlendedShapes {
  /** Draws what the columns took in last, with the context's blend and depth state. */
  draw(look: ShapeLook): void;
  /** Makes everything anew after `webglcontextrestored`, as the columns do for themselves. */
  restore(): void;
  /** Gives the program back; the columns stay. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * Makes what draws blended columns as discs, squares or darts: the shortest way to a picture, and
 * an example of a shader. Throws NAME_UNKNOWN for channels that the columns lack and
 * OPTION_INVALID for those of another width.
 */
export function createBlendedShapes<T extends SimulationTypes>(
  gl: WebGL2RenderingContext,
  columns: BlendedColumns<T>,
  options: BlendedShapesOptions<T>,
): BlendedShapes {
  const { shape, position, heading, colour } = options;
  const fragment = FRAGMENTS[shape];
  if (fragment === undefined) {
    throw new EscapementError('OPTION_INVALID', 'There is no such `shape`.', {
      given: JSON.stringify(shape),
      allowed: Object.keys(FRAGMENTS).join(', '),
    });
  }
  const vertex = `#version 300 es
${columns.glsl}
uniform vec4 worldToClip;
uniform float radius;
uniform vec4 colour;
out vec2 corner;
flat out vec4 paint;
void main() {
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  paint = colour * vec4(${colour === undefined ? '1.0' : read(columns, colour, 4)});
  float turn = ${heading === undefined ? '0.0' : readTurn(columns, heading)};
  vec2 way = blendTurn(turn);
  vec2 reach = (corner.x * way + corner.y * vec2(-way.y, way.x)) * radius;
  vec2 at = vec2(${read(columns, position, 2)}) + reach;
  gl_Position = isShown() ? vec4(at * worldToClip.xy + worldToClip.zw, 0.0, 1.0) : NOWHERE;
}`;
  return new InstancedShapes(gl, columns as unknown as BlendedColumns, vertex, fragment);
}

/** Writes the blended value of a channel, which must have `width` numbers at least. */
function read<T extends SimulationTypes>(
  columns: BlendedColumns<T>,
  name: ChannelName<T>,
  width: number,
): string {
  const spec = columns.channel(name);
  if (spec.width < width) {
    throw new EscapementError('OPTION_INVALID', `The channel "${name}" is too narrow for this.`, {
      given: `width ${spec.width}`,
      allowed: `${width} or more`,
    });
  }
  return `${describeChannel(name, spec).blended}()${spec.width > width ? '.xy' : ''}`;
}

function readTurn<T extends SimulationTypes>(
  columns: BlendedColumns<T>,
  name: ChannelName<T>,
): string {
  const { blend, period, width } = columns.channel(name);
  if (width !== 1) {
    throw new EscapementError('OPTION_INVALID', `The channel "${name}" is no single angle.`, {
      given: `width ${width}`,
      allowed: '1',
    });
  }
  const scale = blend === 'angle' ? (2 * Math.PI) / period : 1;
  return `float(${read(columns, name, 1)}) * ${scale.toExponential()}`;
}

function writeFragment(inside: string): string {
  return `#version 300 es
precision highp float;
in vec2 corner;
flat in vec4 paint;
out vec4 fragment;
void main() {
  if (!(${inside})) discard;
  fragment = paint;
}`;
}

const FRAGMENTS: Readonly<Record<ShapeKind, string>> = {
  disc: writeFragment('dot(corner, corner) <= 1.0'),
  square: writeFragment('true'),
  dart: writeFragment('abs(corner.y) <= 0.35 * (1.0 - corner.x)'),
};

const UNIFORMS = ['worldToClip', 'radius', 'colour'];

class InstancedShapes implements BlendedShapes {
  readonly #gl: WebGL2RenderingContext;
  readonly #columns: BlendedColumns;
  readonly #vertex: string;
  readonly #fragment: string;
  #shader: ShaderProgram;
  #array: WebGLVertexArrayObject;

  constructor(
    gl: WebGL2RenderingContext,
    columns: BlendedColumns,
    vertex: string,
    fragment: string,
  ) {
    this.#gl = gl;
    this.#columns = columns;
    this.#vertex = vertex;
    this.#fragment = fragment;
    this.#shader = createShaderProgram(gl, vertex, fragment, UNIFORMS);
    this.#array = gl.createVertexArray();
  }

  draw({ worldToClip, radius, colour }: ShapeLook): void {
    const gl = this.#gl;
    const { slotCount } = this.#columns;
    if (slotCount === 0) return;
    const { program, uniforms } = this.#shader;
    gl.bindVertexArray(this.#array);
    this.#columns.bind(program);
    gl.uniform4fv(uniforms['worldToClip'] ?? null, worldToClip);
    gl.uniform1f(uniforms['radius'] ?? null, radius);
    gl.uniform4fv(uniforms['colour'] ?? null, colour);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, slotCount);
    gl.bindVertexArray(null);
  }

  restore(): void {
    this.#shader = createShaderProgram(this.#gl, this.#vertex, this.#fragment, UNIFORMS);
    this.#array = this.#gl.createVertexArray();
  }

  dispose(): void {
    this.#gl.deleteProgram(this.#shader.program);
    this.#gl.deleteVertexArray(this.#array);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
