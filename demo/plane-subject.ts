import type { SimulationTypes } from 'escapement';
import type { Frame, View } from 'escapement/render';
import type { BlendPath } from './blend-path.ts';
import type { Bounds, Camera } from './camera.ts';
import { ColumnReader } from './column-reader.ts';
import type { DartRenderer, Halo } from './dart-renderer.ts';
import { createPicture, type Picture, type ReadPicture } from './picture.ts';
import type { Showing } from './showing.ts';
import type { Subject } from './subject.ts';

/** What differs from one flat scene to the next. */
export interface PlaneParts<T extends SimulationTypes> {
  /** What of the world is shown, and how. */
  readonly bounds: Bounds;
  readonly fit: 'cover' | 'contain';
  /** Makes what reads a picture, with room of its own: there is one for each half. */
  createRead(): ReadPicture<T>;
}

const PATHS: readonly BlendPath[] = ['entity', 'javascript', 'simd'];

/** Draws bodies in the plane. */
export class PlaneSubject<T extends SimulationTypes> implements Subject<T> {
  readonly kind = 'plane';
  readonly paths: readonly BlendPath[] = PATHS;
  readonly #parts: PlaneParts<T>;
  readonly #renderer: DartRenderer;
  readonly #columns: ColumnReader<T>;
  readonly #rawColumns: ColumnReader<T>;
  readonly #read: ReadPicture<T>;
  readonly #readRaw: ReadPicture<T>;
  readonly #picture: Picture = createPicture();
  readonly #raw: Picture = createPicture();

  constructor(parts: PlaneParts<T>, renderer: DartRenderer, view: View<T>) {
    const widthOf = (channel: Parameters<typeof view.channel>[0]): number =>
      view.channel(channel).width;
    this.#parts = parts;
    this.#renderer = renderer;
    this.#columns = new ColumnReader(widthOf);
    this.#rawColumns = new ColumnReader(widthOf);
    this.#read = parts.createRead();
    this.#readRaw = parts.createRead();
  }

  take(frame: Frame<T>, { path, isSplit }: Readonly<Showing>): void {
    const columns = this.#columns.turnTo(frame, path === 'entity' ? 'entity' : 'bulk');
    this.#picture.count = frame.count;
    this.#read(columns, this.#picture);
    if (!isSplit) return;
    this.#raw.count = frame.count;
    this.#readRaw(this.#rawColumns.turnTo(frame, 'raw'), this.#raw);
  }

  aim(camera: Camera): void {
    camera.aim(this.#parts.bounds, this.#parts.fit);
  }

  paint(camera: Camera, halo: Halo, { isSplit }: Readonly<Showing>): void {
    this.#renderer.clear(camera, halo);
    this.#renderer.draw(this.#picture, camera, 0);
    if (isSplit) this.#renderer.draw(this.#raw, camera, 1);
  }

  positions(count: number): number[] {
    return [...this.#picture.positions.subarray(0, count * 2)];
  }

  get uploadsInPlace(): boolean | undefined {
    return this.#renderer.uploadsInPlace;
  }

  dispose(): void {
    this.#columns.forget();
    this.#rawColumns.forget();
  }
}
