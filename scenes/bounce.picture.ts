import type { TypesOf } from 'escapement';
import type { Picture } from 'escapement/render';
import { type Bounce, HALF_HEIGHT, HALF_WIDTH } from './bounce.sim.ts';
import { drawDark, fitPlane, type PlanePen } from './plane-pen.ts';

/** The golden angle, in degrees: no two neighbours get colours that are alike. */
const HUE_STEP = 137.508;

/** A body's radius in pixels of a picture 960 wide. */
const RADIUS = 9;
const TURN = 2 * Math.PI;

/** Bodies as discs that glow, each in a colour of its own, within a faint frame. */
export const picture: Picture<TypesOf<Bounce>, PlanePen> = {
  width: 960,
  height: 600,
  draw(pen, frame, { width, height }) {
    drawDark(pen, width, height);
    const { scale, middleX, middleY } = fitPlane(HALF_WIDTH, HALF_HEIGHT, width, height);
    pen.fillStyle = 'rgba(140, 170, 255, 0.05)';
    pen.fillRect(
      middleX - HALF_WIDTH * scale,
      middleY - HALF_HEIGHT * scale,
      2 * HALF_WIDTH * scale,
      2 * HALF_HEIGHT * scale,
    );
    const position = frame.blend('position');
    const radius = (RADIUS * width) / 960;
    for (const isGlow of [true, false]) {
      pen.globalCompositeOperation = isGlow ? 'lighter' : 'source-over';
      for (let row = 0; row < frame.count; row++) {
        const x = middleX + (position[2 * row] as number) * scale;
        const y = middleY - (position[2 * row + 1] as number) * scale;
        const hue = Math.round((frame.indices[row] as number) * HUE_STEP) % 360;
        pen.fillStyle = isGlow ? glowAt(pen, x, y, 3 * radius, hue) : `hsl(${hue}, 85%, 66%)`;
        pen.beginPath();
        pen.arc(x, y, isGlow ? 3 * radius : radius, 0, TURN);
        pen.fill();
      }
    }
  },
};

function glowAt(pen: PlanePen, x: number, y: number, reach: number, hue: number): unknown {
  const glow = pen.createRadialGradient(x, y, 0, x, y, reach);
  glow.addColorStop(0, `hsla(${hue}, 90%, 65%, 0.4)`);
  glow.addColorStop(1, `hsla(${hue}, 90%, 55%, 0)`);
  return glow;
}
