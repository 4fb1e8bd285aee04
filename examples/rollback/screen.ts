import { fixedToInt } from 'escapement/sim';
import type { Match } from './match.ts';
import { BALL, HALF_PADDLE, HEIGHT, PADDLE_X, PADDLES, WIDTH } from './paddles.sim.ts';
import type { Player } from './player.ts';

/** Colours of the terminal's table of 256. */
const NIGHT = 234;
const BALL_COLOUR = 231;
const SPARK_COLOURS = [236, 94, 136, 220];
const PADDLE_COLOURS = [81, 213];
/** The other player's paddle while it stands where it was guessed to be. */
const GUESSED = 243;

export const CLEAR = '\x1b[2J\x1b[?25l';
export const RESTORE = '\x1b[0m\x1b[?25h\n';

/** Draws both fields side by side, each as its player sees it, from the upper left corner on. */
export function drawMatch({ players }: Match): string {
  const [left, right] = players.map(drawPlayer) as [string[], string[]];
  return `\x1b[H${left.map((line, at) => `${line}  ${right[at] as string}\x1b[K\n`).join('')}`;
}

/** Draws one field in lines: two rows of cells are one line. */
export function drawPlayer(player: Player): string[] {
  const cells = paint(player);
  const lines = [title(player)];
  for (let y = 0; y < HEIGHT; y += 2) {
    let line = '';
    for (let x = 0; x < WIDTH; x++) {
      const upper = cells[y * WIDTH + x] as number;
      const lower = cells[(y + 1) * WIDTH + x] as number;
      line += `\x1b[38;5;${upper};48;5;${lower}m▀`;
    }
    lines.push(`${line}\x1b[0m`);
  }
  return [...lines, caption(player)];
}

function title({ side, run, confirmedTick }: Player): string {
  const { leftScore, rightScore } = run.world.globals;
  const text = `${side}  ${leftScore} : ${rightScore}  tick ${run.tick}, sure of ${confirmedTick}`;
  return text.slice(0, WIDTH).padEnd(WIDTH);
}

function caption({ guessedTicks, ticksAgain, stalls }: Player): string {
  const text = `guessed ${guessedTicks}  again ${ticksAgain}  waited ${stalls}`;
  return text.slice(0, WIDTH).padEnd(WIDTH);
}

/** A colour for each cell, row by row. */
function paint(player: Player): Uint8Array {
  const cells = new Uint8Array(WIDTH * HEIGHT).fill(NIGHT);
  const put = (x: number, y: number, colour: number): void => {
    if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) cells[y * WIDTH + x] = colour;
  };
  const { world } = player.run;
  const { position, life } = world.columns;
  const at = (i: number, axis: 0 | 1): number => fixedToInt(position[2 * i + axis] as number);
  for (const i of world.live()) {
    if (!world.has(world.entityAt(i), 'life')) continue;
    const glow = Math.min(SPARK_COLOURS.length - 1, Math.floor((life[i] as number) / 6));
    put(at(i, 0), at(i, 1), SPARK_COLOURS[glow] as number);
  }
  for (const side of [0, 1] as const) {
    const isOwn = (side === 0) === (player.side === 'left');
    const isGuessed = !isOwn && player.guessedTicks > 0;
    const colour = isGuessed ? GUESSED : (PADDLE_COLOURS[side] as number);
    const middle = at(PADDLES[side], 1);
    for (let y = middle - HALF_PADDLE; y < middle + HALF_PADDLE; y++)
      put(PADDLE_X[side], y, colour);
  }
  put(at(BALL, 0), at(BALL, 1), BALL_COLOUR);
  return cells;
}
