import { findElement, setText } from './element.ts';
import type { Player } from './player.ts';
import type { Pointer } from './pointer.ts';

/** Says once what the pointer does; says why nothing moves while nothing does by request. */
export class Hint {
  readonly #element: HTMLElement = findElement('#hint', HTMLElement);
  readonly #player: Player;
  #isHeld: boolean;
  #isKnown = false;

  constructor(player: Player, pointer: Pointer) {
    this.#player = player;
    this.#isHeld = !player.playing;
    pointer.onFirstMove = () => {
      this.#isKnown = true;
      this.show();
    };
  }

  /** Brings the hint up to what the player does. */
  show(): void {
    const { playing, scene } = this.#player;
    if (playing) this.#isHeld = false;
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
