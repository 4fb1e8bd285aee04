import { expect, test } from 'vitest';
import { BandSchedule } from '../../../src/net/pipeline/band-schedule.ts';
import { BandWork } from '../../../src/net/pipeline/band-work.ts';
import { InterestFilter } from '../../../src/net/pipeline/interest.ts';
import { UniformGrid } from '../../../src/net/pipeline/grid.ts';
import { LodReport } from '../../../src/net/pipeline/reports.ts';
import { Selection } from '../../../src/net/pipeline/selection.ts';
import { wordsOfHex } from './hex.ts';
import { readVectors, report } from './read-vectors.ts';

interface PointLine {
  readonly t: string;
  readonly mode: string;
  readonly radius: string;
  readonly fov: string;
  readonly near: string;
  readonly medium: string;
  readonly position: string;
  readonly forward: string;
  readonly points: readonly string[];
  readonly inside: string;
  readonly band: string;
  readonly self_index: number;
}

const lines = readVectors()
  .map(({ record, at }) => ({
    ...(record as never as PointLine),
    place: at,
  }))
  .filter(({ t }) => t === 'aoi' || t === 'bands');

test('areas of interest and distance bands part points as the original did', () => {
  for (const line of lines) {
    const parted = line.t === 'aoi' ? insideOf(line) : bandsOf(line);
    expect([line.place, parted]).toEqual([line.place, line.inside ?? line.band]);
  }
  report('aoi-points', lines.length);
});

function insideOf(line: PointLine): string {
  const positions = floatsOf(line.points.join(''));
  const filter = new InterestFilter(
    {
      mode: line.mode === 'Fov' ? 'fov' : 'radius',
      radius: floatsOf(line.radius)[0] ?? 0,
      fovDegrees: floatsOf(line.fov)[0] ?? 0,
    },
    3,
  );
  filter.lookFrom({ position: tripleOf(line.position), forward: tripleOf(line.forward) });
  const count = line.points.length;
  const grid = new UniformGrid(18);
  grid.fill(positions, count);
  // The grid's candidates, not all of them: it must leave out none that the filter keeps.
  const candidates = new Uint32Array(count);
  const found = filter.search(grid, candidates);
  const rows = new Uint32Array(count + 2);
  const kept = filter.retain(positions, candidates, found, -1, rows, new Float32Array(count + 2));
  const inside = new Set(rows.subarray(0, kept));
  return line.points.map((_, row) => (inside.has(row) ? '1' : '0')).join('');
}

function bandsOf(line: PointLine): string {
  const count = line.points.length;
  const filter = new InterestFilter({ mode: 'radius', radius: 1e18, fovDegrees: 0 }, 3);
  filter.lookFrom({ position: tripleOf(line.position) });
  const selection = new Selection();
  selection.reserve(count + 2);
  const all = Uint32Array.from({ length: count }, (_, row) => row);
  const { rows, squares } = selection;
  const own = line.self_index;
  const positions = floatsOf(line.points.join(''));
  selection.count = filter.retain(positions, all, count, own, rows, squares);
  selection.own = own;
  const schedule = new BandSchedule();
  const bands = new BandWork({
    mode: 'distance-bands',
    near: floatsOf(line.near)[0] ?? 0,
    medium: floatsOf(line.medium)[0] ?? 0,
    mediumIntervalTicks: 2,
    farIntervalTicks: 4,
  });
  const ids = Uint32Array.from(all, (row) => row + 1);
  bands.reconcile(new BandSchedule(), schedule, selection, ids, 0, 0, false, new LodReport());
  return Array.from(schedule.bands.subarray(0, count)).join('');
}

function floatsOf(hex: string): Float32Array {
  return new Float32Array(Uint32Array.from(wordsOfHex(hex)).buffer);
}

function tripleOf(hex: string): [number, number, number] {
  const [x = 0, y = 0, z = 0] = floatsOf(hex);
  return [x, y, z];
}
