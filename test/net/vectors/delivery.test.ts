import { expect, test } from 'vitest';
import { ServerDelivery } from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { NetError } from '../../../src/net/net-error.ts';
import { referenceShape } from '../reference-shape.ts';
import { kebab, readVectors, report } from './read-vectors.ts';
import { type PlainSnapshot, plainOf, type Row, setRows, setTick, snapshotOf } from './rows.ts';
import { Times } from './times.ts';

type Kind = keyof typeof SnapshotKind;

interface Line {
  readonly t: string;
  readonly s: string;
  readonly after?: readonly unknown[];
  readonly sequence: number;
  readonly now: string;
  readonly outcome: string;
  readonly kind: Kind;
  readonly plan_valid: boolean;
  readonly plan_evictions: number;
  readonly recovery_merge?: readonly Row[];
  readonly result?: PlainSnapshot;
  readonly entities_of_first?: boolean;
  readonly from: number;
  readonly to: number;
  readonly rejected: number;
  readonly missing: number;
  readonly accepted: boolean;
  readonly thresholds: readonly (readonly [number, boolean])[];
  readonly reason: string;
}

const shape = referenceShape();

/** The machine of one scenario, and whom its first result held. */
class Scenario {
  // Nanoseconds are given as milliseconds, one for one: times are only compared.
  readonly server: ServerDelivery = new ServerDelivery(shape, { maxAgeMs: 5e9 });
  readonly times: Times = new Times();
  #first: readonly Row[] | undefined;

  submit(line: Line, sequence: number, now: string): void {
    const { server } = this;
    const { draft } = server;
    const rows = line.result?.e ?? this.#first ?? [];
    this.#first ??= rows;
    draft.sequence = sequence;
    draft.kind = SnapshotKind[line.kind];
    setRows(draft.snapshot, rows);
    setTick(draft.snapshot, line.result?.tick ?? String(sequence));
    const isAccepted = this.#plan(line.recovery_merge ?? []);
    if (line.t === 'submit') {
      expect(isAccepted).toBe(line.plan_valid);
      expect(server.plannedEvictions).toBe(line.plan_evictions);
    }
    if (isAccepted) server.commit(this.times.numberOf(now));
  }

  /** Plans the draft. The original refuses what is an error of the caller here. */
  #plan(merged: readonly Row[]): boolean {
    const source = snapshotOf(shape, { tick: '0', e: merged });
    try {
      return this.server.plan(source.ids, merged.length, source) === 'accepted';
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      return false;
    }
  }

  /** The state as the vectors write it. */
  after(): unknown[] {
    const { server } = this;
    const list: unknown[] = Array.from({ length: server.submittedCount }, (_, index) => {
      const result = server.submittedAt(index);
      return [result?.sequence, result?.kind === SnapshotKind.Patch ? 'Patch' : 'FullReplace'];
    });
    if (list.length > 8) list.splice(2, list.length - 4, '...');
    return [
      server.latestSubmitted,
      server.latestAcknowledged,
      server.acknowledged?.sequence ?? null,
      server.submittedCount,
      list,
      plainOf(server.recoveryRows).e,
      server.submissionsSinceProgress,
      server.isRecovering ? 1 : 0,
      server.recoveryReason,
      server.forcedReplacements,
      server.evictions,
    ];
  }
}

/** Does what a line says; returns whether the line is one of this family. */
function play(scenario: Scenario, line: Line): boolean {
  const { server } = scenario;
  switch (line.t) {
    case 'submit':
      scenario.submit(line, line.sequence, line.now);
      return true;
    case 'submit_range':
      for (let n = line.from; n <= line.to; n++) scenario.submit(line, n, String(n));
      return true;
    case 'ack':
      expect(server.acknowledge(line.sequence)).toBe(kebab(line.outcome));
      return true;
    case 'expire':
      server.expire(scenario.times.numberOf(line.now));
      return true;
    case 'discard':
      server.discard(kebab(line.reason) as Parameters<typeof server.discard>[0]);
      return true;
    case 'recovery_request':
      expect(server.acceptsRecovery(line.rejected, line.missing)).toBe(line.accepted);
      return true;
    case 'stalled':
      for (const [threshold, isStalled] of line.thresholds) {
        expect(server.isStalled(threshold)).toBe(isStalled);
      }
      return true;
    default:
      return false;
  }
}

/** Other families have lines named `sequence` and `expire` too: theirs tell less of a state. */
function isOurs(entry: Line): boolean {
  return entry.t === 'sequence' && typeof entry.after?.[8] === 'string';
}

function check(scenario: Scenario, entry: Line, at: string): void {
  if (!isOurs(entry) && !play(scenario, entry)) throw new Error(`${at}: no such line: ${entry.t}`);
  if (entry.after === undefined) return;
  const after = entry.after.map((part) => (typeof part === 'string' ? kebab(part) : part));
  expect([at, ...scenario.after()]).toEqual([at, ...after]);
}

test('the book on a client keeps what the vectors of delivery say', () => {
  const lines = readVectors();
  let scenario: Scenario | undefined;
  let checked = 0;
  for (const { at, record } of lines) {
    const entry = record as unknown as Line;
    if (at.endsWith(':1')) scenario = undefined;
    if (entry.t === 'sequence') scenario = isOurs(entry) ? new Scenario() : undefined;
    if (scenario === undefined) continue;
    check(scenario, entry, at);
    checked++;
  }
  report('delivery', checked);
  // A folder may have no file of this family, but what it has of it must not be passed over.
  expect(checked > 0).toBe(lines.some(({ record }) => record.t === 'submit'));
});
