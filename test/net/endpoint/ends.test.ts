import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  definePipeline,
  encodeRecoveryRequest,
  loadZstd,
  Packetizer,
  resolveDefinition,
  Technique,
  TickSource,
  UpdateEncoder,
  UpdateOutput,
  UpdateReceiver,
  UpdateSender,
} from '../../../src/net/index.ts';
import { compilePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { scaled } from '../../scaled.ts';
import { chanceOf, rowsOf } from '../wire/populations.ts';
import { viewOfReceiver, viewOfSender } from './ends-view.ts';
import { Pair } from './pair.ts';
import { World } from './world.ts';

const { Delta, DeltaFieldMask, Incremental, OctHeading } = Technique;
const pipeline = definePipeline({ techniques: Delta | DeltaFieldMask });
const packets = { maxPayloadBytes: 90, maxGroupBytes: 100_000 };
const zstd = await loadZstd();

function worldOf(of = pipeline, count = 12): World {
  return new World(of, chanceOf(3), count);
}

const faultOf = (fault: string): Error => expect.objectContaining({ fault }) as Error;

describe('a refused send', () => {
  test('of a part leaves both ends as they were, and the same update comes again', () => {
    const world = worldOf();
    const pair = new Pair(pipeline, { packets });
    for (let tick = 0; tick < 5; tick++) pair.step(world.write(tick));
    world.change(3);
    pair.tickSource.load(world.write(5));
    const { sender, receiver } = pair;
    const before = [viewOfSender(sender), viewOfReceiver(receiver)];
    const attempts = [0, 1].map(() => {
      expect(sender.prepare(pair.tickSource, 0)).toBe('prepared');
      const first = sender.packetAt(0).slice();
      sender.abandon();
      expect([viewOfSender(sender), viewOfReceiver(receiver)]).toEqual(before);
      return first;
    });
    expect(attempts[1]).toEqual(attempts[0]);
    expect(() => {
      sender.commit(0);
    }).toThrow(faultOf('nothing-to-commit'));
    expect(() => sender.packetAt(0)).toThrow(faultOf('nothing-to-send'));
    expect(pair.step(world.write(6))).toBe('applied');
  });

  test('after which the client took some of the packets leaves the client as it was', () => {
    const world = worldOf();
    const pair = new Pair(pipeline, { packets });
    pair.tickSource.load(world.write(1));
    const { sender, receiver } = pair;
    const before = [viewOfSender(sender), viewOfReceiver(receiver)];
    expect(sender.prepare(pair.tickSource, 0)).toBe('prepared');
    expect(sender.packetCount).toBeGreaterThan(3);
    for (let at = 1; at < sender.packetCount; at++) {
      expect(receiver.acceptPacket(sender.packetAt(at), 0)).toBe('incomplete');
    }
    sender.abandon();
    expect([viewOfSender(sender), viewOfReceiver(receiver)]).toEqual(before);
  });

  test('with a time that is none changes nothing and may be said again', () => {
    const world = worldOf();
    const pair = new Pair(pipeline);
    pair.tickSource.load(world.write(1));
    expect(pair.sender.prepare(pair.tickSource, 0)).toBe('prepared');
    const before = viewOfSender(pair.sender);
    expect(() => {
      pair.sender.commit(Number.NaN);
    }).toThrow(faultOf('time-range'));
    expect(viewOfSender(pair.sender)).toEqual(before);
    pair.sender.commit(0);
    expect(pair.sender.delivery.latestSubmitted).toBe(1);
  });
});

describe('sequences', () => {
  test.each([
    [0, 'sequence-zero'],
    [2 ** 32 - 1, 'sequence-exhausted'],
  ])('%d is not sent, and nothing changes', (next, fault) => {
    const world = worldOf();
    const pair = new Pair(pipeline);
    pair.step(world.write(1));
    pair.sender.state.nextSequence = next;
    const before = viewOfSender(pair.sender);
    expect(() => pair.send(world.write(2))).toThrow(faultOf(fault));
    expect(viewOfSender(pair.sender)).toEqual(before);
  });

  test('the last one is sent and applied, and there is none after it', () => {
    const world = worldOf();
    const pair = new Pair(pipeline);
    pair.sender.state.nextSequence = 2 ** 32 - 2;
    expect(pair.step(world.write(1))).toBe('applied');
    expect(pair.receiver.newestSequence).toBe(2 ** 32 - 2);
    expect(pair.sender.delivery.latestAcknowledged).toBe(2 ** 32 - 2);
    expect(() => pair.send(world.write(2))).toThrow(faultOf('sequence-exhausted'));
  });

  test('0 is refused by the client', () => {
    const world = worldOf();
    const raw = { packets: { enabled: false, maxPayloadBytes: 5000 } };
    const pair = new Pair(pipeline, raw);
    const [packet = new Uint8Array(0)] = pair.send(world.write(1));
    const forged = packet.slice();
    forged.fill(0, 25, 29);
    expect(pair.take([forged])).toBe('refused');
    expect([pair.receiver.stage, pair.receiver.detail]).toEqual(['header', 'reserved-sequence']);
    expect(pair.take([packet])).toBe('applied');
  });
});

describe('what does not fit', () => {
  test('an update in packets of another group is refused', () => {
    const pair = new Pair(pipeline, { packets: { maxPayloadBytes: 5000 } });
    const [packet = new Uint8Array(0)] = pair.send(worldOf().write(1));
    const packetizer = new Packetizer({ maxPayloadBytes: 5000 });
    expect(packetizer.prepare(2, packet.subarray(25))).toBe('prepared');
    expect(pair.take([packetizer.packetAt(0)])).toBe('refused');
    expect(pair.receiver.detail).toBe('group-sequence-mismatch');
    expect(pair.take([packet])).toBe('applied');
  });

  test('an update that is too long for its packets is told, and nothing changes', () => {
    const raw = { packets: { enabled: false, maxPayloadBytes: 100 } };
    const pair = new Pair(pipeline, raw);
    const before = viewOfSender(pair.sender);
    pair.tickSource.load(worldOf().write(1));
    expect(pair.sender.prepare(pair.tickSource, 0)).toBe('raw-payload-too-large');
    expect(viewOfSender(pair.sender)).toEqual(before);
    const longGroup = new Pair(pipeline, { packets: { ...packets, maxGroupBytes: 100 } });
    longGroup.tickSource.load(worldOf().write(1));
    expect(longGroup.sender.prepare(longGroup.tickSource, 0)).toBe('group-size-out-of-bounds');
  });

  test('a result that cannot be kept is not sent, and the next one is complete', () => {
    const world = worldOf(pipeline, 3);
    const pair = new Pair(pipeline, {}, { maxBytes: 1200 });
    expect(pair.step(world.write(1))).toBe('applied');
    for (let id = 4; id < 21; id++) world.toggle(id);
    pair.tickSource.load(world.write(2));
    expect(pair.sender.prepare(pair.tickSource, 0)).toBe('retention-pressure');
    expect(pair.sender.delivery.recoveryReason).toBe('retention-pressure');
    for (let id = 21; id < 200; id++) world.toggle(id);
    pair.tickSource.load(world.write(3));
    expect(pair.sender.prepare(pair.tickSource, 0)).toBe('too-large');
    expect(pair.sender.state.nextSequence).toBe(2);
  });

  test('compression on both levels without packet headers could not be told apart', () => {
    const options = {
      compressUpdates: true,
      compressPackets: true,
      packets: { enabled: false },
    } as const;
    const fault = faultOf('compression-ambiguous');
    expect(() => new UpdateOutput(pipeline, options)).toThrow(fault);
    expect(() => new UpdateReceiver(pipeline, options)).toThrow(fault);
  });

  test('a pipeline that is good for decoding only does not encode', () => {
    const definition = resolveDefinition({ techniques: Incremental, maxEntitiesPerUpdate: 0 });
    const decoding = compilePipeline(definition);
    expect(() => new UpdateEncoder(decoding)).toThrow(faultOf('cap-zero'));
    expect(() => new UpdateOutput(decoding)).toThrow(faultOf('cap-zero'));
    expect(new UpdateReceiver(decoding).newestSequence).toBe(0);
    const impossible = resolveDefinition({ techniques: OctHeading });
    expect(() => compilePipeline(impossible)).toThrow(faultOf('oct-needs-quantization'));
  });
});

describe('an output', () => {
  test('that many senders share has the packets of the last one only', () => {
    const world = worldOf();
    const pair = new Pair(pipeline);
    const other = new UpdateSender(pair.output);
    pair.tickSource.load(world.write(1));
    expect(pair.sender.prepare(pair.tickSource, 0)).toBe('prepared');
    expect(other.prepare(pair.tickSource, 0)).toBe('prepared');
    expect(() => pair.sender.packetAt(0)).toThrow(faultOf('packets-overwritten'));
    expect(other.packetAt(0).length).toBeGreaterThan(100);
    // The books are each sender's own, so what was sent before may still be committed.
    pair.sender.commit(0);
    other.commit(0);
    expect(pair.sender.delivery.submittedAt(0)?.snapshot).not.toBe(
      other.delivery.submittedAt(0)?.snapshot,
    );
  });

  test.each([
    ['updates', { compressUpdates: true, zstd }],
    ['packets', { compressPackets: true, zstd }],
    ['both', { compressUpdates: true, compressPackets: true, zstd }],
    ['updates without zstd', { compressUpdates: true }],
    [
      'updates without packet headers',
      { compressUpdates: true, zstd, packets: { enabled: false } },
    ],
    [
      'packets without packet headers',
      { compressPackets: true, zstd, packets: { enabled: false } },
    ],
  ])('compresses %s, and the client takes them', (_, transfer) => {
    const world = worldOf(pipeline, 30);
    const pair = new Pair(pipeline, transfer);
    const plain = new Pair(pipeline, { packets: { maxPayloadBytes: 5000 } });
    for (let tick = 0; tick < 4; tick++) {
      expect(pair.step(world.write(tick))).toBe('applied');
      plain.step(world.snapshot);
      expect(rowsOf(pair.receiver.newest as never)).toEqual(
        world.seenFrom({ position: [0, 0, 0] }),
      );
      world.change(tick + 1);
    }
    expect(plain.receiver.newestSequence).toBe(4);
  });
});

describe('messages', () => {
  test('of any kind have an outcome, and rubbish changes nothing', () => {
    const world = worldOf();
    const pair = new Pair(pipeline);
    const { sender, receiver } = pair;
    const out = new Uint8Array(16);
    expect(receiver.takeMessage(out)).toBe(0);
    expect(pair.take(pair.send(world.write(1)))).toBe('applied');
    expect(() => receiver.takeMessage(new Uint8Array(5))).toThrow(faultOf('buffer-too-short'));
    expect(receiver.takeMessage(out)).toBe(6);
    const before = viewOfSender(sender);
    const rubbish = [[], [5], [5, 2, 0, 0, 0, 1], [5, 3, 0, 0, 0], [8, 3, 0, 0, 0, 1, 0, 0, 0, 0]];
    const found = rubbish.map((bytes) => sender.acceptMessage(Uint8Array.from(bytes), 0));
    expect(found).toEqual([
      'unknown-kind',
      'invalid-length',
      'unsupported-version',
      'invalid-length',
      'reserved-sequence',
    ]);
    expect(viewOfSender(sender)).toEqual(before);
    expect(sender.acceptMessage(out.subarray(0, 6), 0)).toBe('promoted');
    expect(sender.acceptMessage(out.subarray(0, 6), 0)).toBe('duplicate');
    encodeRecoveryRequest(out, 9, 3);
    expect(sender.acceptMessage(out.subarray(0, 10), 0)).toBe('recovery-ignored');
    pair.send(world.write(2));
    encodeRecoveryRequest(out, 2, 1);
    expect(sender.acceptMessage(out.subarray(0, 10), 0)).toBe('recovery-begun');
    expect(sender.delivery.recoveryReason).toBe('client-request');
  });
});

describe('a client', () => {
  const runs = { numRuns: scaled({ tiny: 300, normal: 1500, full: 100_000 }) };

  test('is as it was after packets with altered bytes, unless they are an update', () => {
    const world = worldOf();
    const transfers = [false, true].map((isSmall) => ({
      packets: { maxPayloadBytes: 120, maxGroupBytes: 50_000 },
      compressUpdates: isSmall,
      compressPackets: isSmall,
      zstd,
    }));
    /** Makes a pair, and the packets of an update that is still to come. */
    const prepare = (which: number): { pair: Pair; sent: Uint8Array[] } => {
      const pair = new Pair(pipeline, transfers[which]);
      for (let tick = 0; tick < 3; tick++) {
        pair.step(world.write(tick));
        world.change(tick);
      }
      return { pair, sent: pair.send(world.write(3)) };
    };
    const ends = [prepare(0), prepare(1)];
    const program = fc.property(
      fc.nat(1),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      fc.nat(200),
      (which, changes, cut) => {
        const { pair, sent } = ends[which] as (typeof ends)[0];
        const { receiver } = pair;
        const before = viewOfReceiver(receiver);
        let isApplied = false;
        for (const packet of sent) {
          const altered = packet.slice(0, Math.max(cut, 1));
          for (const [any, early, value] of changes) {
            altered[any % altered.length] = value;
            const at = early % Math.min(45, altered.length);
            altered[at] = (altered[at] as number) ^ value;
          }
          // Values may be altered so that nobody can tell, and then it is an update.
          isApplied ||= receiver.acceptPacket(altered, 0) === 'applied';
        }
        if (isApplied) ends[which] = prepare(which);
        else expect(viewOfReceiver(receiver)).toEqual(before);
      },
    );
    fc.assert(program, runs);
    const later = ends.map(({ pair }) => {
      pair.nowMs = 5001;
      return pair.take(pair.send(world.snapshot));
    });
    expect(later).toEqual(['applied', 'applied']);
  });
});

test('a source of another record is refused, and nothing is prepared', () => {
  const pair = new Pair(pipeline);
  const other = definePipeline({ techniques: Delta });
  const tick = new TickSource(other.shape);
  tick.load(worldOf(other).write(1));
  expect(() => pair.sender.prepare(tick, 0)).toThrow(faultOf('snapshot-foreign'));
  expect(pair.sender.packetCount).toBe(0);
});
