import type { AckOutcome, RecoveryReason, RetentionVerdict } from '../../../src/net/index.ts';
import { type Person } from './people.ts';

/** A result as the model keeps it. */
export interface ModelResult {
  readonly sequence: number;
  readonly isFull: boolean;
  readonly rows: readonly Person[];
  readonly ms: number;
  readonly bytes: number;
}

/** The bounds of the model. */
export interface ModelBounds {
  readonly maxResults: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly maxRecoveryRows: number;
  readonly stallThreshold: number;
}

/** The server's book on a client in its simplest form: lists that are made anew at each step. */
export class ServerModel {
  submitted: readonly ModelResult[] = [];
  acknowledged: ModelResult | undefined;
  latestSubmitted = 0;
  latestAcknowledged = 0;
  sinceProgress = 0;
  reason: RecoveryReason = 'no-acknowledged-baseline';
  forced = 0;
  evictions = 0;
  recovery: readonly Person[] = [];
  readonly #bounds: ModelBounds;

  constructor(bounds: ModelBounds) {
    this.#bounds = bounds;
  }

  plan(result: ModelResult, upserts: readonly Person[]): RetentionVerdict {
    const { maxBytes, maxRecoveryRows } = this.#bounds;
    if (result.bytes > maxBytes) return 'too-large';
    if (result.bytes + (this.acknowledged?.bytes ?? 0) > maxBytes) return 'retention-pressure';
    return union(this.recovery, upserts).length > maxRecoveryRows
      ? 'retention-pressure'
      : 'accepted';
  }

  commit(result: ModelResult, upserts: readonly Person[]): void {
    const fits = (list: readonly ModelResult[]): boolean =>
      list.length < this.#bounds.maxResults &&
      sumOf([...list, result, ...(this.acknowledged ? [this.acknowledged] : [])]) <=
        this.#bounds.maxBytes;
    const from = this.submitted.findIndex((_, index) => fits(this.submitted.slice(index)));
    const kept = from < 0 ? [] : this.submitted.slice(from);
    this.evictions += this.submitted.length - kept.length;
    this.submitted = [...kept, result];
    this.recovery = union(this.recovery, upserts);
    this.latestSubmitted = result.sequence;
    this.sinceProgress++;
    if (this.reason !== 'none' && result.isFull) this.forced++;
  }

  acknowledge(sequence: number): AckOutcome {
    if (sequence === 0) return this.latestAcknowledged === 0 ? 'future' : 'stale';
    if (sequence > this.latestSubmitted) return 'future';
    if (sequence === this.latestAcknowledged) return 'duplicate';
    if (sequence < this.latestAcknowledged) return 'stale';
    const result = this.submitted.find((entry) => entry.sequence === sequence);
    if (result === undefined) {
      this.reason = 'missing-retained-result';
      return 'missing';
    }
    this.acknowledged = result;
    this.submitted = this.submitted.filter((entry) => entry.sequence > sequence);
    this.latestAcknowledged = sequence;
    this.sinceProgress = 0;
    if (result.isFull) this.reason = 'none';
    const newest = this.submitted.at(-1)?.rows ?? [];
    const before = new Map(result.rows.map((row) => [row[0], valueOf(row)]));
    this.recovery = this.recovery
      .map(([id]) => newest.find((row) => row[0] === id))
      .filter((row) => row !== undefined && before.get(row[0]) !== valueOf(row)) as Person[];
    return 'promoted';
  }

  expire(ms: number): void {
    const isOld = (result: ModelResult): boolean => ms - result.ms > this.#bounds.maxAgeMs;
    const kept = this.submitted.filter((result) => !isOld(result));
    this.evictions += this.submitted.length - kept.length;
    this.submitted = kept;
    if (this.acknowledged !== undefined && isOld(this.acknowledged)) {
      this.discard('baseline-expired');
    }
  }

  checkStall(): void {
    if (this.sinceProgress >= this.#bounds.stallThreshold && this.reason === 'none') {
      this.reason = 'ack-stalled';
    }
  }

  request(rejected: number, missing: number): boolean {
    const isValid =
      missing >= this.latestAcknowledged &&
      missing < rejected &&
      rejected > this.latestAcknowledged &&
      rejected <= this.latestSubmitted;
    if (isValid) this.reason = 'client-request';
    return isValid;
  }

  discard(reason: RecoveryReason): void {
    if (this.acknowledged !== undefined) this.evictions++;
    this.acknowledged = undefined;
    this.reason = reason;
  }

  baseline(isReliable: boolean): ModelResult | undefined {
    if (this.reason !== 'none') return undefined;
    if (!isReliable) return this.acknowledged;
    return [...this.submitted, this.acknowledged].find(
      (result) => result?.sequence === this.latestSubmitted,
    );
  }
}

function sumOf(results: readonly ModelResult[]): number {
  return results.reduce((sum, { bytes }) => sum + bytes, 0);
}

function union(old: readonly Person[], added: readonly Person[]): readonly Person[] {
  const rows = new Map([...old, ...added].map((row) => [row[0], row]));
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/** A state as text in which the two zeros of a float are one. */
function valueOf([, classification, position, heading, hue]: Person): string {
  const floats = [...position, ...heading].map((bits) => (bits === 0x8000_0000 ? 0 : bits));
  return [classification, ...floats, hue].join();
}
