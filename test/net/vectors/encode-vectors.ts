import type { VectorDefinition } from './definition.ts';
import { readVectors } from './read-vectors.ts';
import type { Vector } from './read-vectors.ts';
import type { PlainSnapshot, Row } from './rows.ts';

/** A snapshot, or what differs from that of an earlier call. */
export interface VectorInput {
  readonly tick: string;
  readonly e?: readonly Row[];
  readonly like?: number;
  readonly set?: readonly Row[];
  readonly gone?: readonly number[];
}

/** What a client holds, as the vectors write it. */
export interface VectorReplica {
  readonly sequence: number;
  readonly call?: number;
  readonly snapshot?: PlainSnapshot;
}

/** A call of the encoder. */
export interface VectorCall {
  readonly i: number;
  readonly in: {
    readonly snapshot: VectorInput | null;
    readonly baseline?: VectorReplica;
    readonly replica?: VectorReplica;
    readonly source?: {
      readonly position: string;
      readonly forward?: string;
      readonly self?: number;
    };
    readonly candidates?: readonly number[];
    readonly recovery?: readonly number[];
    readonly force?: boolean;
  };
  readonly out: VectorOutcome;
}

/** A client's state as the vectors write it. */
export type VectorState = readonly [
  number,
  number,
  number,
  number,
  (readonly (readonly [number, number, string, number])[])?,
];

/** What came of a call. */
export interface VectorOutcome {
  readonly error?: string;
  readonly detail?: string;
  readonly skipped?: string;
  readonly sequence?: number;
  readonly kind?: 'FullReplace' | 'Patch';
  readonly baseline_sequence?: number;
  readonly bytes?: string;
  readonly upsert_ids?: readonly number[];
  readonly delete_ids?: readonly number[];
  readonly recovery_added?: number;
  readonly aoi?: readonly number[];
  readonly delta?: readonly number[];
  readonly lod?: readonly (number | readonly number[])[];
  readonly quality?: Readonly<Record<string, number>>;
  readonly resulting?: 'same_as_input' | readonly Row[] | { readonly fingerprint: string };
  readonly state: VectorState;
}

/** What a state is before the first call. */
export interface StartState {
  readonly next_sequence: number;
  readonly cursor: number;
  readonly incremental_seeded: boolean;
  readonly lod_seeded: boolean;
}

interface ScenarioLine {
  readonly s: string;
  readonly def: VectorDefinition;
  readonly signature: string;
  readonly layout: string;
  readonly start_state?: StartState;
}

/** A run of calls on one state. */
export interface VectorScenario {
  readonly file: string;
  readonly name: string;
  readonly definition: VectorDefinition;
  readonly signature: string;
  readonly layout: string;
  readonly startState: StartState | undefined;
  readonly steps: readonly (VectorCall | { readonly next_sequence: number })[];
}

/** Reads all scenarios of the encoder; their lines follow each other in a file. */
export function readScenarios(): VectorScenario[] {
  const scenarios: VectorScenario[] = [];
  let steps: (VectorCall | { readonly next_sequence: number })[] = [];
  for (const { file, record } of readVectors().filter(isEncoding)) {
    if (record['t'] !== 'scenario') {
      steps.push(record as never);
      continue;
    }
    steps = [];
    const { s, def, signature, layout, start_state: startState } = record as never as ScenarioLine;
    scenarios.push({ file, name: s, definition: def, signature, layout, startState, steps });
  }
  return scenarios;
}

function isEncoding({ record }: Vector): boolean {
  const { t } = record;
  return t === 'scenario' || t === 'call' || t === 'set';
}
