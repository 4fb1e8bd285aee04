import type { SimulationTypes } from 'escapement';
import type { ChannelName, View } from 'escapement/render';
import { type BlendedColumns, createBlendedColumns } from 'escapement/webgl';
import {
  BACKDROP_FRAGMENT,
  BACKDROP_VERTEX,
  BLENDED_BEFORE,
  DART_FRAGMENT,
  type DartSource,
  dartVertex,
} from './dart-shaders.ts';
import type { Camera } from './camera.ts';
import type { Picture } from './picture.ts';

/** Where light is drawn, in canvas pixels from the lower left, and how strong, from 0 to 1. */
export interface Halo {
  x: number;
  y: number;
  strength: number;
}

/** Says that the browser cannot draw; the message is for people. */
class CannotDrawError extends Error {
  override readonly name: string = 'CannotDrawError';
}

const POSITION = 0;
const HEADING = 1;

/** A program and where its uniforms are. */
interface Program {
  readonly program: WebGLProgram;
  readonly uniforms: Readonly<Record<string, WebGLUniformLocation | null>>;
}

/** What a lost context takes with it. */
interface Resources {
  readonly backdrop: Program;
  readonly darts: Program;
  readonly bodies: WebGLVertexArrayObject;
  readonly nothing: WebGLVertexArrayObject;
  readonly positions: Column;
  readonly headings: Column;
}

/** A buffer of one channel, and the staging for where shared memory cannot be uploaded from. */
interface Column {
  readonly buffer: WebGLBuffer;
  capacity: number;
  staging: Float32Array;
}

/** Bodies that the GPU blends. */
export interface BlendedDarts<T extends SimulationTypes = SimulationTypes> {
  readonly columns: BlendedColumns<T>;
  readonly darts: Program;
  readonly array: WebGLVertexArrayObject;
  readonly contextNumber: number;
  /** Bodies without a heading are discs in the colours of their slots. */
  readonly isRound: boolean;
}

/**
 * Draws bodies as small glowing darts into a canvas, two draw calls a frame. Columns go to the GPU
 * straight from the region where the browser allows it, else over a copy. Allocates nothing unless
 * the population outgrows its buffers. Survives the loss of its context.
 */
export class DartRenderer {
  /** Counts the contexts: what was made in another one is lost. */
  contextNumber = 0;
  /** Whether the last upload read shared memory itself; undefined before the first. */
  uploadsInPlace: boolean | undefined;
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  #resources: Resources | undefined;

  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', {
      alpha: false,
      antialias: false,
      depth: false,
      powerPreference: 'high-performance',
    });
    if (gl === null) throw new CannotDrawError('This browser offers no WebGL 2.');
    this.#canvas = canvas;
    this.#gl = gl;
    this.#resources = createResources(gl);
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#resources = undefined;
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.contextNumber++;
      this.#resources = createResources(gl);
    });
  }

  /** Whether there is a context to draw with. */
  get hasContext(): boolean {
    return this.#resources !== undefined;
  }

  /** Draws the dark, and light around the pointer. */
  clear(camera: Camera, halo: Halo): void {
    const resources = this.#resources;
    if (resources === undefined) return;
    const gl = this.#gl;
    gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
    gl.disable(gl.BLEND);
    this.#drawBackdrop(resources, halo, camera.pixelRatio);
  }

  /** Draws a picture's bodies into a part of the canvas: 0 is the first from the left. */
  draw(picture: Readonly<Picture>, camera: Camera, part: number): void {
    const resources = this.#resources;
    const { count, positions, headings, isRound } = picture;
    if (resources === undefined || count === 0) return;
    const gl = this.#gl;
    this.#upload(resources.positions, positions);
    if (headings !== undefined) this.#upload(resources.headings, headings);
    gl.useProgram(resources.darts.program);
    gl.bindVertexArray(resources.bodies);
    if (headings === undefined) gl.disableVertexAttribArray(HEADING);
    else gl.enableVertexAttribArray(HEADING);
    this.#drawPoints(resources.darts, count, camera, part, isRound, headings === undefined);
  }

  /** Opens buffers and a program through which the GPU blends what it draws. */
  openBlended<T extends SimulationTypes>(
    view: View<T>,
    position: ChannelName<T>,
    heading: ChannelName<T> | undefined,
  ): BlendedDarts<T> {
    const gl = this.#gl;
    const channels = heading === undefined ? [position] : [position, heading];
    const columns = createBlendedColumns(gl, view, { channels });
    const source = {
      declares: columns.glsl,
      position: `${accessorOf(position)}.xy`,
      heading: heading === undefined ? '0.0' : accessorOf(heading),
      isShown: 'isShown()',
    };
    const darts = createDarts(gl, source);
    return {
      columns,
      darts,
      array: gl.createVertexArray(),
      isRound: heading === undefined,
      contextNumber: this.contextNumber,
    };
  }

  /** Gives back what {@link openBlended} made. */
  closeBlended<T extends SimulationTypes>({ columns, darts, array }: BlendedDarts<T>): void {
    columns.dispose();
    this.#gl.deleteProgram(darts.program);
    this.#gl.deleteVertexArray(array);
  }

  /** Draws what the GPU blends; `isRaw` takes the later tick as it is. */
  drawBlended(
    { columns, darts, array, isRound }: BlendedDarts,
    camera: Camera,
    part: number,
    isRaw: boolean,
  ): void {
    if (this.#resources === undefined || columns.slotCount === 0) return;
    const gl = this.#gl;
    gl.bindVertexArray(array);
    columns.bind(darts.program, 0);
    if (isRaw) gl.uniform1f(darts.uniforms['blendAlpha'] ?? null, 1);
    this.#drawPoints(darts, columns.slotCount, camera, part, isRound, isRound);
  }

  #drawPoints(
    { uniforms }: Program,
    count: number,
    camera: Camera,
    part: number,
    isRound: boolean,
    isByRow: boolean,
  ): void {
    const gl = this.#gl;
    const { pixelRatio } = camera;
    const width = Math.round(camera.width * pixelRatio);
    const { height } = this.#canvas;
    gl.viewport(part * width, 0, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(part * width, 0, width, height);
    gl.enable(gl.BLEND);
    // Light over light that never leaves the range: dense crowds glow instead of clipping.
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_COLOR);
    gl.uniform4fv(uniforms['worldToClip'] ?? null, camera.worldToClip);
    gl.uniform2f(uniforms['viewport'] ?? null, width, height);
    gl.uniform1f(uniforms['size'] ?? null, dartSize(count, width * height, pixelRatio));
    gl.uniform1f(uniforms['isRound'] ?? null, isRound ? 1 : 0);
    gl.uniform1f(uniforms['byRow'] ?? null, isByRow ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.disable(gl.SCISSOR_TEST);
  }

  #drawBackdrop({ backdrop, nothing }: Resources, halo: Halo, pixelRatio: number): void {
    const gl = this.#gl;
    gl.useProgram(backdrop.program);
    gl.bindVertexArray(nothing);
    gl.uniform2f(backdrop.uniforms['viewport'] ?? null, this.#canvas.width, this.#canvas.height);
    gl.uniform4f(
      backdrop.uniforms['pointer'] ?? null,
      halo.x,
      halo.y,
      HALO_RADIUS_PX * pixelRatio,
      halo.strength,
    );
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  #upload(column: Column, data: Float32Array): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, column.buffer);
    if (column.capacity < data.length) {
      column.capacity = roundUp(data.length);
      gl.bufferData(gl.ARRAY_BUFFER, column.capacity * 4, gl.DYNAMIC_DRAW);
    }
    if (this.uploadsInPlace !== false) {
      try {
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
        this.uploadsInPlace = true;
        return;
      } catch (cause) {
        // Some browsers refuse views of shared memory here, by a TypeError, for good.
        if (!(cause instanceof TypeError)) throw cause;
        this.uploadsInPlace = false;
      }
    }
    if (column.staging.length < data.length) column.staging = new Float32Array(column.capacity);
    column.staging.set(data);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, column.staging, 0, data.length);
  }
}

