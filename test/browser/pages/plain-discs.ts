/** Draws discs where an array says, one call, with nothing of the product: for what blends here. */
export class PlainDiscs {
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #buffer: WebGLBuffer;
  readonly #array: WebGLVertexArrayObject;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#program = linkProgram(gl, VERTEX, FRAGMENT);
    this.#buffer = gl.createBuffer();
    this.#array = gl.createVertexArray();
  }

  draw(positions: readonly number[], worldToClip: readonly number[], radius: number): void {
    const gl = this.#gl;
    gl.useProgram(this.#program);
    gl.bindVertexArray(this.#array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(positions), gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    gl.uniform4fv(gl.getUniformLocation(this.#program, 'worldToClip'), worldToClip);
    gl.uniform1f(gl.getUniformLocation(this.#program, 'radius'), radius);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, positions.length / 2);
    gl.bindVertexArray(null);
  }
}

/** Compiles and links; throws what the driver says. */
export function linkProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
  feedback: readonly string[] = [],
): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind) as WebGLShader;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) !== true) {
      throw new Error(`${gl.getShaderInfoLog(shader)}\n${source}`);
    }
    gl.attachShader(program, shader);
  }
  if (feedback.length > 0) {
    gl.transformFeedbackVaryings(program, [...feedback], gl.INTERLEAVED_ATTRIBS);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
    throw new Error(gl.getProgramInfoLog(program) ?? 'no reason given');
  }
  return program;
}

const VERTEX = `#version 300 es
layout(location = 0) in vec2 position;
uniform vec4 worldToClip;
uniform float radius;
out vec2 corner;
void main() {
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  gl_Position = vec4((position + corner * radius) * worldToClip.xy + worldToClip.zw, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 corner;
out vec4 fragment;
void main() {
  if (dot(corner, corner) > 1.0) discard;
  fragment = vec4(1.0);
}`;
