import { expect, test } from 'vitest';
import { mix32, phaseOf, ticksToDue } from '../../../src/net/pipeline/phase.ts';
import { readVectors, report } from './read-vectors.ts';

interface PhaseLine {
  readonly t: string;
  readonly id: number;
  readonly mix: string;
  readonly phase: readonly (readonly [number, number])[];
  readonly next_due: readonly (readonly [string, number, string])[];
}

const lines = readVectors()
  .map(({ record }) => record as never as PhaseLine)
  .filter(({ t }) => t === 'phase');

test('phases and due ticks are those of the original', () => {
  for (const { id, mix, phase, next_due: due } of lines) {
    expect([`mix of ${id}`, mix32(id).toString(16).padStart(8, '0')]).toEqual([
      `mix of ${id}`,
      mix,
    ]);
    for (const [interval, expected] of phase)
      expect([`phase of ${id} in ${interval}`, phaseOf(id, interval)]).toEqual([
        `phase of ${id} in ${interval}`,
        expected,
      ]);
    for (const [tick, interval, expected] of due) {
      const at = BigInt(tick);
      const ahead = ticksToDue(id, interval, Number(at >> 32n), Number(at & 0xffff_ffffn));
      expect([`${id} at ${tick} in ${interval}`, String(at + BigInt(ahead))]).toEqual([
        `${id} at ${tick} in ${interval}`,
        expected,
      ]);
    }
  }
  report('lod-phase', lines.length);
});
