import { EscapementError } from '../error.ts';
import type { ComponentSchema, FieldSchema, ParamValue, Schema } from '../schema.ts';
import type { ReplayHeader } from './replay.ts';

/** What a simulation is, as far as a recording of it can be replayed. */
export interface SimulationIdentity {
  readonly schema: Schema;
  /** The definition's `version`; empty if none. */
  readonly version: string;
}

/** What was asked for beside the recording; what is undefined is the recording's. */
export interface RequestedRun {
  readonly quantum?: Schema['quantum'] | undefined;
  readonly seed?: readonly [high: number, low: number] | undefined;
  readonly params?: Readonly<Record<string, ParamValue>> | undefined;
}

/** The most differences that an error names. */
const NAMED_MAX = 6;

/**
 * Returns in what a recording is of another simulation than this one, a line each; none if it can
 * be replayed here. A quantum that differs from the declared one has to be asked for.
 */
export function replayDifferences(
  header: ReplayHeader,
  identity: SimulationIdentity,
  requested: RequestedRun = {},
): string[] {
  const { schema } = identity;
  const there = header.schema;
  const found: string[] = [];
  const compare = (what: string, recorded: unknown, here: unknown): void => {
    const [a, b] = [JSON.stringify(recorded), JSON.stringify(here)];
    if (a !== b) found.push(`${what}: recorded ${a}, here ${b}`);
  };
  compare('name', there.name, schema.name);
  compare('version', header.identity, identity.version);
  compare('tick', tickText(there), tickText({ quantum: requested.quantum ?? schema.quantum }));
  compare('capacity', there.capacity, schema.capacity);
  compareLists('component', there.components, schema.components, componentText, found);
  compareLists('global', there.globals, schema.globals, fieldText, found);
  compareLists('input', there.inputs, schema.inputs, inputText, found);
  compare('systems', there.systems, schema.systems);
  compare('changes', there.changes, schema.changes);
  compare('params', paramTypes(header.params), paramTypes(schema.params));
  if (requested.seed !== undefined) compare('seed', header.seed, requested.seed);
  for (const [name, value] of Object.entries(requested.params ?? {})) {
    const recorded = header.params[name];
    if (!Object.is(recorded, value)) found.push(`params.${name}: ${difference(recorded, value)}`);
  }
  return found;
}

/** Throws REPLAY_MISMATCH, naming what differs, unless a recording can be replayed here. */
export function checkIdentity(
  header: ReplayHeader,
  identity: SimulationIdentity,
  requested?: RequestedRun,
): void {
  const found = replayDifferences(header, identity, requested);
  if (found.length === 0) return;
  const more = found.length - NAMED_MAX;
  throw new EscapementError('REPLAY_MISMATCH', 'The recording is of another simulation.', {
    given: found.slice(0, NAMED_MAX).join('; ') + (more > 0 ? `; and ${more} more` : ''),
    allowed: 'the same name, version, tick, components, globals, inputs, systems and parameters',
    fix:
      'Replay it with the build that recorded it. If only the tick differs, ask for the rate it ' +
      'was recorded at.',
  });
}

/** -0 is another parameter than 0, and may be another run. */
function difference(recorded: unknown, here: unknown): string {
  const text = (value: unknown): string =>
    typeof value === 'string' ? JSON.stringify(value) : Object.is(value, -0) ? '-0' : String(value);
  return `recorded ${text(recorded)}, here ${text(here)}`;
}

function paramTypes(params: ReplayHeader['params']): string {
  const types = Object.entries(params).map(([name, value]) => `${name}: ${typeof value}`);
  return types.sort().join(', ');
}

function tickText({ quantum }: Pick<Schema, 'quantum'>): string {
  return `${quantum.numerator}/${quantum.denominator} s`;
}

function componentText({ scalar, width, rows }: ComponentSchema): string {
  return `${scalar} x ${width}${rows === undefined ? '' : `, ${rows} rows`}`;
}

function fieldText({ type }: FieldSchema<string>): string {
  return type;
}

function inputText({ as, fields }: Schema['inputs'][number]): string {
  return `${as} {${fields.map(({ name, type }) => `${name}: ${type}`).join(', ')}}`;
}

function compareLists<N extends { readonly name: string }>(
  what: string,
  recorded: readonly N[],
  here: readonly N[],
  text: (one: N) => string,
  found: string[],
): void {
  const describe = (list: readonly N[]): Map<string, string> =>
    new Map(list.map((one) => [one.name, text(one)]));
  const there = describe(recorded);
  const present = describe(here);
  for (const [name, value] of there) {
    const other = present.get(name);
    if (other === undefined) found.push(`${what} ${name}: recorded, not here`);
    else if (other !== value) found.push(`${what} ${name}: recorded ${value}, here ${other}`);
  }
  for (const name of present.keys()) {
    if (!there.has(name)) found.push(`${what} ${name}: here, not recorded`);
  }
  const order = (list: readonly N[]): string => list.map(({ name }) => name).join(', ');
  if (found.length === 0 && order(recorded) !== order(here)) {
    found.push(`order of ${what}s: recorded ${order(recorded)}, here ${order(here)}`);
  }
}
