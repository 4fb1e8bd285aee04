import type { SimulationTypes } from 'escapement';
import type { ChannelName, Frame, View } from 'escapement/render';
import type { BlendPath } from './blend-path.ts';
import type { Bounds, Camera } from './camera.ts';
import { ColumnReader } from './column-reader.ts';
import type { BlendedDarts, DartRenderer, Halo } from './dart-renderer.ts';
import { createPicture, type Picture, type ReadPicture } from './picture.ts';
import type { Showing } from './showing.ts';
import type { Subject } from './subject.ts';

/** What differs from one flat scene to the next. */
export interface PlaneParts<T extends SimulationTypes> {
  /** What of the world is shown, and how. */
  readonly bounds: Bounds;
  readonly fit: 'cover' | 'contain';
  /** What the GPU can draw by itself: channels that are positions and radians as they are. */
  readonly gpu?: { readonly position: ChannelName<T>; readonly heading?: ChannelName<T> };
  /** Makes what reads a picture, with room of its own: there is one for each half. */
  createRead(): ReadPicture<T>;
}

const PATHS: readonly BlendPath[] = ['entity', 'javascript', 'simd'];
const PATHS_WITH_GPU: readonly BlendPath[] = [...PATHS, 'gpu'];

/** Draws bodies in the plane. */
export class PlaneSubject<T extends SimulationTypes> implements Subject<T> {
  readonly kind = 'plane';
  readonly paths: readonly BlendPath[];
  readonly #parts: PlaneParts<T>;
  readonly #renderer: DartRenderer;
  readonly #columns: ColumnReader<T>;
  readonly #rawColumns: ColumnReader<T>;
  readonly #read: ReadPicture<T>;
  readonly #readRaw: ReadPicture<T>;
  readonly #view: View<T>;
  readonly #picture: Picture = createPicture();
  readonly #raw: Picture = createPicture();
  #blended: BlendedDarts<T> | undefined;

  constructor(parts: PlaneParts<T>, renderer: DartRenderer, view: View<T>) {
    const widthOf = (channel: Parameters<typeof view.channel>[0]): number =>
      view.channel(channel).width;
    this.#parts = parts;
    this.#view = view;
    this.paths = parts.gpu === undefined ? PATHS : PATHS_WITH_GPU;
    this.#renderer = renderer;
    this.#columns = new ColumnReader(widthOf);
    this.#rawColumns = new ColumnReader(widthOf);
    this.#read = parts.createRead();
    this.#readRaw = parts.createRead();
  }

  take(frame: Frame<T>, raw: Frame<T> | undefined, { path }: Readonly<Showing>): void {
    if (this.#isOnGpu(path)) {
      if (!this.#renderer.hasContext) return;
      this.#openBlended().columns.update(frame);
      return;
    }
    const columns = this.#columns.turnTo(frame, path === 'entity' ? 'entity' : 'bulk');
    this.#picture.count = frame.count;
    this.#read(columns, this.#picture);
    if (raw === undefined) return;
    this.#raw.count = raw.count;
    this.#readRaw(this.#rawColumns.turnTo(raw, 'bulk'), this.#raw);
  }

  aim(camera: Camera): void {
    camera.aim(this.#parts.bounds, this.#parts.fit);
  }

  paint(camera: Camera, halo: Halo, { path, isSplit }: Readonly<Showing>): void {
    const renderer = this.#renderer;
    renderer.clear(camera, halo);
    const blended = this.#isOnGpu(path) ? this.#blended : undefined;
    for (let part = 0; part <= (isSplit ? 1 : 0); part++) {
      if (blended !== undefined) renderer.drawBlended(blended, camera, part, part === 1);
      else renderer.draw(part === 0 ? this.#picture : this.#raw, camera, part);
    }
  }

  toWorld(camera: Camera, x: number, y: number): readonly [number, number] {
    return [camera.worldX(x), camera.worldY(y)];
  }

  positions(count: number): number[] {
    return [...this.#picture.positions.subarray(0, count * 2)];
  }

  get uploadsInPlace(): boolean | undefined {
    return this.#blended?.columns.uploadsInPlace ?? this.#renderer.uploadsInPlace;
  }

  dispose(): void {
    if (this.#blended !== undefined) this.#renderer.closeBlended(this.#blended);
    this.#blended = undefined;
    this.#columns.forget();
    this.#rawColumns.forget();
  }
  #isOnGpu(path: BlendPath): boolean {
    return path === 'gpu' && this.#parts.gpu !== undefined;
  }

  #openBlended(): BlendedDarts<T> {
    const { gpu } = this.#parts;
    if (gpu === undefined) throw new Error('This scene has nothing that the GPU could blend.');
    if (this.#blended?.contextNumber !== this.#renderer.contextNumber) this.#blended = undefined;
    this.#blended ??= this.#renderer.openBlended(this.#view, gpu.position, gpu.heading);
    return this.#blended;
  }
}
