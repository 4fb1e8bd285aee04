/** One measured line: plain numbers and words. */
export type Line = Readonly<Record<string, number | string | boolean>>;

const asJson = process.argv.includes('--json');

/** How long a bench runs: tiny so that it cannot rot, full for figures that are kept. */
const SIZE: 'tiny' | 'normal' | 'full' = process.argv.includes('--tiny')
  ? 'tiny'
  : process.argv.includes('--full') || process.env.ESCAPEMENT_SIZE === 'full'
    ? 'full'
    : 'normal';

/** Picks by {@link SIZE}. */
export function sized<V>(tiny: V, normal: V, full: V): V {
  return SIZE === 'tiny' ? tiny : SIZE === 'full' ? full : normal;
}

/** Prints one line: a JSON object with `--json`, else aligned words. */
export function report(bench: string, line: Line): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ bench, ...line })}\n`);
    return;
  }
  const cells = Object.entries(line).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`${bench.padEnd(10)}${cells.join('  ')}\n`);
}

/** Rounds to `digits` significant digits, for printing. */
export function round(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}
