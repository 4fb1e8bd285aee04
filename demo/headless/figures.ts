import type { Capabilities, SimulationStats } from 'escapement';
import type { ViewStats } from 'escapement/render';

/** What a run came to, by name, in the order in which it is shown. */
export type Figures = Readonly<Record<string, number | string>>;

/** Returns the `percent`-th percentile by nearest rank; NaN of nothing. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? Number.NaN;
}

/** Gathers the figures of the simulation, the view and the frames drawn. Times in milliseconds. */
export function gather(
  stats: SimulationStats,
  view: ViewStats,
  alpha: number,
  frameMs: readonly number[],
  { tier, reason }: Capabilities,
): Figures {
  return {
    tick: stats.tick,
    'world time s': stats.worldTime,
    entities: stats.entityCount,
    'tick rate Hz': stats.tickRateHz,
    alpha,
    'slack ms': view.slackMs,
    'tick time p50 ms': stats.tickTimeP50,
    'tick time p99 ms': stats.tickTimeP99,
    'lateness p50 ms': stats.latenessP50,
    'lateness p99 ms': stats.latenessP99,
    'dropped ticks': stats.ticksDropped,
    'realized speed': stats.realizedSpeed,
    frames: frameMs.length,
    'frame time p50 ms': percentile(frameMs, 50),
    'frame time p99 ms': percentile(frameMs, 99),
    'publication tier': tier,
    why: reason,
  };
}

/** Formats figures as a table of two columns. */
export function formatTable(figures: Figures): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const rows = Object.entries(figures).map(
    ([name, value]) => `  ${name.padEnd(width)}  ${formatValue(value)}`,
  );
  return `${rows.join('\n')}\n`;
}

function formatValue(value: number | string): string {
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3);
}
