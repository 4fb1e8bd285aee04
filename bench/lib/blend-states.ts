/** The channels of the bench. */
export type BlendedChannel = 'lerp' | 'slerp' | 'matrix';

/** Two ticks of some bodies: position, orientation (x, y, z, w) and scale, one behind the other. */
export interface State {
  readonly position: Float32Array;
  readonly orientation: Float32Array;
  readonly scale: Float32Array;
  readonly generation: Uint32Array;
}

/** Where between the two ticks every blend stands. */
export const ALPHA = 0.37;

/** Fills two states: bodies fly, turn by 3 to 60 degrees a tick about some axis, and swell. */
export function fillStates(earlier: State, later: State, count: number): void {
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const at = 3 * i + k;
      earlier.position[at] = spread(at, 0x9e3779b1) * 100;
      later.position[at] = (earlier.position[at] as number) + spread(at, 0x85ebca6b);
      earlier.scale[at] = 1 + 0.5 * spread(at, 0xc2b2ae35);
      later.scale[at] = (earlier.scale[at] as number) + 0.1;
    }
    const quaternion = [0, 1, 2, 3].map((k) => spread(4 * i + k, 0x27d4eb2f));
    const half = 0.3 + 0.27 * spread(i, 0x165667b1);
    const [x = 0, y = 0, z = 0, w = 1] = scaleToOne(quaternion);
    const [s, c] = [Math.sin(half), Math.cos(half)];
    earlier.orientation.set([x, y, z, w], 4 * i);
    // Turned about z: (x, y, z, w) (0, 0, s, c).
    later.orientation.set([x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s], 4 * i);
    earlier.generation[i] = 1;
    later.generation[i] = 1;
  }
}

/** Numbers from -1 to 1, by Weyl's sequence. */
function spread(index: number, step: number): number {
  return ((Math.imul(index + 1, step) >>> 0) / 2 ** 32) * 2 - 1;
}

function scaleToOne(numbers: readonly number[]): number[] {
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}
