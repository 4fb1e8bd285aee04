import type { Lane } from '../record/lane.ts';
import type { CodingEffort } from './coding-effort.ts';

/**
 * How much shorter than its plain bits a new row may get. The strong effort predicts them as well;
 * what would be shorter still is filled with zeros.
 */
const GAIN: Readonly<Record<CodingEffort, number>> = { packed: 1, fast: 1, strong: 4 };

/**
 * What the new rows of an update take at least. So an update cannot ask for more memory than in
 * proportion to its bytes.
 */
export class SpawnRoom {
  readonly #rowBits: number;

  constructor(lanes: readonly Lane[], effort: CodingEffort) {
    let plainBits = 0;
    for (const lane of lanes) plainBits += lane.bits;
    this.#rowBits = Math.max(1, Math.floor(plainBits / GAIN[effort]));
  }

  /** Returns the fewest bytes of an update with that many new rows. */
  bytesOf(spawnCount: number): number {
    return Math.ceil((spawnCount * this.#rowBits) / 8);
  }

  /** Returns the most new rows of an update of that many bytes. */
  rowsIn(byteCount: number): number {
    return Math.floor((byteCount * 8) / this.#rowBits);
  }
}
