import { EscapementError } from '../shared/error.ts';
import type { ComponentSchema } from '../shared/schema.ts';

/** Refuses a channel that cannot be a position. */
export function checkPosition(schema: ComponentSchema): void {
  if ((schema.width === 2 || schema.width === 3) && isPlainNumbers(schema)) return;
  throw wrongKind('a position', schema, 'position2d(), position3d(), vec2(), vec3()');
}

/** Refuses a channel that cannot be a scale. */
export function checkScale(schema: ComponentSchema): void {
  const { width } = schema;
  if (width >= 1 && width <= 3 && isPlainNumbers(schema)) return;
  throw wrongKind('a scale', schema, "scalar(), vec2(), vec3(), step('f32', 1 to 3)");
}

/** Refuses a channel that cannot say how far an entity reaches. */
export function checkRadius(schema: ComponentSchema): void {
  if (schema.width === 1 && isPlainNumbers(schema)) return;
  throw wrongKind('a radius', schema, "scalar() or step('f32')");
}

/** Returns how a channel turns a matrix. Refuses one that cannot. */
export function turnOf(schema: ComponentSchema): 'quaternion' | 'angle' {
  const { scalar, width, blend, element } = schema;
  if (scalar === 'f32' && element === undefined) {
    if (width === 4 && (blend === 'slerp' || blend === 'nlerp')) return 'quaternion';
    if (width === 1 && blend === 'angle') return 'angle';
  }
  throw wrongKind('an orientation', schema, 'quaternion() or angle()');
}

/** Whether it is no list, of f32, and blended number by number or not at all. */
function isPlainNumbers({ scalar, blend, element }: ComponentSchema): boolean {
  return scalar === 'f32' && element === undefined && (blend === 'lerp' || blend === 'step');
}

function wrongKind(what: string, schema: ComponentSchema, allowed: string): EscapementError {
  const { name, scalar, width, blend, element } = schema;
  const list = element === undefined ? '' : `, a list of elements of ${element}`;
  return new EscapementError('VALUE_INVALID', `Channel "${name}" cannot be ${what}.`, {
    given: `${width} x ${scalar}, ${blend}${list}`,
    allowed,
    fix: 'Publish position, orientation and scale as components of their own.',
  });
}
