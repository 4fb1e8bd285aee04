import { assert } from '../../shared/assert.ts';

/** A program of this library's own, and where its uniforms are. */
export interface ShaderProgram {
  readonly program: WebGLProgram;
  readonly uniforms: Readonly<Record<string, WebGLUniformLocation | null>>;
}

/** Compiles and links a program. Asserts that it links, unless the context is lost. */
export function createShaderProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
  names: readonly string[],
): ShaderProgram {
  const program = gl.createProgram();
  const shaders = [
    compile(gl, gl.VERTEX_SHADER, vertex),
    compile(gl, gl.FRAGMENT_SHADER, fragment),
  ];
  for (const shader of shaders) if (shader !== null) gl.attachShader(program, shader);
  gl.linkProgram(program);
  const isLinked = gl.getProgramParameter(program, gl.LINK_STATUS) === true;
  assert(isLinked || gl.isContextLost(), describeFailure(gl, program, shaders));
  for (const shader of shaders) gl.deleteShader(shader);
  const uniforms: Record<string, WebGLUniformLocation | null> = {};
  for (const name of names) uniforms[name] = gl.getUniformLocation(program, name);
  return { program, uniforms };
}

function compile(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader | null {
  const shader = gl.createShader(kind);
  if (shader === null) return null;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function describeFailure(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  shaders: readonly (WebGLShader | null)[],
): string {
  const logs = shaders.map((shader) => (shader === null ? '' : gl.getShaderInfoLog(shader)));
  return `the shaders link: ${[...logs, gl.getProgramInfoLog(program)].join(' ').trim()}`;
}
