#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { openTerminal } from './terminal.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), openTerminal());
// What has been said has to be out first.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
}
// A module may have left a timer or a socket behind, which would keep the process for ever.
process.exit();
