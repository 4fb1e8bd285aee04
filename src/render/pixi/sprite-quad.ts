import { Buffer, BufferUsage, type PointData, type Texture } from 'pixi.js';

/** The four corners that all sprites of one texture share. */
export class SpriteQuad {
  /** Units from the anchor, places in the texture, and two triangles of them. */
  readonly corners: Buffer;
  readonly places: Buffer;
  readonly indices: Buffer;

  constructor(texture: Texture, anchor: Readonly<PointData>, unitsPerPixel: Readonly<PointData>) {
    const { orig, trim, uvs } = texture;
    const { width, height } = trim ?? orig;
    const { x, y } = unitsPerPixel;
    const left = ((trim?.x ?? 0) - anchor.x * orig.width) * x;
    const top = ((trim?.y ?? 0) - anchor.y * orig.height) * y;
    const right = left + width * x;
    const bottom = top + height * y;
    this.corners = makeBuffer(
      new Float32Array([left, top, right, top, right, bottom, left, bottom]),
      BufferUsage.VERTEX,
    );
    this.places = makeBuffer(
      new Float32Array([uvs.x0, uvs.y0, uvs.x1, uvs.y1, uvs.x2, uvs.y2, uvs.x3, uvs.y3]),
      BufferUsage.VERTEX,
    );
    this.indices = makeBuffer(new Uint32Array([0, 1, 2, 0, 2, 3]), BufferUsage.INDEX);
  }

  /** Gives the buffers back. */
  destroy(): void {
    this.corners.destroy();
    this.places.destroy();
    this.indices.destroy();
  }
}

function makeBuffer(data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>, usage: number) {
  return new Buffer({ data, usage: usage | BufferUsage.COPY_DST });
}
