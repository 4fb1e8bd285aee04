import { EscapementError } from '../shared/error.ts';
import type { SystemNode } from './schedule.ts';

/** The most systems one simulation can have. */
export const SYSTEMS_MAX = 256;

/** The most entries of one system's `after`. */
const AFTER_MAX = 16;

/** What a caller wants to register, trusted in nothing yet. */
export interface SystemCandidate {
  readonly name: unknown;
  readonly run: unknown;
  /** Milliseconds, above 0. */
  readonly budgetMs?: unknown;
  /** Names of systems, registered or not. */
  readonly after?: unknown;
  readonly reads?: unknown;
  readonly writes?: unknown;
  /** Ticks from one run to the next, at least 1. */
  readonly period?: unknown;
}

/**
 * Refuses a system that cannot be registered beside those whose names are `registered`, with
 * `components` as the names of what it may read and write. A component in both `reads` and
 * `writes` is legal: writing includes reading. Whether `after` names systems is only known when
 * all are registered, so scheduling checks it. Registers nothing.
 *
 * Throws for the first fault in this order: name, run (SCHEMA_INVALID), budget (OPTION_INVALID),
 * after, a name taken (SCHEMA_INVALID), an unknown component (NAME_UNKNOWN), a component twice in
 * a list (SCHEMA_INVALID), one system too many (CAPACITY_EXHAUSTED), period (OPTION_INVALID).
 */
export function checkSystem(
  system: SystemCandidate,
  components: readonly string[],
  registered: ReadonlySet<string>,
): void {
  const name = checkName(system.name);
  if (typeof system.run !== 'function') {
    throw new EscapementError('SCHEMA_INVALID', `System "${name}" has no run function.`, {
      given: print(system.run),
      allowed: 'a function',
      fix: 'Give `run` the function that the system calls each tick.',
    });
  }
  checkBudget(name, system.budgetMs);
  checkAfter(name, system.after);
  if (registered.has(name)) {
    throw new EscapementError('SCHEMA_INVALID', 'A system needs a name of its own.', {
      given: print(name),
      allowed: `any text but ${[...registered].join(', ')}`,
      fix: 'Rename one of the two: `after` and the statistics tell systems apart by name.',
    });
  }
  const lists = { reads: system.reads ?? [], writes: system.writes ?? [] };
  for (const [key, list] of Object.entries(lists)) checkKnown(name, key, list, components);
  for (const [key, list] of Object.entries(lists)) checkOnce(name, key, list as string[]);
  checkCount(name, registered.size);
  checkPeriod(name, system.period);
}

/** Returns what scheduling has to know of a checked system. */
export function nodeOf(system: SystemCandidate, id: number): SystemNode {
  return {
    id,
    name: system.name as string,
    reads: (system.reads ?? []) as readonly string[],
    writes: (system.writes ?? []) as readonly string[],
    after: (system.after ?? []) as readonly string[],
  };
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new EscapementError('SCHEMA_INVALID', 'A system needs a name of its own.', {
    given: print(name),
    allowed: 'any text but the empty one',
    fix: 'Give the system a `name`.',
  });
}

function checkBudget(name: string, budgetMs: unknown): void {
  if (budgetMs === undefined) return;
  if (typeof budgetMs === 'number' && budgetMs > 0 && Number.isFinite(budgetMs)) return;
  throw new EscapementError('OPTION_INVALID', `System "${name}" has a bad budget.`, {
    given: print(budgetMs),
    allowed: 'milliseconds above 0',
    fix: 'Correct `budgetMs`, or leave it out: without one the system is held to no budget.',
  });
}

function checkAfter(name: string, after: unknown): void {
  if (after === undefined) return;
  const fault = afterFault(after);
  if (fault === undefined) return;
  throw new EscapementError('SCHEMA_INVALID', `System "${name}" has a bad \`after\`.`, {
    given: fault,
    allowed: `a list of at most ${AFTER_MAX} names of systems`,
    fix: Array.isArray(after)
      ? 'Name only the systems that must run directly before it; theirs are followed.'
      : 'Put the names in a list, or leave `after` out.',
  });
}

function afterFault(after: unknown): string | undefined {
  if (!Array.isArray(after)) return print(after);
  if (after.length > AFTER_MAX) return `${after.length} entries`;
  const index = after.findIndex((entry) => typeof entry !== 'string' || entry === '');
  return index === -1 ? undefined : `after[${index}] is ${print(after[index])}`;
}

function checkKnown(name: string, key: string, list: unknown, components: readonly string[]): void {
  if (!Array.isArray(list)) {
    throw new EscapementError('SCHEMA_INVALID', `System "${name}" has a bad \`${key}\`.`, {
      given: print(list),
      allowed: 'a list of names of components',
      fix: `Put the names in a list, or leave \`${key}\` out.`,
    });
  }
  const index = list.findIndex((entry) => !components.includes(entry as string));
  if (index === -1) return;
  throw new EscapementError('NAME_UNKNOWN', `System "${name}" names no component.`, {
    given: `${key}[${index}] is ${print(list[index])}`,
    allowed: components.join(', ') || 'nothing: no component is declared',
    fix: 'Correct the name, or declare the component.',
  });
}

function checkOnce(name: string, key: string, list: readonly string[]): void {
  const index = list.findIndex((entry, at) => list.indexOf(entry) !== at);
  if (index === -1) return;
  throw new EscapementError('SCHEMA_INVALID', `System "${name}" names a component twice.`, {
    given: `${key}[${index}] is ${print(list[index])} once more`,
    allowed: `each component once in \`${key}\``,
    fix: 'Remove one of the two.',
  });
}

function checkCount(name: string, count: number): void {
  if (count < SYSTEMS_MAX) return;
  throw new EscapementError('CAPACITY_EXHAUSTED', `System "${name}" is one too many.`, {
    given: `${count} systems are registered`,
    allowed: `at most ${SYSTEMS_MAX}`,
    fix: 'Let one system do the work of several that run one after another.',
  });
}

function checkPeriod(name: string, period: unknown): void {
  if (period === undefined || (Number.isSafeInteger(period) && (period as number) >= 1)) return;
  throw new EscapementError('OPTION_INVALID', `System "${name}" has a bad period.`, {
    given: print(period),
    allowed: 'a whole number of ticks, at least 1',
    fix: 'Correct `period`, or leave it out: the system then runs every tick.',
  });
}

/** Returns any value as short text; never throws. */
function print(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
