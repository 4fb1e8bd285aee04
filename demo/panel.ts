import type { ProfileReport, SimulationStats } from 'escapement';
import { findElement, setText } from './element.ts';
import { FrameBars } from './frame-bars.ts';
import type { FrameMeter } from './frame-meter.ts';
import { Sparkline } from './sparkline.ts';
import type { Stage } from './stage.ts';
import { SystemBars } from './system-bars.ts';

const COUNT = new Intl.NumberFormat('en');

const TIER_NAMES = {
  shared: 'Shared memory',
  transfer: 'Transferred buffers',
  'calling-thread': 'Calling thread',
} as const;

/** Figures by the name in `data-figure`. */
type FigureName =
  | 'tick'
  | 'entities'
  | 'fps'
  | 'time'
  | 'alpha'
  | 'slack'
  | 'speed'
  | 'dropped'
  | 'tick-time'
  | 'lateness'
  | 'frame-time'
  | 'tier'
  | 'why';

/** Shows the figures of the simulation's thread and of this page. */
export class Panel {
  readonly #root: HTMLElement = findElement('.panel', HTMLElement);
  readonly #tickPlot: Sparkline = new Sparkline(findElement('#tick-plot', HTMLCanvasElement));
  readonly #framePlot: Sparkline = new Sparkline(findElement('#frame-plot', HTMLCanvasElement));
  readonly #wakePlot: FrameBars = new FrameBars(findElement('#wake-plot', HTMLCanvasElement));
  readonly #systems: SystemBars = new SystemBars(findElement('#systems', HTMLElement));
  readonly #figures: Map<string, HTMLElement> = new Map();

  constructor() {
    for (const figure of this.#root.querySelectorAll<HTMLElement>('[data-figure]')) {
      this.#figures.set(figure.dataset['figure'] ?? '', figure);
    }
  }

  /** Brings every figure up to date; meant for a few times a second. */
  show(stage: Stage, stats: SimulationStats, meter: FrameMeter): void {
    const { last, capabilities } = stage;
    this.#set('tick', COUNT.format(last.tick));
    this.#set('entities', COUNT.format(last.count));
    this.#set('fps', formatNumber(meter.perSecond, 0));
    this.#set('time', `${last.time.toFixed(2)} s`);
    this.#set('alpha', last.alpha.toFixed(3));
    this.#set('slack', `${(last.slackNs / 1e6).toFixed(2)} ms`);
    this.#set('speed', `${formatNumber(stats.realizedSpeed, 2)} of ${formatSpeed(stats.speed)}`);
    this.#set('dropped', COUNT.format(stats.ticksDropped), stats.ticksDropped > 0);
    this.#set('tick-time', formatPair(stats.tickTimeP50, stats.tickTimeP99));
    this.#set('lateness', formatPair(stats.latenessP50, stats.latenessP99));
    this.#set('frame-time', formatPair(meter.p50Ms, meter.p99Ms));
    this.#set('tier', TIER_NAMES[capabilities.tier]);
    this.#set('why', capabilities.reason);
    this.#root.dataset['tier'] = capabilities.tier;

    const isPaused = stats.mode !== 'live';
    this.#tickPlot.add(isPaused ? Number.NaN : stats.tickTimeP50, stats.tickTimeP99);
    this.#framePlot.add(meter.p50Ms, meter.p99Ms);
    this.#tickPlot.draw(1000 / stats.tickRateHz);
    this.#framePlot.draw(1000 / 60);
  }

  /** Shows what the profiler of the simulation's thread says. */
  showProfile(report: ProfileReport, quantumMs: number): void {
    this.#wakePlot.show(report.frameRecords, quantumMs);
    this.#systems.show(report.systems);
  }

  #set(name: FigureName, text: string, isBad = false): void {
    const figure = this.#figures.get(name);
    if (figure === undefined) return;
    setText(figure, text);
    const state = isBad ? 'bad' : 'ok';
    if (figure.dataset['state'] !== state) figure.dataset['state'] = state;
  }
}

/** Formats a speed as a factor: 0.25×, 1×, 3.5×. */
export function formatSpeed(speed: number): string {
  return `${Number(speed.toFixed(speed < 1 ? 2 : 1))}×`;
}

function formatNumber(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** Formats a median and a 99th percentile in milliseconds. */
function formatPair(p50: number, p99: number): string {
  return `${formatNumber(p50, 2)} / ${formatNumber(p99, 2)} ms`;
}
