import { describe, expect, it } from 'vitest';
import type { BulkTypes } from './bulk-stage.ts';
import { frustumPlanes, type MatrixOptions } from '../../src/render/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { openBulkStage } from './bulk-stage.ts';

const calls = scaled({ tiny: 2000, normal: 3000, full: 10_000 });
const CAPACITY = 64;
const PARTS = { position: 'spot', orientation: 'turn', scale: 'extent' } as const;
const FLAT = { position: 'place', orientation: 'heading', scale: 'stretch' } as const;

/** Looks straight down at a square of side 2 around x, y. */
function lookDownAt(x: number, matrix: Float32Array, planes: Float32Array): void {
  matrix.fill(0);
  for (let i = 0; i < 16; i += 5) matrix[i] = 1;
  matrix[12] = -x;
  frustumPlanes(matrix, planes);
}

describe.each(['auto', 'off'] as const)('a frame, with kernels: %s,', (kernels) => {
  it('leaves nothing on the heap, whatever it selects, culls and composes', async () => {
    const stage = await openBulkStage(({ world, columns, tick }) => {
      if (tick > 0) {
        for (let i = 0; i < 3 * CAPACITY; i++) columns.spot[i] = (i % 60) / 30 + tick / 1000;
        return;
      }
      for (let i = 0; i < 60; i++) {
        const entity = world.spawn({ spot: [i, 0, 0], place: [i, 0], reach: 1, kind: i });
        if (i < 40) world.add(entity, 'turn', [0, 0, 0, 1]);
        if (i % 3 === 0) world.add(entity, 'asleep');
      }
    }, CAPACITY);
    stage.advance(2, 0.5);
    const view = stage.openView({ kernels });
    const awake = view.query({ all: ['spot'], any: ['kind', 'mass'], none: ['asleep'] });
    const out = new Float32Array(CAPACITY * 16);
    const matrix = new Float32Array(16);
    const planes = new Float32Array(24);
    const within = { left: 0, bottom: -10, right: 10, top: 10, margin: 0.5 };
    const list = Uint32Array.from({ length: 30 }, (_, i) => 59 - i);
    const wide = { of: awake };
    const inFrustum = { of: awake, within: { planes, radius: 'reach' } } as const;
    const options: MatrixOptions<BulkTypes, 'spot' | 'place' | 'reach'>[] = [
      { of: awake, within },
      { within, stride: 16, offset: 0 },
      { of: list },
      inFrustum,
      { of: list, within: { planes, radius: 1.5 } },
    ];
    let step = 0;
    let rows = 0;
    const perFrame = bytesLeft(calls, () => {
      const frame = view.frame();
      step = (step + 1) % 50;
      // How many are kept differs from frame to frame.
      within.right = 10.25 + step;
      lookDownAt(step, matrix, planes);
      rows += frame.composeMatrices(PARTS, wide).length;
      for (let i = 0; i < options.length; i++) {
        const option = options[i] as (typeof options)[number];
        rows += frame.composeMatricesInto(out, i % 2 === 0 ? PARTS : FLAT, option);
      }
      rows += frame.sampleInto('spot', out, inFrustum);
      rows += frame.sampleInto('kind', out, wide);
      rows += awake.indices(frame).length + frame.rowIndices.length;
      frame.release();
      rows |= 0;
    });
    expect(perFrame).toBe(0);
    // Another roster with as many rows is listed into the room that is there.
    expect(rows).not.toBe(0);
    await stage.close();
  });
});
