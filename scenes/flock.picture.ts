import type { TypesOf } from 'escapement';
import type { Picture } from 'escapement/render';
import { type Flock, HALF_HEIGHT, HALF_WIDTH } from './flock.sim.ts';
import { drawDark, fitPlane, type PlanePen } from './plane-pen.ts';

/** Colours by where a bird heads, around the compass. */
const TINTS = 48;
const STOPS = [
  [66, 204, 255],
  [115, 122, 255],
  [255, 107, 168],
  [255, 189, 102],
] as const;

/** Half the length of a dart in pixels of a picture 960 wide, for a flock of 1000. */
const SIZE = 7;
const TURN = 2 * Math.PI;

/** The colour of a heading, in turns: between the stops of the quarter it lies in. */
function tintOf(turns: number): string {
  const at = 4 * turns;
  const from = STOPS[Math.floor(at) % 4] as readonly number[];
  const to = STOPS[(Math.floor(at) + 1) % 4] as readonly number[];
  const share = at - Math.floor(at);
  const mixed = from.map((part, k) => Math.round(part + ((to[k] as number) - part) * share));
  return `rgb(${mixed.join(', ')})`;
}

const tints: readonly string[] = Array.from({ length: TINTS }, (_, k) => tintOf(k / TINTS));

/** Birds as darts that trail a faint light, in the colour of where they head. */
export const picture: Picture<TypesOf<Flock>, PlanePen> = {
  width: 960,
  height: 600,
  draw(pen, frame, { width, height }) {
    drawDark(pen, width, height);
    const { scale, middleX, middleY } = fitPlane(HALF_WIDTH, HALF_HEIGHT, width, height);
    const position = frame.blend('position');
    const heading = frame.blend('heading');
    const crowding = Math.min(1.6, Math.sqrt(1000 / Math.max(1, frame.count)));
    const size = Math.max(1.5, (SIZE * crowding * width) / 960);
    const rows = rowsByTint(heading, frame.count);
    pen.globalCompositeOperation = 'lighter';
    for (const [alpha, length, breadth] of [
      [0.16, 3.4, 0.34],
      [0.95, 1, 0.42],
    ] as const) {
      pen.globalAlpha = alpha;
      for (const [k, tint] of tints.entries()) {
        const mine = rows[k] as number[];
        if (mine.length === 0) continue;
        pen.fillStyle = tint;
        pen.beginPath();
        for (const row of mine) {
          const x = middleX + (position[2 * row] as number) * scale;
          const y = middleY - (position[2 * row + 1] as number) * scale;
          traceDart(pen, x, y, heading[row] as number, size, length, breadth);
        }
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
  },
};

/** Sorts rows by the tint of their heading, ascending within each. */
function rowsByTint(heading: ArrayLike<number>, count: number): readonly (readonly number[])[] {
  const rows: number[][] = tints.map(() => []);
  for (let row = 0; row < count; row++) {
    const turns = (heading[row] as number) / TURN;
    const tint = Math.floor(TINTS * (turns - Math.floor(turns))) % TINTS;
    (rows[tint] as number[]).push(row);
  }
  return rows;
}

/** A dart with a notched tail that reaches `length` half lengths behind its middle. */
function traceDart(
  pen: PlanePen,
  x: number,
  y: number,
  heading: number,
  size: number,
  length: number,
  breadth: number,
): void {
  const ahead = [size * Math.cos(heading), -size * Math.sin(heading)] as const;
  const aside = [-ahead[1] * breadth, ahead[0] * breadth] as const;
  pen.moveTo(x + ahead[0], y + ahead[1]);
  pen.lineTo(x - ahead[0] * length + aside[0], y - ahead[1] * length + aside[1]);
  pen.lineTo(x - ahead[0] * length * 0.6, y - ahead[1] * length * 0.6);
  pen.lineTo(x - ahead[0] * length - aside[0], y - ahead[1] * length - aside[1]);
  pen.closePath();
}
