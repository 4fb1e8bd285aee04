import { describe, expect, test } from 'vitest';
import {
  ClientDelivery,
  type ClientDeliveryOptions,
  type ReceivedHeader,
  type ReceiveStatus,
} from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { fillPeople, listPeople, people, person } from './people.ts';
import { errorOf } from '../error-of.ts';

function full(sequence: number, tick = sequence): ReceivedHeader {
  const kind = SnapshotKind.FullReplace;
  return { kind, tickHigh: 0, tickLow: tick, sequence, baselineSequence: 0 };
}

function patch(sequence: number, baselineSequence: number, tick = sequence): ReceivedHeader {
  const kind = SnapshotKind.Patch;
  return { kind, tickHigh: 0, tickLow: tick, sequence, baselineSequence };
}

/** Takes an update whose outcome is one person with its sequence for a hue. */
function take(client: ClientDelivery, header: ReceivedHeader): ReceiveStatus {
  const status = client.begin(header);
  if (status !== 'ready') return status;
  const { draft } = client;
  fillPeople(draft.snapshot, [person(1, header.sequence)], draft.snapshot.tick);
  client.commit();
  return status;
}

function held(client: ClientDelivery): (number | undefined)[] {
  return Array.from({ length: client.historyCount }, (_, at) => client.historyAt(at)?.sequence);
}

test('case 118: two updates of one poll are kept, and a patch finds its own baseline', () => {
  const client = new ClientDelivery(people);
  take(client, full(7));
  take(client, full(10));
  expect(client.latestApplied).toBe(10);
  expect(client.begin(patch(11, 7))).toBe('ready');
  expect(client.baseline?.sequence).toBe(7);
  expect(client.appliesDirectly).toBe(false);
  client.abandon();
  expect(client.begin(patch(11, 10))).toBe('ready');
  expect(client.appliesDirectly).toBe(true);
  client.abandon();
  expect(client.begin(patch(11, 8))).toBe('missing-baseline');
  expect(client.baseline).toBe(undefined);
  expect(errorOf(() => client.commit())).toBe('STATE_INVALID/nothing-begun');
});

test('case 124: what comes late or again is counted and never applied', () => {
  const client = new ClientDelivery(people);
  const shown: number[] = [];
  for (const sequence of [105, 103, 105, 104, 106]) {
    take(client, full(sequence));
    shown.push(client.newest?.sequence ?? 0);
  }
  expect(shown).toEqual([105, 105, 105, 105, 106]);
  expect(client.applied).toBe(2);
  const { late, duplicate } = client.receiveCounts;
  expect([late, duplicate]).toEqual([2, 1]);
});

describe('an update', () => {
  test('with an earlier tick is refused, with an equal one it is not', () => {
    const client = new ClientDelivery(people);
    const wide = (sequence: number, tickHigh: number, tickLow: number): ReceivedHeader => ({
      ...full(sequence),
      tickHigh,
      tickLow,
    });
    expect(take(client, wide(1, 1, 5))).toBe('ready');
    expect(take(client, wide(2, 1, 4))).toBe('tick-earlier');
    expect(take(client, wide(2, 0, 9))).toBe('tick-earlier');
    expect(take(client, wide(2, 1, 5))).toBe('ready');
    expect(take(client, wide(3, 2, 0))).toBe('ready');
    expect(client.newest?.snapshot.tick).toBe(2 ** 33);
  });

  test('that is abandoned is as if it had not come', () => {
    const client = new ClientDelivery(people);
    take(client, full(1));
    expect(client.begin(patch(2, 1))).toBe('ready');
    fillPeople(client.draft.snapshot, [person(9, 9)]);
    client.abandon();
    expect([client.latestApplied, held(client)]).toEqual([1, [1]]);
    expect(take(client, patch(2, 1))).toBe('ready');
    expect(listPeople(client.newest?.snapshot ?? client.draft.snapshot)).toEqual([person(1, 2)]);
  });

  test('that is abandoned costs no history, however large it was', () => {
    const client = new ClientDelivery(people, { maxBytes: 20_000 });
    take(client, full(1));
    take(client, full(2));
    client.begin(full(3));
    client.draft.snapshot.reserve(5000);
    client.abandon();
    take(client, full(4));
    expect(held(client)).toEqual([1, 2, 4]);
    expect(client.retainedBytes).toBeLessThanOrEqual(20_000);
  });

  test.each([
    ['sequence 0', full(0)],
    ['a sequence beyond a u32', full(2 ** 32)],
    ['a broken sequence', full(1.5)],
    ['a replacement with a baseline', { ...full(3), baselineSequence: 2 }],
    ['a patch without one', patch(3, 0)],
    ['a patch on itself', patch(3, 3)],
    ['a patch on a later one', patch(3, 4)],
    ['no kind', { ...full(3), kind: 2 }],
  ])('is refused: %s', (_, header) => {
    const client = new ClientDelivery(people);
    take(client, full(1));
    expect(client.begin(header)).toBe('invalid-header');
    expect([client.latestApplied, client.receiveCounts['invalid-header']]).toEqual([1, 1]);
  });
});

