import { expect, test } from 'vitest';
import {
  definePipeline,
  type Pipeline,
  type Snapshot,
  Technique,
  TickSource,
  UpdateOutput,
  UpdateReceiver,
  UpdateSender,
} from '../../../src/net/index.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import { chanceOf } from '../wire/populations.ts';
import { World } from './world.ts';

const calls = scaled({ tiny: 1500, normal: 3000, full: 6000 });
const { Delta, DeltaFieldMask, Incremental, Quantization, OctHeading, BitPacking } = Technique;

const packed = Quantization | OctHeading | BitPacking;
const area = { mode: 'radius', radius: 50, fovDegrees: 0 } as const;
const bands = {
  mode: 'distance-bands',
  near: 20,
  medium: 40,
  mediumIntervalTicks: 2,
  farIntervalTicks: 5,
} as const;

const pipelines: [string, Pipeline][] = [
  ['field masks', definePipeline({ techniques: Delta | DeltaFieldMask })],
  ['turns', definePipeline({ techniques: Incremental | packed, maxEntitiesPerUpdate: 10 })],
  [
    'bands',
    definePipeline({ techniques: Delta | packed, areaOfInterest: area, levelOfDetail: bands }),
  ],
];

/** Moves a third of a population a little, and lets the last one come and go. */
function change(population: Snapshot, count: number): void {
  population.tickLow++;
  population.count = population.tickLow % 8 === 0 ? count - 1 : count;
  const hues = population.columns[3]?.bits as Uint32Array;
  for (let row = population.tickLow % 3; row < count; row += 3) {
    hues[row] = (population.tickLow + row) & 255;
  }
}

test.each(pipelines)(
  'from a tick to a client and back nothing is left on the heap: %s',
  (_, of) => {
    const packets = { maxPayloadBytes: 300, maxGroupBytes: 50_000 };
    const output = new UpdateOutput(of, { packets });
    const sender = new UpdateSender(output);
    const receiver = new UpdateReceiver(of, { packets });
    const tick = new TickSource(of.shape);
    const population = new World(of, chanceOf(5), 60).write(0);
    const request = { source: { position: [0, 0, 0] as const } };
    const out = new Uint8Array(16);
    const messages = [out.subarray(0, 6), out.subarray(0, 10)];
    let turn = 0;
    const work = (): void => {
      turn = (turn + 1) | 0;
      // A time that is no double, since one that is handed over is a box of the test's own.
      const nowMs = turn << 4;
      change(population, 60);
      tick.load(population);
      if (sender.prepare(tick, nowMs, request) !== 'prepared') throw new Error('not prepared');
      // One in sixteen is refused before any of it has gone.
      const isRefused = (turn & 15) === 7;
      const count = isRefused ? 0 : sender.packetCount;
      for (let at = 0; at < count; at++) {
        // One update in four loses a packet, and one acknowledgement in four.
        if ((turn & 3) === 1 && at === 0) continue;
        receiver.acceptPacket(sender.packetAt(at), nowMs);
      }
      if (isRefused) sender.abandon();
      else sender.commit(nowMs);
      for (;;) {
        const length = receiver.takeMessage(out);
        if (length === 0) break;
        if ((turn & 3) === 2) continue;
        sender.acceptMessage(messages[length === 6 ? 0 : 1] as Uint8Array, nowMs);
      }
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(receiver.delivery.applied).toBeGreaterThan(calls);
    expect(sender.delivery.forcedReplacements).toBeLessThan(20);
  },
);
