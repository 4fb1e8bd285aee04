import { createAnchor } from '#dist/shared/anchor.js';
import { viewColumn } from '#dist/shared/schema.js';
import { DriverStats } from '#dist/sim-worker/driver-stats.js';
import { allocatedBytes, pairNs } from './lib/measure.ts';
import { createPositions } from './lib/positions.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What publishing a tick costs, set against a memcpy of the published bytes. The copy is the faster
 * of `TypedArray.set` and `memory.copy`, over the same columns, into the same slots in turn. One
 * idle reader, no waiter; bookkeeping included.
 */
const BOUND = 1.3;
const READERS = 1;

for (const entities of sized([1000], [10_000, 100_000, 1_000_000], [10_000, 100_000, 1_000_000])) {
  const { region, publisher } = createPositions(entities, READERS);
  const { layout } = region;
  const bytes = entities * 8;
  const stats = new DriverStats();
  for (let i = 0; i < 256; i++) {
    stats.lateness.add(i);
    stats.delay.add(i);
    stats.tickTime.add(i);
  }
  const anchor = createAnchor();
  anchor.running = true;
  const slotsUsed = new Set<number>();
  const publish = (): void => {
    publisher.scan();
    publisher.capture(++anchor.tick);
    publisher.publish(anchor, stats);
  };
  for (let i = 0; i < 16; i++) {
    publish();
    slotsUsed.add(publisher.writer.slotAt(2));
  }
  const source = layout.world.columns[0] as number;
  const targets = [...slotsUsed].map(
    (slot) => publisher.writer.slotOffset(slot) + (layout.slotColumns[0] as number),
  );
  const view = (offset: number): Float32Array =>
    viewColumn(region.buffer, 'f32', offset, entities * 2) as Float32Array;
  const column = view(source);
  const columns = targets.map(view);
  const { copy } = publisher.writer;
  let turn = 0;
  const copyMemory = (): void => copy(targets[turn++ % targets.length] as number, source, bytes);
  const copySet = (): void => (columns[turn++ % columns.length] as Float32Array).set(column);
  const calls = Math.max(8, Math.round(sized(2e5, 2e7, 4e7) / entities));
  const blocks = sized(3, 31, 101);
  const set = pairNs(blocks, calls, copySet, copyMemory);
  const fastest = set.ns < set.otherNs ? copySet : copyMemory;
  const { ns, otherNs, ratio } = pairNs(blocks, calls, publish, fastest);
  const allocated = allocatedBytes(publish, sized(1000, 1e9 / entities, 1e9 / entities));
  report('publish', {
    entities,
    bytes,
    ns: round(ns),
    memcpyNs: round(otherNs),
    ratio: round(ratio),
    allocatedBytes: allocated,
    bound: BOUND,
    ok: ratio <= BOUND && allocated === 0,
  });
}