describe('recovery', () => {
  test('is asked for once a baseline until an update was applied', () => {
    const client = new ClientDelivery(people);
    take(client, full(1));
    const statuses = [
      client.begin(patch(12, 8)),
      client.begin(patch(13, 8)),
      client.begin(patch(14, 9)),
      client.begin(patch(15, 8)),
      client.begin(patch(16, 9)),
      take(client, full(17)),
      client.begin(patch(18, 9)),
    ];
    expect(statuses).toEqual([
      'missing-baseline',
      'awaiting-recovery',
      'missing-baseline',
      'awaiting-recovery',
      'awaiting-recovery',
      'ready',
      'missing-baseline',
    ]);
  });

  test('is asked for again after an abandoned update only if it was not asked for', () => {
    const client = new ClientDelivery(people);
    client.begin(patch(2, 1));
    expect(client.begin(full(3))).toBe('ready');
    client.abandon();
    expect(client.begin(patch(4, 1))).toBe('awaiting-recovery');
  });
});

describe('the history', () => {
  test('holds the newest 64', () => {
    const client = new ClientDelivery(people);
    for (let n = 1; n <= 70; n++) take(client, full(n));
    expect(held(client)).toEqual(Array.from({ length: 64 }, (_, at) => at + 7));
    expect(client.begin(patch(71, 6))).toBe('missing-baseline');
    expect(client.begin(patch(71, 7))).toBe('ready');
  });

  test('keeps to its bytes, and the newest replica whatever it takes', () => {
    const options: ClientDeliveryOptions = { maxBytes: 1200 };
    const client = new ClientDelivery(people, options);
    for (let n = 1; n <= 5; n++) take(client, full(n));
    expect(held(client)).toEqual([4, 5]);
    expect(client.retainedBytes).toBe(2 * 16 * 36);
    client.begin(full(6));
    client.draft.snapshot.reserve(100);
    client.commit();
    expect(held(client)).toEqual([6]);
  });

  test('is empty after a reset', () => {
    const client = new ClientDelivery(people);
    take(client, full(5));
    client.begin(patch(9, 8));
    client.reset();
    expect([client.latestApplied, client.applied, held(client), client.retainedBytes]).toEqual([
      0,
      0,
      [],
      0,
    ]);
    expect(client.receiveCounts['missing-baseline']).toBe(0);
    expect(client.begin(patch(2, 1))).toBe('missing-baseline');
    expect(take(client, full(1, 0))).toBe('ready');
  });
});

test('options that are out of range are refused', () => {
  const bad: ClientDeliveryOptions[] = [{ maxResults: 1 }, { maxResults: 65 }, { maxBytes: 1.5 }];
  const codes = bad.map((options) => errorOf(() => new ClientDelivery(people, options)));
  expect(codes).toEqual(bad.map(() => 'OPTION_INVALID/option-range'));
});
