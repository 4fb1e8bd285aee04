import { type ComponentSchema, elementWidth } from '../shared/schema.ts';

const AXES = ['x', 'y', 'z', 'w'];
const COLOURS = ['r', 'g', 'b', 'a'];
const COLOUR_NAME = /colou?r|tint/i;

/**
 * Names a number of a component for people: `x` to `w`, `r` to `a` for what is called a colour,
 * `[3]` or `[3].x` in a list, nothing for a component of one number.
 */
export function fieldName(component: ComponentSchema, field: number): string {
  const { width, element, name } = component;
  const numbers = elementWidth(component);
  const letters = COLOUR_NAME.test(name) && numbers >= 3 ? COLOURS : AXES;
  if (element === undefined) return width <= 1 ? '' : (letters[field] ?? `[${field}]`);
  const place = `[${Math.floor(field / numbers)}]`;
  return numbers === 1 ? place : `${place}.${letters[field % numbers]}`;
}
