import { findElement, setText } from './element.ts';
import type { Player } from './player.ts';
import type { Pointer } from './pointer.ts';

/**
 * Says once what the pointer does; says why nothing moves while nothing does by request, and that a
 * replay heeds no pointer while one is pressed over it.
 */
export class Hint {
  readonly #element: HTMLElement = findElement('#hint', HTMLElement);
  readonly #player: Player;
  readonly #pointer: Pointer;
  #isHeld: boolean;
  #isKnown = false;

  constructor(player: Player, pointer: Pointer) {
    this.#player = player;
    this.#pointer = pointer;
    pointer.onButton = () => this.show();
    this.#isHeld = !player.playing;
    pointer.onFirstMove = () => {
      this.#isKnown = true;
      this.show();
    };
  }

  /** Brings the hint up to what the player does. */
  show(): void {
    const { playing, scene, replay } = this.#player;
    if (playing || replay !== undefined) this.#isHeld = false;
    if (replay !== undefined) {
      setText(this.#element, 'Refused: a replay takes its inputs from the recording.');
      this.#element.classList.toggle('is-gone', !this.#pointer.down);
      return;
    }
    const isTouch = matchMedia('(pointer: coarse)').matches;
    const text = isTouch ? scene.touchHint : scene.hint;
    if (this.#isHeld) setText(this.#element, 'Paused, as your system asks for less motion.');
    else if (text !== undefined) setText(this.#element, text);
    this.#element.classList.toggle(
      'is-gone',
      !this.#isHeld && (this.#isKnown || text === undefined),
    );
  }
}
