import { describe, expect, test } from 'vitest';
import { ServerDelivery, type ServerDeliveryOptions } from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { fillPeople, listPeople, people, type Person, person, snapshotOf } from './people.ts';
import { errorOf } from '../error-of.ts';

function submit(
  server: ServerDelivery,
  sequence: number,
  rows: readonly Person[],
  sentIds: readonly number[] = [],
  nowMs = 0,
): void {
  server.draft.sequence = sequence;
  server.draft.kind = sequence === 1 ? SnapshotKind.FullReplace : SnapshotKind.Patch;
  fillPeople(server.draft.snapshot, rows, sequence);
  expect(server.plan(Uint32Array.from(sentIds))).toBe('accepted');
  server.commit(nowMs);
}

/** A server whose client has acknowledged the complete replacement 1 of three people. */
function started(options: ServerDeliveryOptions = {}): ServerDelivery {
  const server = new ServerDelivery(people, options);
  submit(server, 1, [person(1, 0), person(2, 0), person(3, 0)]);
  expect(server.acknowledge(1)).toBe('promoted');
  return server;
}

describe('a baseline', () => {
  test('is there only after a complete replacement was acknowledged', () => {
    const server = new ServerDelivery(people);
    expect(server.baseline).toBe(undefined);
    submit(server, 1, [person(1, 0)]);
    expect(server.baseline).toBe(undefined);
    server.acknowledge(1);
    expect(server.baseline?.sequence).toBe(1);
  });

  test('is the latest acknowledged result over unreliable delivery', () => {
    const server = started();
    submit(server, 2, [person(1, 1)]);
    expect(server.baseline?.sequence).toBe(1);
    server.acknowledge(2);
    expect(server.baseline?.sequence).toBe(2);
  });

  test('is the latest submitted result over reliable delivery', () => {
    const server = started({ delivery: 'reliable' });
    expect(server.baseline?.sequence).toBe(1);
    submit(server, 2, [person(1, 1)]);
    expect(server.baseline?.sequence).toBe(2);
    submit(server, 5, [person(1, 2)]);
    expect(server.baseline?.sequence).toBe(5);
    server.acknowledge(5);
    expect(server.baseline?.sequence).toBe(5);
  });

  test('is none over reliable delivery when the latest submitted result has expired', () => {
    const server = started({ delivery: 'reliable', maxAgeMs: 10 });
    submit(server, 2, [person(1, 1)], [], 0);
    expect(server.prepare(11)).toBe(true);
    expect(server.baseline).toBe(undefined);
  });
});

test('rows to recover are those whose newest state is not acknowledged', () => {
  const server = started();
  submit(server, 2, [person(1, 7), person(2, 0), person(3, 0)], [1]);
  submit(server, 3, [person(1, 7), person(2, 8), person(3, 0)], [1, 2]);
  submit(server, 4, [person(1, 7), person(2, 9), person(3, 0)], [1, 2]);
  submit(server, 5, [person(2, 9), person(3, 6)], [3]);
  expect(listPeople(server.recoveryRows)).toEqual([person(1, 7), person(2, 9), person(3, 6)]);
  expect(server.acknowledge(3)).toBe('promoted');
  expect(listPeople(server.recoveryRows)).toEqual([person(2, 9), person(3, 6)]);
  expect(server.acknowledge(5)).toBe('promoted');
  expect(listPeople(server.recoveryRows)).toEqual([]);
});

test('case 122: a sequence that would wrap is refused, and nothing changes', () => {
  const server = started();
  submit(server, 0xffff_fffe, [person(1, 1)]);
  const refusals = [0xffff_ffff, 0, 0xffff_fffe, 2 ** 32, 1.5].map((sequence) => {
    server.draft.sequence = sequence;
    return errorOf(() => server.plan());
  });
  expect(refusals).toEqual([
    'SEQUENCE_EXHAUSTED/sequence-exhausted',
    'VALUE_INVALID/sequence-zero',
    'VALUE_INVALID/sequence-not-later',
    'VALUE_INVALID/sequence-not-later',
    'VALUE_INVALID/sequence-not-later',
  ]);
  expect(errorOf(() => server.commit(0))).toBe('STATE_INVALID/nothing-planned');
  expect([server.latestSubmitted, server.submittedCount]).toEqual([0xffff_fffe, 1]);
  expect(server.acknowledge(0xffff_ffff)).toBe('future');
  expect(server.acknowledge(0xffff_fffe)).toBe('promoted');
});

test('case 125: an older acknowledgement does not move the latest one back', () => {
  const server = started();
  for (let n = 2; n <= 10; n++) submit(server, n, [person(1, n)]);
  expect(server.acknowledge(10)).toBe('promoted');
  expect(server.acknowledge(8)).toBe('stale');
  expect(server.acknowledge(10)).toBe('duplicate');
  expect([server.latestAcknowledged, server.baseline?.sequence]).toEqual([10, 10]);
  expect(server.ackCounts).toEqual({
    promoted: 2,
    duplicate: 1,
    stale: 1,
    future: 0,
    missing: 0,
  });
});

