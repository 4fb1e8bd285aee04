/** What all ways of the bench simulate: bodies that drift and tumble. */

export const TICK_RATE_HZ = 60;
/** What a tick costs, whatever it computes. */
export const TICK_COST_MS = 12;
/** Numbers of a body: its position, and its orientation behind all positions. */
export const STATE_WIDTH = 7;

const SIDE = 60;
const SPEED = 0.02;
/** Half of the angle that a body turns in a tick: far enough that its arc is no straight line. */
const HALF_TURN = 0.05;

/** Places bodies in a cube around the origin, turned by nothing. */
export function placeBodies(position: Float32Array, orientation: Float32Array): void {
  for (let i = 0; i * 3 < position.length; i++) {
    position[i * 3] = (i % SIDE) - SIDE / 2;
    position[i * 3 + 1] = (Math.floor(i / SIDE) % SIDE) - SIDE / 2;
    position[i * 3 + 2] = -Math.floor(i / (SIDE * SIDE));
    orientation[i * 4 + 3] = 1;
  }
}

/** Moves and turns `count` bodies by a tick, and keeps the thread until it has cost enough. */
export function tumble(position: Float32Array, orientation: Float32Array, count: number): void {
  const end = performance.now() + TICK_COST_MS;
  const s = Math.sin(HALF_TURN);
  const c = Math.cos(HALF_TURN);
  for (let i = 0; i < count; i++) {
    const way = (i & 1) === 0 ? SPEED : -SPEED;
    position[i * 3] = (position[i * 3] as number) + way;
    const at = i * 4;
    const x = orientation[at] as number;
    const y = orientation[at + 1] as number;
    const z = orientation[at + 2] as number;
    const w = orientation[at + 3] as number;
    orientation[at] = x * c + w * s;
    orientation[at + 1] = y * c + z * s;
    orientation[at + 2] = z * c - y * s;
    orientation[at + 3] = w * c - x * s;
  }
  while (performance.now() < end);
}