const HALO_RADIUS_PX = 220;

/** Half a dart's length in pixels: smaller the more there are, readable at both ends. */
function dartSize(count: number, area: number, pixelRatio: number): number {
  const pitch = Math.sqrt(area / count);
  return Math.min(11 * pixelRatio, Math.max(1.6 * pixelRatio, pitch * 0.5));
}

function roundUp(length: number): number {
  let capacity = 1024;
  while (capacity < length) capacity *= 2;
  return capacity;
}

function createResources(gl: WebGL2RenderingContext): Resources {
  const positions: Column = { buffer: gl.createBuffer(), capacity: 0, staging: NO_STAGING };
  const headings: Column = { buffer: gl.createBuffer(), capacity: 0, staging: NO_STAGING };
  const nothing = gl.createVertexArray();
  const bodies = gl.createVertexArray();
  gl.bindVertexArray(bodies);
  bindColumn(gl, POSITION, positions.buffer, 2);
  bindColumn(gl, HEADING, headings.buffer, 1);
  return {
    backdrop: createProgram(gl, BACKDROP_VERTEX, BACKDROP_FRAGMENT, ['viewport', 'pointer']),
    darts: createDarts(gl, BLENDED_BEFORE),
    bodies,
    nothing,
    positions,
    headings,
  };
}

function createDarts(gl: WebGL2RenderingContext, source: DartSource): Program {
  return createProgram(gl, dartVertex(source), DART_FRAGMENT, [
    'worldToClip',
    'viewport',
    'size',
    'isRound',
    'byRow',
    'blendAlpha',
  ]);
}

/** The function of the shader that gives a channel's blend. */
function accessorOf(channel: string): string {
  return `blended${channel.charAt(0).toUpperCase()}${channel.slice(1)}()`;
}

const NO_STAGING: Float32Array = new Float32Array(0);

function bindColumn(
  gl: WebGL2RenderingContext,
  location: number,
  buffer: WebGLBuffer,
  width: number,
): void {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0);
}

function createProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
  names: readonly string[],
): Program {
  const program = gl.createProgram();
  gl.attachShader(program, compileShader(gl, gl.VERTEX_SHADER, vertex));
  gl.attachShader(program, compileShader(gl, gl.FRAGMENT_SHADER, fragment));
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true && !gl.isContextLost()) {
    throw new CannotDrawError(gl.getProgramInfoLog(program) ?? 'The shaders do not link.');
  }
  const uniforms: Record<string, WebGLUniformLocation | null> = {};
  for (const name of names) uniforms[name] = gl.getUniformLocation(program, name);
  return { program, uniforms };
}

function compileShader(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind);
  if (shader === null) throw new CannotDrawError('The WebGL context is lost.');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) !== true && !gl.isContextLost()) {
    throw new CannotDrawError(gl.getShaderInfoLog(shader) ?? 'A shader does not compile.');
  }
  return shader;
}
