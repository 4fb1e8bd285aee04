import type { SystemProfile } from 'escapement';
import { setText } from './element.ts';

/** The elements of one row. */
interface Row {
  readonly item: HTMLElement;
  readonly name: HTMLElement;
  readonly time: HTMLElement;
  readonly bar: HTMLElement;
}

/**
 * Lists what each system takes of a tick: a bar up to its median, a line at its 99th percentile,
 * both against its budget, or against the slowest system where there is none.
 */
export class SystemBars {
  readonly #list: HTMLElement;
  readonly #rows: Row[] = [];

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** Brings every row up to date. */
  show(systems: readonly SystemProfile[]): void {
    while (this.#rows.length > systems.length) this.#rows.pop()?.item.remove();
    while (this.#rows.length < systems.length) this.#rows.push(this.#addRow());
    const slowest = systems.reduce((most, { p99Ms }) => Math.max(most, p99Ms || 0), 0);
    systems.forEach((system, index) => fill(this.#rows[index] as Row, system, slowest));
  }

  #addRow(): Row {
    const item = document.createElement('li');
    const name = document.createElement('span');
    const time = document.createElement('span');
    const bar = document.createElement('div');
    name.className = 'system-name';
    time.className = 'system-time';
    bar.className = 'system-bar';
    item.append(name, time, bar);
    this.#list.append(item);
    return { item, name, time, bar };
  }
}

function fill({ item, name, time, bar }: Row, system: SystemProfile, slowest: number): void {
  const { p50Ms, p99Ms, budgetMs, verdict } = system;
  const full = budgetMs ?? slowest;
  const hasSamples = system.windowSamples > 0;
  setText(name, system.name);
  setText(time, hasSamples ? `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)} ms` : '–');
  item.title =
    budgetMs === null
      ? 'No budget; the bar is against the slowest system.'
      : `Budget ${budgetMs} ms; over it in ${system.warns} of ${system.runs} runs.`;
  item.dataset['state'] = verdict === 'FAIL' ? 'bad' : 'ok';
  bar.style.setProperty('--typical', share(hasSamples ? p50Ms : 0, full));
  bar.style.setProperty('--worst', share(hasSamples ? p99Ms : 0, full));
}

function share(value: number, full: number): string {
  return `${Math.min(100, full > 0 ? (100 * value) / full : 0).toFixed(1)}%`;
}
