import { expect, it } from 'vitest';
import { openKernels } from '../../../src/shared/kernels/kernels.ts';
import { Region } from '../../../src/shared/region.ts';
import type { CullJob } from '../../../src/shared/kernels/cull.ts';
import { Arena } from './arena.ts';

it('there are no kernels for a region that is no WebAssembly memory', () => {
  const { layout } = new Arena(true).region;
  const plain = new Region(new ArrayBuffer(layout.totalBytes), layout);
  expect(openKernels(plain, 0)).toBeUndefined();
});

it('a kernel refuses an array that lies elsewhere, and writes nothing', () => {
  const arena = new Arena(true);
  arena.clear();
  const job: CullJob = {
    position: new Float32Array(8),
    positionWidth: 2,
    radius: 0,
    shape: 'rectangle',
    bounds: [0, 0, 1, 1],
    rows: arena.room('u32', 0) as Uint32Array,
    listed: false,
    count: 4,
    out: arena.room('u32', 4) as Uint32Array,
  };
  const before = arena.region.u8.slice();
  expect(() => arena.kernels.cull(job)).toThrow('a kernel works on its own region alone');
  expect(Buffer.compare(arena.region.u8, before)).toBe(0);
});
