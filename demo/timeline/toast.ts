import { EscapementError } from 'escapement';
import { findElement, setText } from '../element.ts';

/** How long a message stays unless it is put away. */
const STAY_MS = 15_000;

/** Says what happened, beside everything else, for a while. */
export class Toast {
  readonly #element: HTMLElement = findElement('#toast', HTMLElement);
  readonly #code: HTMLElement = findElement('#toast-code', HTMLElement);
  readonly #headline: HTMLElement = findElement('#toast-headline', HTMLElement);
  readonly #detail: HTMLElement = findElement('#toast-detail', HTMLElement);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    findElement('#toast-close', HTMLButtonElement).addEventListener('click', () => this.hide());
  }

  /** Shows a message in place of the one before. */
  show(headline: string, detail = '', code = ''): void {
    setText(this.#code, code);
    setText(this.#headline, headline);
    setText(this.#detail, detail);
    this.#element.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), STAY_MS);
  }

  /** Shows why something was refused. */
  showCause(headline: string, cause: unknown): void {
    if (cause instanceof EscapementError) {
      const { given, fix } = cause.detail;
      const detail = [cause.headline, given && `Given: ${given}.`, fix].filter(Boolean).join(' ');
      this.show(headline, detail, cause.code);
    } else {
      this.show(headline, cause instanceof Error ? cause.message : String(cause));
    }
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#element.hidden = true;
  }
}
