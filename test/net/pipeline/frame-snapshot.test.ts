import { afterEach, describe, expect, test } from 'vitest';
import { FrameSnapshot } from '../../../src/net/pipeline/frame-snapshot.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import type { FieldShape, RecordShape } from '../../../src/net/record/record-shape.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import type { Entity } from '../../../src/shared/entity.ts';
import { openStage, type Stage } from '../../render/stage.ts';
import { leanCodec } from './lean-record.ts';

const UNCHECKED = { check: 'none', blend: 'step', turn: 0 } as const;

let stage: Stage;
afterEach(() => stage.close());

/** A record with a place of two numbers, as the stage's `position`, and a size. */
function shapeOf(): RecordShape {
  const fields: FieldShape[] = [
    { name: 'spot', index: 0, codec: leanCodec('f32', 2), lane: 0, ...UNCHECKED },
    { name: 'scale', index: 1, codec: leanCodec('f32', 2), lane: 2, ...UNCHECKED },
  ];
  const lanes = fields.flatMap(({ codec, index }) =>
    codec.lanes.map((spec) => ({ ...spec, field: index })),
  );
  return { fields, lanes, position: 0 };
}

const TICK_MS = 1000 / 60;

describe('a population from a frame', () => {
  test('is that of the later tick, with ids that ascend and are used once', async () => {
    const handles: Entity[] = [];
    stage = await openStage(({ world, columns, tick }) => {
      if (tick === 0) {
        for (let i = 0; i < 3; i++)
          handles.push(world.spawn({ position: [i, 0], scale: [i, 2] }) as Entity);
      }
      if (tick === 2) {
        world.despawn(handles[1] as never);
        handles.push(world.spawn({ position: [9, 0], scale: [9, 2] }) as Entity);
      }
      columns.position[0] = tick;
    });
    const view = stage.openView({ latest: true });
    const shape = shapeOf();
    const filler = new FrameSnapshot(shape, {
      capacity: view.capacity,
      channels: { spot: 'position' },
    });
    const snapshot = new Snapshot(shape);
    const tick = new TickSource(shape);
    const seen: unknown[] = [];
    for (const until of [1, 2]) {
      stage.advanceTo(until * TICK_MS + 0.001);
      using frame = view.frame();
      expect(filler.fill(frame, snapshot)).toBe(true);
      tick.load(snapshot);
      const ids = Array.from(snapshot.ids.subarray(0, snapshot.count));
      seen.push({
        tick: snapshot.tick,
        entities: ids.map((id) => filler.entityOf(id)),
        x: ids.map((_, row) => tick.canonical.columns[0]?.values[row * 2]),
        size: ids.map((_, row) => tick.canonical.columns[1]?.values[row * 2]),
      });
      expect(ids).toEqual([...ids].sort((left, right) => left - right));
      expect(ids.map((id) => filler.idOf(filler.entityOf(id)))).toEqual(ids);
    }
    const [first, second, third, fourth] = handles;
    expect(seen).toEqual([
      { tick: 1, entities: [first, second, third], x: [1, 1, 2], size: [0, 1, 2] },
      { tick: 2, entities: [first, fourth, third], x: [2, 9, 2], size: [0, 9, 2] },
    ]);
  });

  test('takes the slots that it is given, and refuses channels that do not fit', async () => {
    stage = await openStage(({ world, tick }) => {
      if (tick === 0)
        for (let i = 0; i < 3; i++)
          world.spawn({ position: [i, 0], ...(i === 1 ? {} : { scale: [i, 0] }) });
    });
    stage.advanceTo(TICK_MS + 0.001);
    const view = stage.openView({ latest: true });
    const shape = shapeOf();
    const { capacity } = view;
    const filler = new FrameSnapshot(shape, { capacity, channels: { spot: 'position' } });
    const wrong = new FrameSnapshot(shape, { capacity, channels: { spot: 'place' } });
    const snapshot = new Snapshot(shape);
    using frame = view.frame();
    filler.fill(frame, snapshot, frame.indicesOf(view.query({ all: ['scale'] })));
    expect(Array.from(snapshot.columns[0]?.values.subarray(0, 4) ?? [])).toEqual([0, 0, 2, 0]);
    expect(() => wrong.fill(frame, snapshot)).toThrow(
      expect.objectContaining({ fault: 'frame-channel-width' }) as Error,
    );
    expect(filler.fill({ ...plainFrame, status: 'busy' }, snapshot)).toBe(false);
    expect(snapshot.count).toBe(2);
  });
});

const plainFrame = {
  indices: new Uint32Array(0),
  entities: new Uint32Array(0),
  pair: { laterTick: 0, later: () => [] },
};
