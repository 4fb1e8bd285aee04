import { parseArgs } from 'node:util';
import type { MatchOptions } from './match.ts';

/** What the command line asks for. */
export interface Options extends MatchOptions {
  readonly watch: boolean;
  readonly json: boolean;
}

export const USAGE = `npx tsx examples/rollback/main.ts [options]
  --ticks N        length of the match (3600, one minute)
  --seed N         of the game, the players and the network (1)
  --loss P         part of the packets that is lost, 0 to 1 (0.05)
  --delay MS       from one player to the other (60)
  --jitter MS      by which delays differ (10)
  --duplicate P    part of the packets that comes twice (0.01)
  --reorder P      part of the packets that is held back by 50 ms (0.01)
  --keep N         ticks that a player can go back, and may be ahead (16)
  --input-delay N  ticks after which a player's own input acts (0)
  --flaw TICK      the right player's game goes wrong in this tick
  --watch          draw both players' fields, as fast as one would play
  --json           print the figures as one JSON object
`;

/** A fault of the command line: said without a stack, with the usage behind it. */
export class UsageError extends Error {}

const KEEP_MAX = 60;
const DELAY_MS_MAX = 1000;
const TICKS_MAX = 1_000_000;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** Reads the command line. Throws {@link UsageError} saying what was given and what is allowed. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  const keepTicks = whole('keep', values.keep ?? '16', 1, KEEP_MAX);
  return {
    ticks: whole('ticks', values.ticks ?? '3600', 1, TICKS_MAX),
    seed: whole('seed', values.seed ?? '1', 0, 2 ** 32 - 1),
    keepTicks,
    inputDelayTicks: whole('input-delay', values['input-delay'] ?? '0', 0, keepTicks - 1),
    flawTick: whole('flaw', values.flaw ?? '0', 0, TICKS_MAX),
    conditions: {
      loss: number('loss', values.loss ?? '0.05', 0, 1),
      delayMs: number('delay', values.delay ?? '60', 0, DELAY_MS_MAX),
      jitterMs: number('jitter', values.jitter ?? '10', 0, DELAY_MS_MAX),
      duplicate: number('duplicate', values.duplicate ?? '0.01', 0, 1),
      reorder: number('reorder', values.reorder ?? '0.01', 0, 1),
      reorderMs: 50,
    },
    watch: values.watch,
    json: values.json,
  };
}

// The return type follows from the table of options.
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ticks: text,
        seed: text,
        loss: text,
        delay: text,
        jitter: text,
        duplicate: text,
        reorder: text,
        keep: text,
        'input-delay': text,
        flaw: text,
        watch: flag,
        json: flag,
        help: flag,
      },
    }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function number(name: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= least && value <= most) return value;
  throw new UsageError(`--${name} ${given}: a number from ${least} to ${most}.`);
}

function whole(name: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new UsageError(`--${name} ${given}: a whole number from ${least} to ${most}.`);
}
