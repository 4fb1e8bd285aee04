import { expect, test } from 'vitest';
import { ServerDelivery } from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { fillPeople, listPeople, people, type Person, snapshotOf } from '../delivery/people.ts';
import { hexOfWordList, wordsOfHex } from './hex.ts';
import { kebab, readVectors, report } from './read-vectors.ts';

type Row = readonly [number, number, string, string, number];
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
  readonly result?: { readonly tick: string; readonly e: readonly Row[] };
  readonly entities_of_first?: boolean;
  readonly from: number;
  readonly to: number;
  readonly rejected: number;
  readonly missing: number;
  readonly accepted: boolean;
  readonly thresholds: readonly (readonly [number, boolean])[];
  readonly reason: string;
}

/** The machine of one scenario, and whom its first result held. */
class Scenario {
  // The vectors count nanoseconds; times are only compared, so one is given as one millisecond.
  readonly server: ServerDelivery = new ServerDelivery(people, { maxAgeMs: 5e9 });
  readonly #sent: Person[][] = [];

  submit(line: Line, sequence: number, now: number): void {
    const { server } = this;
    const { result } = line;
    const rows = result === undefined ? (this.#sent[0] ?? []) : result.e.map(personOf);
    this.#sent.push(rows);
    const { draft } = server;
    draft.sequence = sequence;
    draft.kind = SnapshotKind[line.kind];
    fillPeople(draft.snapshot, rows, Number(result?.tick ?? sequence));
    const merged = (line.recovery_merge ?? []).map(personOf);
    const source = snapshotOf(merged);
    const verdict = server.plan(source.ids, merged.length, source);
    if (line.t === 'submit') {
      expect(verdict === 'accepted').toBe(line.plan_valid);
      expect(server.plannedEvictions).toBe(line.plan_evictions);
    }
    if (verdict === 'accepted') server.commit(now);
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
      listPeople(server.recoveryRows).map(rowOf),
      server.submissionsSinceProgress,
      server.isRecovering ? 1 : 0,
      server.recoveryReason,
      server.forcedReplacements,
      server.evictions,
    ];
  }
}

function personOf([id, classification, position, heading, hue]: Row): Person {
  return [id, classification, wordsOfHex(position), wordsOfHex(heading), hue];
}

function rowOf([id, classification, position, heading, hue]: Person): Row {
  return [id, classification, hexOfWordList(position), hexOfWordList(heading), hue];
}

/** Does what a line says; returns whether the line is one of this family. */
function play(scenario: Scenario, line: Line): boolean {
  const { server } = scenario;
  switch (line.t) {
    case 'submit':
      scenario.submit(line, line.sequence, Number(line.now));
      return true;
    case 'submit_range':
      for (let n = line.from; n <= line.to; n++) scenario.submit(line, n, n);
      return true;
    case 'ack':
      expect(server.acknowledge(line.sequence)).toBe(kebab(line.outcome));
      return true;
    case 'expire':
      server.expire(Number(line.now));
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
  // Where there is no folder of vectors, reading them has said so.
  expect(checked > 0 || lines.length === 0).toBe(true);
});
