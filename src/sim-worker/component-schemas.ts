import { EscapementError } from '../shared/error.ts';
import {
  CAPACITY_MAX,
  checkComponent,
  type ComponentSchema,
  type ComponentSpec,
  COMPONENTS_MAX,
} from '../shared/schema.ts';

/** Refuses a capacity that no world can have. */
export function checkCapacity(capacity: number): void {
  if (Number.isInteger(capacity) && capacity >= 0 && capacity <= CAPACITY_MAX) return;
  throw new EscapementError('OPTION_INVALID', '`capacity` is out of range.', {
    given: String(capacity),
    allowed: `an integer from 0 to ${CAPACITY_MAX}`,
    fix: 'Declare the most entities that can be alive at once; memory is taken for all of them.',
  });
}

/**
 * Derives the schemas of declared components: their ids are their places in this order and 1.
 * Throws SCHEMA_INVALID for one that cannot be, for more than 256, and for a `published` name that
 * is none of them or has no column of its own to publish.
 */
export function deriveComponents(
  specs: Readonly<Record<string, ComponentSpec>>,
  published: readonly string[],
): ComponentSchema[] {
  const entries = Object.entries(specs);
  if (entries.length > COMPONENTS_MAX) {
    throw new EscapementError('SCHEMA_INVALID', 'A world has too many components.', {
      given: String(entries.length),
      allowed: `at most ${COMPONENTS_MAX}`,
      fix: 'Join components that always come together into one of width 2, 3 or 4.',
    });
  }
  published.forEach((name, index) =>
    checkPublished(specs, name, published.indexOf(name) !== index),
  );
  return entries.map(([name, spec]) => {
    checkComponent(name, spec);
    return { ...spec, name, channelIndex: published.indexOf(name) };
  });
}

function checkPublished(
  specs: Readonly<Record<string, ComponentSpec>>,
  name: string,
  isTwice: boolean,
): void {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined || isTwice) {
    const what = isTwice ? 'a component twice' : 'no component';
    const possible = Object.keys(specs).filter((key) => {
      const { width, rows } = specs[key] as ComponentSpec;
      return width > 0 && rows === undefined;
    });
    throw new EscapementError('SCHEMA_INVALID', `\`publish\` names ${what}.`, {
      given: JSON.stringify(name),
      allowed: possible.join(', ') || 'nothing: no component has a column of its own',
      fix: isTwice ? 'Name it once.' : 'Correct the name, or declare the component.',
    });
  }
  const isTag = spec.width === 0;
  if (!isTag && spec.rows === undefined) return;
  throw new EscapementError('SCHEMA_INVALID', `Component "${name}" cannot be published.`, {
    given: isTag ? 'a tag, which has no column' : 'a sparse component, whose rows move',
    allowed: 'dense components with at least one number',
    fix: isTag ? 'Declare it as step("u8").' : 'Declare it without sparse().',
  });
}
