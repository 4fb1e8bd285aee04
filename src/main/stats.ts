import type { PublicationReader } from '../shared/publication-reader.ts';
import { MODE_CODES, RECORD_DOUBLE, RECORD_WORD } from '../shared/record.ts';
import { REGION_STATE } from '../shared/words.ts';

/** What a run is doing. */
export type SimulationState = 'starting' | 'running' | 'stopped' | 'failed' | 'replaced';

/** A simulation's figures at its last publication. Times in milliseconds unless named otherwise. */
export interface SimulationStats {
  readonly state: SimulationState;
  readonly tick: number;
  readonly epoch: number;
  readonly mode: 'live' | 'paused' | 'stepping' | 'lockstep' | 'replay';
  /** World time in seconds. */
  readonly worldTime: number;
  readonly tickRateHz: number;
  readonly entityCount: number;
  /** World seconds asked for per wall second. */
  readonly speed: number;
  /** World seconds really simulated per wall second; NaN before the first half second. */
  readonly realizedSpeed: number;
  readonly ticksDropped: number;
  readonly tickTimeP50: number;
  readonly tickTimeP99: number;
  /** Tick start - due. */
  readonly latenessP50: number;
  readonly latenessP99: number;
  readonly latenessMax: number;
  /** Published - due, 99th percentile: what readers stand behind. */
  readonly delayP99: number;
  readonly skippedPublications: number;
  readonly inputsDropped: number;
  readonly eventsDropped: number;
}

const STATES: Readonly<Record<number, SimulationState>> = {
  [REGION_STATE.created]: 'starting',
  [REGION_STATE.running]: 'running',
  [REGION_STATE.stopped]: 'stopped',
  [REGION_STATE.failed]: 'failed',
  [REGION_STATE.replaced]: 'replaced',
};

/** Returns the name of a value of the `state` word. */
export function stateName(state: number): SimulationState {
  return STATES[state] ?? 'failed';
}

/** Reads the figures of the record in force; undefined before the first or while it is busy. */
export function readStats(reader: PublicationReader, state: number): SimulationStats | undefined {
  if (reader.pin() < 0) return undefined;
  const { u32, f64, layout } = reader.region;
  const word = (field: number): number => u32[reader.recordWord + field] as number;
  const double = (field: number): number => f64[reader.recordDouble + field] as number;
  const ms = (field: number): number => double(field) / 1e6;
  const tick = word(RECORD_WORD.tickLow) + word(RECORD_WORD.tickHigh) * 2 ** 32;
  const roster = layout.rosters + word(RECORD_WORD.roster + 2) * layout.roster.bytes;
  const quantum = double(RECORD_DOUBLE.quantumSeconds);
  const stats: SimulationStats = {
    state: stateName(state),
    tick,
    epoch: word(RECORD_WORD.epoch),
    mode: MODE_CODES[word(RECORD_WORD.mode)] ?? 'live',
    worldTime: tick * quantum,
    tickRateHz: 1 / quantum,
    entityCount: u32[roster / 4] as number,
    speed: double(RECORD_DOUBLE.speed),
    realizedSpeed: double(RECORD_DOUBLE.realizedSpeed),
    ticksDropped: double(RECORD_DOUBLE.ticksDropped),
    tickTimeP50: ms(RECORD_DOUBLE.tickTimeP50Ns),
    tickTimeP99: ms(RECORD_DOUBLE.tickTimeP99Ns),
    latenessP50: ms(RECORD_DOUBLE.latenessP50Ns),
    latenessP99: ms(RECORD_DOUBLE.latenessP99Ns),
    latenessMax: ms(RECORD_DOUBLE.latenessMaxNs),
    delayP99: ms(RECORD_DOUBLE.delayP99Ns),
    skippedPublications: word(RECORD_WORD.skippedPublications),
    inputsDropped: word(RECORD_WORD.inputsDropped),
    eventsDropped: word(RECORD_WORD.eventsDropped),
  };
  reader.release();
  return stats;
}
