import type * as CanvasPackage from '@napi-rs/canvas';
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { type CapturedShot, captureFrames } from '../main/capture/capture-frames.ts';
import { readPixels } from '../main/capture/read-pixels.ts';
import type { RunningSimulation } from '../main/running-simulation.ts';
import { openView } from '../render/open-view.ts';
import type { Picture } from '../render/picture.ts';
import type { View } from '../render/view.ts';
import type { Rational } from '../shared/rational.ts';
import type { StillKind } from './film/film.ts';
import type { FrameRange } from './frame-range.ts';
import { importPackage } from './optional-package.ts';
import { loadPicture } from './picture-module.ts';
import { type FilmedAs, type FilmedRun, startFilmed } from './filmed-simulation.ts';

/** A part of a film to take; plain data, so that it can be posted to another thread. */
export interface StillTask extends FilmedRun, FrameRange {
  readonly picturePath: string;
  readonly fps: Rational;
  readonly fromTick: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly kind: StillKind;
  readonly quality: number;
}

/** A frame that was taken, and the bytes it is stored as. */
export interface Still {
  readonly shot: CapturedShot;
  readonly bytes: Uint8Array;
}

/** What a simulation and its picture turned out to be. */
export interface TakenOf extends FilmedAs {
  readonly width: number;
  readonly height: number;
}

/** A simulation, loaded and started, and what draws it. */
export class StillCamera {
  readonly of: TakenOf;
  readonly #task: StillTask;
  readonly #simulation: RunningSimulation;
  readonly #view: View;
  readonly #picture: Picture;
  readonly #canvas: Canvas;
  readonly #context: SKRSContext2D;

  private constructor(
    task: StillTask,
    simulation: RunningSimulation,
    picture: Picture,
    canvas: Canvas,
    of: TakenOf,
  ) {
    this.#task = task;
    this.#simulation = simulation;
    this.#picture = picture;
    this.#view = openView(simulation.share(), picture.view ?? {});
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
    this.of = of;
  }

  /** Loads all that a task needs, and starts its simulation. `err` takes what that one says. */
  static async open(task: StillTask, err: (text: string) => void): Promise<StillCamera> {
    const picture = await loadPicture(task.picturePath);
    const { createCanvas } = (await importPackage(
      '@napi-rs/canvas',
      'Capture on Node',
    )) as typeof CanvasPackage;
    const { width = picture.width, height = picture.height } = task;
    const { simulation, of } = await startFilmed(task, err);
    try {
      const canvas = createCanvas(width, height);
      return new StillCamera(task, simulation, picture, canvas, { ...of, width, height });
    } catch (cause) {
      await simulation.stop();
      throw cause;
    }
  }

  /** Takes the task's frames, one after the other. */
  async *take(): AsyncGenerator<Still, void, undefined> {
    const { fps, fromTick, first, count } = this.#task;
    const { width, height } = this.of;
    const shots = captureFrames(this.#simulation, {
      fps,
      fromTick,
      frames: Array.from({ length: count }, (_, k) => first + k),
      view: this.#view,
      draw: (frame, { index, time }) => {
        this.#picture.draw(this.#context, frame, { width, height, index, time });
        return readPixels(this.#context);
      },
    });
    for await (const shot of shots) yield { shot, bytes: this.#store() };
  }

  /** Ends the simulation and its thread. Idempotent; what is being taken rejects. */
  async close(): Promise<void> {
    this.#view.close();
    await this.#simulation.stop();
  }

  #store(): Uint8Array {
    const { kind, quality } = this.#task;
    switch (kind) {
      case 'png':
        return this.#canvas.encodeSync('png');
      case 'webp':
        return this.#canvas.encodeSync('webp', quality);
      case 'gif':
        return this.#canvas.encodeSync('gif', gifEffort(quality));
    }
  }
}

/** How finely colours are chosen, from 30 to 1: 90 gives 10, which is the usual. */
function gifEffort(quality: number): number {
  return quality >= 90 ? Math.max(1, 100 - quality) : Math.round(10 + ((90 - quality) * 20) / 89);
}
