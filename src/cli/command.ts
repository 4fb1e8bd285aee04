import type { Terminal } from './terminal.ts';

/** How a command ended: 0 done, 1 failed or found a difference. Wrong usage is thrown. */
export type ExitCode = 0 | 1;

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** What stands behind the name in the list of commands. */
  readonly usage: string;
  /** What it does, in a line without a full stop. */
  readonly summary: string;
  /** All that `escapement NAME --help` prints. */
  readonly help: string;
  /**
   * Reads the arguments behind its name and carries them out. Rejects with `UsageError` for what
   * cannot be meant, else with what made it fail.
   */
  run(argv: readonly string[], terminal: Terminal): Promise<ExitCode>;
}
