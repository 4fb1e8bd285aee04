import { EscapementError } from '../shared/error.ts';
import { type ComponentSpec, elementWidth, type ScalarType, WIDTH_MAX } from '../shared/schema.ts';

/** A full turn in radians. */
const TURN = 6.283185307179586;

function spec<S extends ScalarType, W extends number>(
  scalar: S,
  width: W,
  blend: ComponentSpec['blend'],
  period = 0,
): ComponentSpec<S, W> {
  return Object.freeze({ scalar, width, blend, period });
}

/** Declares a position in the plane: two f32 (x, y), blended linearly. 8 bytes. */
export function position2d(): ComponentSpec<'f32', 2> {
  return spec('f32', 2, 'lerp');
}

/** Declares a position in space: three f32 (x, y, z), blended linearly. 12 bytes. */
export function position3d(): ComponentSpec<'f32', 3> {
  return spec('f32', 3, 'lerp');
}

/** Declares one number, blended linearly. */
export function scalar(): ComponentSpec<'f32', 1>;
export function scalar<S extends 'f32' | 'f64'>(type: S): ComponentSpec<S, 1>;
export function scalar(type: 'f32' | 'f64' = 'f32'): ComponentSpec<'f32' | 'f64', 1> {
  return spec(type, 1, 'lerp');
}

/** Declares a vector of two numbers, blended linearly. */
export function vec2(): ComponentSpec<'f32', 2>;
export function vec2<S extends 'f32' | 'f64'>(type: S): ComponentSpec<S, 2>;
export function vec2(type: 'f32' | 'f64' = 'f32'): ComponentSpec<'f32' | 'f64', 2> {
  return spec(type, 2, 'lerp');
}

/** Declares a vector of three numbers, blended linearly. */
export function vec3(): ComponentSpec<'f32', 3>;
export function vec3<S extends 'f32' | 'f64'>(type: S): ComponentSpec<S, 3>;
export function vec3(type: 'f32' | 'f64' = 'f32'): ComponentSpec<'f32' | 'f64', 3> {
  return spec(type, 3, 'lerp');
}

/** Declares a vector of four numbers, blended linearly. */
export function vec4(): ComponentSpec<'f32', 4>;
export function vec4<S extends 'f32' | 'f64'>(type: S): ComponentSpec<S, 4>;
export function vec4(type: 'f32' | 'f64' = 'f32'): ComponentSpec<'f32' | 'f64', 4> {
  return spec(type, 4, 'lerp');
}

/**
 * Declares an angle, blended the shortest way; exactly half a turn goes the negative way.
 * `period` is a full turn in its unit: radians by default, 360 for degrees, 65536 for a 16-bit yaw.
 */
export function angle(period: number = TURN): ComponentSpec<'f32', 1> {
  return spec('f32', 1, 'angle', period);
}

/** Declares three angles, such as pitch, yaw and roll; each is blended as {@link angle}. */
export function eulerAngles(period: number = TURN): ComponentSpec<'f32', 3> {
  return spec('f32', 3, 'angle', period);
}

/**
 * Declares an orientation: a unit quaternion of four f32 (x, y, z, w), blended the shortest way.
 * `slerp` turns at an even pace; `nlerp` costs less and runs ahead or behind by a little in
 * between, the more the larger the turn of one tick is.
 */
export function quaternion(blend: 'slerp' | 'nlerp' = 'slerp'): ComponentSpec<'f32', 4> {
  return spec('f32', 4, blend);
}

/**
 * Declares a colour: red, green, blue and opacity as four f32, blended linearly. The first three
 * are linear light, not the numbers of an sRGB code: `linearColour` turns one into the other.
 */
export function colour(): ComponentSpec<'f32', 4> {
  return spec('f32', 4, 'lerp');
}

/** Declares a reference to another entity: its handle, `NO_ENTITY` for none. Never blended. */
export function reference(): ComponentSpec<'u32', 1> {
  return spec('u32', 1, 'step');
}

/**
 * Declares `count` values of one component for each entity, one behind the other: the bones of a
 * skeleton, for example, as `list(quaternion(), 24)`. Each is blended on its own. Throws
 * SCHEMA_INVALID for a tag, a sparse component, a list, and more than 1024 numbers.
 */
export function list<S extends ScalarType>(
  component: ComponentSpec<S>,
  count: number,
): ComponentSpec<S> {
  const element = elementWidth(component);
  const width = element * count;
  const isPlain = component.rows === undefined && component.element === undefined;
  if (isPlain && element >= 1 && Number.isInteger(count) && count >= 1 && width <= WIDTH_MAX) {
    return Object.freeze({ ...component, width, element: element as 1 | 2 | 3 | 4 });
  }
  throw new EscapementError('SCHEMA_INVALID', 'There is no such list.', {
    given: `list(${JSON.stringify(component)}, ${count})`,
    allowed: `dense components with numbers, at least 1, and at most ${WIDTH_MAX} numbers in all`,
    fix: 'Give it as list(quaternion(), 24).',
  });
}

/** Declares `width` Q16.16 numbers (raw 32-bit integers), blended exactly. */
export function fixed(): ComponentSpec<'fixed', 1>;
export function fixed<W extends 1 | 2 | 3 | 4>(width: W): ComponentSpec<'fixed', W>;
export function fixed(width: 1 | 2 | 3 | 4 = 1): ComponentSpec<'fixed'> {
  return spec('fixed', width, 'fixed');
}

/**
 * Declares `width` numbers that are never blended: a reader sees the earlier tick's until alpha 1.
 */
export function step<S extends ScalarType>(type: S): ComponentSpec<S, 1>;
export function step<S extends ScalarType, W extends 1 | 2 | 3 | 4>(
  type: S,
  width: W,
): ComponentSpec<S, W>;
export function step(type: ScalarType, width: 1 | 2 | 3 | 4 = 1): ComponentSpec {
  return spec(type, width, 'step');
}

/** Declares a tag: a component without numbers, which an entity has or has not. */
export function tag(): ComponentSpec<'u8', 0> {
  return spec('u8', 0, 'step');
}

/**
 * Declares a rare component: its numbers lie packed, in one row for each of at most `rows` entities
 * that have it, ascending by slot index. Giving and taking it moves the rows behind, and a row is
 * found by halving; a dense component costs memory for every slot instead. It cannot be published.
 */
export function sparse<S extends ScalarType, W extends number>(
  component: ComponentSpec<S, W>,
  rows: number,
): ComponentSpec<S, W> {
  if (!(Number.isInteger(rows) && rows >= 1)) {
    throw new EscapementError('SCHEMA_INVALID', 'A sparse component needs rows.', {
      given: String(rows),
      allowed: 'a whole number from 1: the most entities that have it at once',
      fix: 'Give it as the second argument of sparse().',
    });
  }
  return Object.freeze({ ...component, rows });
}
