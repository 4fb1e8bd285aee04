import { TokenTable } from '../record/token-table.ts';
import type { ModelState } from './model-state.ts';

/**
 * What both sides keep of one update: the tokens that a client holds after it, how each row came to
 * be what it is, and what the models had learned by then. An update that names this one as its
 * baseline is coded and decoded from this alone, whatever was lost in between.
 */
export class CodedReplica {
  /** The tick of the update. */
  tick = 0;
  /** Ticks from the update's own baseline to it; 0: it had none. */
  span = 0;
  readonly table: TokenTable;
  /**
   * For each token of the table: by how much it differs from the one in the update's own baseline,
   * modulo 2^32. 0 for rows that were not there.
   */
  motion: Int32Array = new Int32Array(0);
  /** For each row of the table: 1 when the update changed its tokens, else 0. */
  moved: Uint8Array = new Uint8Array(0);
  /**
   * For each token of the table: the size class of the error of its last prediction. Empty unless
   * the coder needs it.
   */
  errors: Uint8Array = new Uint8Array(0);
  readonly models: ModelState;
  readonly #hasErrors: boolean;

  constructor(laneCount: number, models: ModelState, hasErrors: boolean) {
    this.table = new TokenTable(laneCount);
    this.models = models;
    this.#hasErrors = hasErrors;
  }

  /** Makes room for `rows` rows; what is there may be lost. */
  reserve(rows: number): void {
    this.table.reserve(rows);
    if (this.motion.length < this.table.tokens.length) {
      this.motion = new Int32Array(this.table.tokens.length);
      this.moved = new Uint8Array(this.table.ids.length);
      if (this.#hasErrors) this.errors = new Uint8Array(this.table.tokens.length);
    }
  }

  /** Takes everything of another replica of the same definition. */
  copyFrom(other: CodedReplica): void {
    this.tick = other.tick;
    this.span = other.span;
    this.table.copyFrom(other.table);
    this.reserve(other.table.count);
    const used = other.table.count * other.table.laneCount;
    for (let i = 0; i < used; i++) this.motion[i] = other.motion[i] as number;
    for (let row = 0; row < other.table.count; row++) this.moved[row] = other.moved[row] as number;
    if (this.#hasErrors) {
      for (let i = 0; i < used; i++) this.errors[i] = other.errors[i] as number;
    }
    this.models.copyFrom(other.models);
  }

  /** Forgets everything, as if newly made. */
  clear(): void {
    this.tick = 0;
    this.span = 0;
    this.table.count = 0;
    this.models.reset();
  }
}
