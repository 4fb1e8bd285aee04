import type { ParamValue } from '../shared/schema.ts';
import { UsageError } from './usage-error.ts';

/**
 * Gives parameters from the command line the types that a schema declares. Throws
 * {@link UsageError} for a name that is not declared and for a value of another type.
 */
export function typeParams(
  given: ReadonlyMap<string, string>,
  declared: Readonly<Record<string, ParamValue>>,
): Record<string, ParamValue> {
  const typed: Record<string, ParamValue> = {};
  for (const [name, text] of given) {
    const fallback = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (fallback === undefined) {
      const names = Object.keys(declared).join(', ') || 'none: this simulation declares none';
      throw new UsageError('NAME_UNKNOWN', 'There is no such parameter.', {
        given: name,
        allowed: names,
        fix: 'Correct the name behind --param.',
      });
    }
    const value = readAs(typeof fallback, text);
    if (value === undefined) {
      throw new UsageError('VALUE_INVALID', `The parameter \`${name}\` cannot be that.`, {
        given: text,
        allowed: typeof fallback === 'boolean' ? 'true or false' : `a ${typeof fallback}`,
        fix: `Write --param ${name}=${String(fallback)}.`,
      });
    }
    typed[name] = value;
  }
  return typed;
}

function readAs(type: string, text: string): ParamValue | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') {
    return (
      text === 'true' || text === '1' || (text === 'false' || text === '0' ? false : undefined)
    );
  }
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
}
