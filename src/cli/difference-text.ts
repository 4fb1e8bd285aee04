import { printableText } from './printable-text.ts';
import type { StateDiff, StateDifference } from '../sim-worker/difference-list.ts';

/** Writers of a component, in the order in which they run; none are known without a module. */
export type WritersOf = (component: string) => readonly string[];

/** Returns the differences of two states for people, a line each. */
export function formatDiff(diff: StateDiff, writers: WritersOf | undefined): string[] {
  const lines = diff.groups.map(({ kind, name, count }) => {
    const what = name === '' ? KINDS[kind] : `${KINDS[kind]} ${name}`;
    return `  ${count} in ${what}${writtenBy(kind, name, writers)}`;
  });
  const rest = diff.total - diff.differences.length;
  return [
    ...lines,
    ...diff.differences.map((difference) => `    ${formatDifference(difference)}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ].map(printableText);
}

const KINDS: Readonly<Record<StateDifference['kind'], string>> = {
  lives: 'who lives',
  handle: 'the handles',
  visible: 'who is seen',
  blended: 'who is blended',
  has: 'who has',
  value: 'component',
  global: 'global',
  generator: 'the generator of',
  input: 'input',
  foreign: 'foreign state',
};

function writtenBy(
  kind: StateDifference['kind'],
  name: string,
  writers: WritersOf | undefined,
): string {
  if (writers === undefined || (kind !== 'value' && kind !== 'has')) return '';
  return `, written by: ${writers(name).join(', ') || 'no system that declares it'}`;
}

function formatDifference(difference: StateDifference): string {
  const { kind, name, slot, entity, fieldName, a, b, bits } = difference;
  const field = fieldName === '' || fieldName.startsWith('[') ? fieldName : `.${fieldName}`;
  const owner = entity === 0 ? `slot ${slot}` : `slot ${slot}, entity ${entity}`;
  const values = `A ${valueText(a, bits?.[0])}, B ${valueText(b, bits?.[1])}`;
  const raw = bits === undefined ? '' : ` (bits ${bits[0]}, ${bits[1]})`;
  const what = kind === 'value' || kind === 'has' ? `${name}${field}` : `${KINDS[kind]} ${name}`;
  const whose = slot < 0 ? '' : ` of ${owner}`;
  const place = kind === 'value' || kind === 'has' ? '' : field;
  return `${what.trimEnd()}${place}${whose}: ${values}${raw}`;
}

/** Returns a value as short as it can be told from its neighbours. */
function valueText(value: number | boolean, bits: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (bits?.length !== 8 || !Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}
