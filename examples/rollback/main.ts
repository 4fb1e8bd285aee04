import { setTimeout } from 'node:timers/promises';
import { formatFigures, gather } from './figures.ts';
import { Match } from './match.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { CLEAR, drawMatch, RESTORE } from './screen.ts';

/*
 * Two players at one ball, each with a run of the game of its own, over a network that loses and
 * delays what they send. Both see every move of their own at once, and both see the same game.
 */

const TURN_MS = 1000 / 60;

/** Plays at the pace of a clock, and draws each turn. Ends early on Ctrl-C. */
async function watch(match: Match): Promise<void> {
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
  };
  process.once('SIGINT', stop);
  process.stdout.write(CLEAR);
  const begin = performance.now();
  while (match.turn() && !isStopped) {
    process.stdout.write(drawMatch(match));
    await setTimeout(Math.max(0, begin + match.turns * TURN_MS - performance.now()));
  }
  process.stdout.write(RESTORE);
  process.removeListener('SIGINT', stop);
}

async function play(options: Options): Promise<number> {
  const match = await Match.open(options);
  if (options.watch) await watch(match);
  else while (match.turn());
  const figures = gather(match);
  match.close();
  process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : formatFigures(figures));
  return figures.status === 'desync' || figures.status === 'cut' ? 1 : 0;
}

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== 'help') return await play(options);
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

process.exitCode = await main();
