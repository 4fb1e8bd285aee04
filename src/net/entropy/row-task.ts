import type { TokenTable } from '../record/token-table.ts';
import type { CodedReplica } from './coded-replica.ts';
import type { ModelState } from './model-state.ts';
import type { RowWalk } from './row-walk.ts';

/** Everything that the rows of one update are coded from. */
export interface RowTask {
  readonly walk: RowWalk;
  baseline: CodedReplica | null;
  /** Its rows and models are laid out; its tokens, motion and models are for the row coder. */
  result: CodedReplica;
  /** The tokens that are sent; when decoding it is not looked at. */
  table: TokenTable;
}

/** One way to write and read the tokens of rows. */
export interface RowCoder {
  /** Returns the state of models that have learned nothing. */
  createState(): ModelState;
  /** Writes or reads the tokens of all rows of the result. */
  code(task: RowTask): void;
}
