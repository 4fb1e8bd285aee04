/** Carries out one seek at a time; of those that are asked for meanwhile, only the last. */
export class LatestSeek {
  readonly #seek: (tick: number) => Promise<void>;
  #target: number | undefined;
  #next: number | undefined;

  /** `seek` must not reject. */
  constructor(seek: (tick: number) => Promise<void>) {
    this.#seek = seek;
  }

  /** The tick that was asked for last, until it is there. */
  get target(): number | undefined {
    return this.#target;
  }

  /** Goes to a tick, once the seek under way is over. */
  ask(tick: number): void {
    const isBusy = this.#target !== undefined;
    this.#target = tick;
    this.#next = tick;
    if (!isBusy) void this.#run();
  }

  /** Forgets what was asked for; a seek under way goes on. */
  cancel(): void {
    this.#next = undefined;
  }

  async #run(): Promise<void> {
    while (this.#next !== undefined) {
      const tick = this.#next;
      this.#next = undefined;
      await this.#seek(tick);
    }
    this.#target = undefined;
  }
}