describe('recovery', () => {
  test('ends when a replacement is acknowledged that was sent before it began', () => {
    const server = new ServerDelivery(people);
    submit(server, 1, [person(1, 0)]);
    server.discard('client-request');
    expect(server.acknowledge(1)).toBe('promoted');
    expect(server.recoveryReason).toBe('none');
  });

  test('begins by a stall at the threshold, which promotes nothing by itself', () => {
    const server = started({ stallThreshold: 2 });
    submit(server, 2, [person(1, 1)]);
    expect(server.checkStall()).toBe(false);
    submit(server, 3, [person(1, 2)]);
    expect(server.checkStall()).toBe(true);
    expect(server.recoveryReason).toBe('ack-stalled');
    expect(server.acknowledge(3)).toBe('promoted');
    expect(server.recoveryReason).toBe('ack-stalled');
  });

  test('keeps its reason while the acknowledgements stall', () => {
    const server = new ServerDelivery(people, { stallThreshold: 1 });
    submit(server, 1, [person(1, 0)]);
    expect(server.prepare(0)).toBe(true);
    expect(server.recoveryReason).toBe('no-acknowledged-baseline');
  });

  test('rows beyond their bound are pressure; a replacement after it is not', () => {
    const server = started({ maxRecoveryRows: 2 });
    server.draft.sequence = 2;
    server.draft.kind = SnapshotKind.Patch;
    fillPeople(server.draft.snapshot, [person(1, 1), person(2, 1), person(3, 1)]);
    expect(server.plan(Uint32Array.of(1, 2, 3))).toBe('retention-pressure');
    server.discard();
    expect(server.recoveryReason).toBe('retention-pressure');
    server.draft.sequence = 2;
    expect(server.plan()).toBe('accepted');
  });
});

describe('a plan', () => {
  test('outlives an expiry and an acknowledgement of what would have gone', () => {
    const server = new ServerDelivery(people, { maxBytes: 1200, maxAgeMs: 10 });
    submit(server, 1, [person(1, 0)]);
    submit(server, 2, [person(1, 1)]);
    server.draft.sequence = 3;
    fillPeople(server.draft.snapshot, [person(1, 2)]);
    expect(server.plan()).toBe('accepted');
    expect(server.plannedEvictions).toBe(1);
    expect(server.acknowledge(2)).toBe('promoted');
    server.expire(11);
    server.commit(11);
    expect([server.latestSubmitted, server.submittedCount]).toEqual([3, 1]);
    expect(server.acknowledged).toBe(undefined);
  });

  test('is refused for a result that is too large by itself', () => {
    const server = new ServerDelivery(people, { maxBytes: 100 });
    server.draft.sequence = 1;
    fillPeople(server.draft.snapshot, [person(1, 2)]);
    expect(server.plan()).toBe('too-large');
    expect(errorOf(() => server.commit(0))).toBe('STATE_INVALID/nothing-planned');
  });

  test('refuses kinds, times and ids that there are not', () => {
    const server = started();
    const { draft } = server;
    draft.sequence = 2;
    fillPeople(draft.snapshot, [person(4, 2), person(6, 2)]);
    const refusals = [
      errorOf(() => server.plan(Uint32Array.of(6, 4))),
      errorOf(() => server.plan(Uint32Array.of(5))),
      errorOf(() => server.plan(Uint32Array.of(0))),
      errorOf(() => server.plan(Uint32Array.of(4), 2)),
      errorOf(() => server.plan(Uint32Array.of(4), -1)),
      errorOf(() => server.plan(Uint32Array.of(7), 1, snapshotOf([person(4, 0)]))),
      errorOf(() => server.prepare(Number.NaN)),
      errorOf(() => server.expire(Number.POSITIVE_INFINITY)),
    ];
    draft.kind = 2;
    refusals.push(errorOf(() => server.plan()));
    expect(refusals).toEqual([
      ...Array.from({ length: 6 }, () => 'VALUE_INVALID/recovery-ids'),
      'VALUE_INVALID/time-range',
      'VALUE_INVALID/time-range',
      'VALUE_INVALID/snapshot-kind',
    ]);
    expect([server.latestSubmitted, server.recoveryRows.count]).toEqual([1, 0]);
  });
});

test('a book that is reset is as a new one', () => {
  const server = started();
  submit(server, 2, [person(1, 1)], [1]);
  server.acknowledge(9);
  server.reset();
  const { latestSubmitted, latestAcknowledged, submittedCount, retainedBytes } = server;
  expect([latestSubmitted, latestAcknowledged, submittedCount, retainedBytes]).toEqual([
    0, 0, 0, 0,
  ]);
  expect([server.recoveryReason, server.recoveryRows.count, server.evictions]).toEqual([
    'no-acknowledged-baseline',
    0,
    0,
  ]);
  expect([server.ackCounts.promoted, server.ackCounts.future]).toEqual([0, 0]);
  submit(server, 1, [person(1, 0)]);
  expect(server.acknowledge(1)).toBe('promoted');
});

test('options that are out of range are refused', () => {
  const bad: ServerDeliveryOptions[] = [
    { maxResults: 1 },
    { maxResults: 65 },
    { maxBytes: 0 },
    { maxAgeMs: 0 },
    { maxAgeMs: Number.POSITIVE_INFINITY },
    { maxRecoveryRows: 0.5 },
    { stallThreshold: 0 },
    { stallThreshold: 64 },
    { maxResults: 8, stallThreshold: 8 },
    { isPartial: 'yes' as unknown as boolean },
    { delivery: 'sometimes' as 'reliable' },
  ];
  const codes = bad.map((options) => errorOf(() => new ServerDelivery(people, options)));
  expect(codes).toEqual([
    ...bad.slice(1).map(() => 'OPTION_INVALID/option-range'),
    'OPTION_INVALID/delivery-unknown',
  ]);
  expect(errorOf(() => new ServerDelivery(people, { maxResults: 8 }))).toBe('none');
});
