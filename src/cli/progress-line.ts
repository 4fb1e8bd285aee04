const BAR_CELLS = 28;

/** How far a piece of work has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Seconds that the rest will take at the present pace; undefined before anything is done. */
  readonly secondsLeft: number | undefined;
}

/** Counts the steps of a piece of work, and estimates when it will be over. */
export class ProgressMeter {
  readonly #total: number;
  readonly #nowMs: () => number;
  #done = 0;
  #firstMs = 0;
  #lastMs = 0;

  /** `nowMs` reads a clock that never goes back, in milliseconds. */
  constructor(total: number, nowMs: () => number) {
    this.#total = total;
    this.#nowMs = nowMs;
  }

  /** Counts a step. The first one holds what happens once, and is no measure for the others. */
  step(): void {
    this.#done++;
    this.#lastMs = this.#nowMs();
    if (this.#done === 1) this.#firstMs = this.#lastMs;
  }

  read(): Progress {
    const [done, total] = [this.#done, this.#total];
    if (done < 2) return { done, total, secondsLeft: done < total ? undefined : 0 };
    const pace = (this.#lastMs - this.#firstMs) / (done - 1);
    return { done, total, secondsLeft: (pace * (total - done)) / 1000 };
  }
}

/** Formats progress as one line: a bar, how much is done, and the time left. */
export function formatProgress({ done, total, secondsLeft }: Progress): string {
  const cells = Math.floor((BAR_CELLS * done) / total);
  const bar = `${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)}`;
  const percent = String(Math.floor((100 * done) / total)).padStart(3);
  const left = secondsLeft === undefined ? '' : `  ${formatSeconds(secondsLeft)} left`;
  return `${bar} ${percent} %  ${done}/${total} frames${left}`;
}

function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
