import type { Command } from './command.ts';

const COLUMN = 28;

/** Returns what `escapement --help` prints. */
export function formatHelp(commands: readonly Command[]): string {
  const rows = [
    ...commands.map(({ usage, summary }): readonly [string, string] => [usage, summary]),
    ['help [COMMAND]', 'print this, or all about a command'] as const,
    ['--version', 'print the version'] as const,
  ].map(([usage, summary]) => `  ${usage.padEnd(COLUMN)}${summary}`);
  return `escapement COMMAND [options]

${rows.join('\n')}

SIM is a module that exports what defineSimulation returned and calls runSimulation with it, in
JavaScript, or in TypeScript where tsx is installed. escapement COMMAND --help says more about one.

Exit codes: 0 done, 1 failed, or a difference was found, 2 wrong usage.

Example:
  escapement run build/flock.sim.js --param population=5000 --control 0
`;
}
