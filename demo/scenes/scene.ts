import type { Bounds } from '../camera.ts';
import type { Start } from '../painters.ts';
import type { Recording } from '../recording.ts';
import type { RunChoice, Stage } from '../stage.ts';

/** A scene that the page can play. */
export interface Scene {
  readonly title: string;
  /** The name of its simulation, as recordings of it have it. */
  readonly simulation: string;
  /** What the pointer does, where it does anything. */
  readonly hint?: string;
  readonly touchHint?: string;
  readonly tickRateHz: number;
  /** Bodies at first, and at most; undefined where a recording says who is there, and when. */
  readonly population?: number;
  readonly populationMax?: number;
  start(start: Start, choice: RunChoice, recording?: Recording): Promise<Stage>;
}

/** The world of the scenes that have no other. */
export const WORLD: Bounds = { left: -1.6, bottom: -1, right: 1.6, top: 1 };

/** A run's options: a population is a parameter. */
interface PopulationOptions extends Omit<RunChoice, 'population'> {
  readonly params: { readonly population: number };
}

/** Turns a choice into the options of a scene whose population is a parameter. */
export function withPopulation({ population, ...rest }: RunChoice): PopulationOptions {
  return { ...rest, params: { population } };
}

/** Colours that follow each other by this share of a circle are never close for long. */
export const GOLDEN_RATIO = 0.6180339887498949;
export const TURN: number = 2 * Math.PI;
