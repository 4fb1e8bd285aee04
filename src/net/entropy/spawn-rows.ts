import type { Lane } from '../record/lane.ts';
import type { BitPort } from './bit-port.ts';
import type { RowTask } from './row-task.ts';

/** Passes the tokens of the new rows as plain bits; leaves off when the bytes are at their end. */
export function codeSpawnsPlain(task: RowTask, port: BitPort, lanes: readonly Lane[]): void {
  const { result, table, walk } = task;
  if (walk.spawnCount === 0) return;
  const laneCount = lanes.length;
  for (let row = 0; row < result.table.count; row++) {
    if ((walk.origin[row] as number) >= 0) continue;
    const from = port.decoding ? 0 : (walk.source[row] as number) * laneCount;
    for (let i = 0; i < laneCount; i++) {
      const token = port.decoding ? 0 : (table.tokens[from + i] as number);
      result.table.tokens[row * laneCount + i] = port.word(token, (lanes[i] as Lane).bits);
    }
    if (port.overran) return;
  }
}
