#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { runCommandLine } from './command-line.ts';
import { openTerminal } from './terminal.ts';

let isDone = false;
process.on('exit', () => {
  if (isDone) return;
  // A loaded module ended the process, or left nothing that could go on: that is no success.
  process.exitCode ||= 1;
  writeSync(2, 'escapement: The process was ended before the command was done.\n');
});
process.exitCode = await runCommandLine(process.argv.slice(2), openTerminal());
// What has been said has to be out first.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
}
isDone = true;
// A module may have left a timer or a socket behind, which would keep the process for ever.
process.exit();
