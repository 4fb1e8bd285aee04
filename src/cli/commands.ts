import type { Command } from './command.ts';
import { capture } from './commands/capture.ts';
import { diff } from './commands/diff.ts';
import { doctor } from './commands/doctor.ts';
import { inspect } from './commands/inspect.ts';
import { record } from './commands/record.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { seek } from './commands/seek.ts';
import { verify } from './commands/verify.ts';

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  run,
  record,
  replay,
  verify,
  diff,
  seek,
  capture,
  inspect,
  doctor,
];
