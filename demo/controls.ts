import { BLEND_PATHS, isBlendPath } from './blend-path.ts';
import { findElement, setText } from './element.ts';
import { formatSpeed } from './panel.ts';
import type { Player } from './player.ts';
import { isSceneName, SCENES } from './scene-list.ts';

const COUNT = new Intl.NumberFormat('en');

/** Speed and population sliders stand at the logarithm of their value: each tenfold is as long. */
const SPEED_DIGITS = 2;
const POPULATION_DIGITS = 2;

/** Binds the buttons, sliders, choices and keys to a player, and shows what it was asked for. */
export class Controls {
  readonly #player: Player;
  readonly #panel: HTMLElement = findElement('.panel', HTMLElement);
  readonly #playLabel: HTMLElement = findElement('#play-label', HTMLElement);
  readonly #fold: HTMLButtonElement = findElement('#fold', HTMLButtonElement);
  readonly #speed: HTMLInputElement = findElement('#speed', HTMLInputElement);
  readonly #speedValue: HTMLElement = findElement('#speed-value', HTMLElement);
  readonly #population: HTMLInputElement = findElement('#population', HTMLInputElement);
  readonly #populationValue: HTMLElement = findElement('#population-value', HTMLElement);
  readonly #run: HTMLElement = findElement('#run', HTMLElement);
  readonly #recording: HTMLElement = findElement('#recording', HTMLElement);
  readonly #rate: HTMLElement = findElement('#rate', HTMLElement);
  readonly #scene: HTMLElement = findElement('#scene', HTMLElement);
  readonly #path: HTMLElement = findElement('#path', HTMLElement);
  readonly #split: HTMLInputElement = findElement('#split', HTMLInputElement);

  constructor(player: Player) {
    this.#player = player;
    listChoices(
      this.#scene,
      'scene',
      Object.entries(SCENES).map(([name, { title }]) => [name, title]),
    );
    listChoices(this.#path, 'path', Object.entries(BLEND_PATHS));
    this.#listenToButtons();
    this.#listenToSliders();
    this.#listenToChoices();
    this.#listenToShowing();
    document.addEventListener('keydown', (event) => this.#onKey(event));
    this.#setFolded(matchMedia('(max-width: 640px)').matches);
    this.show();
  }

  /** Brings the controls up to what was asked for last. */
  show(): void {
    const { playing, speed, population, tickRateHz, scene, sceneName, recording } = this.#player;
    this.#panel.dataset['playing'] = String(playing);
    setText(this.#playLabel, playing ? 'Pause' : 'Play');
    this.#setSlider(this.#speed, Math.log10(speed), this.#speedValue, formatSpeed(speed));
    this.#run.hidden = scene.population === undefined;
    this.#population.max = String(Math.log10(scene.populationMax ?? population));
    this.#recording.hidden = sceneName !== 'crowd' || recording !== undefined;
    const count = COUNT.format(population);
    this.#setSlider(this.#population, Math.log10(population), this.#populationValue, count);
    check(this.#rate, String(tickRateHz));
    check(this.#scene, sceneName);
    this.#showPaths();
  }

  /** Brings the ways to blend up to what the scene offers. */
  #showPaths(): void {
    const { showing, stage } = this.#player;
    const isOffered = stage?.subject.paths.includes(showing.path) ?? true;
    check(this.#path, isOffered ? showing.path : 'simd');
    for (const input of this.#path.querySelectorAll('input')) {
      const paths: readonly string[] | undefined = stage?.subject.paths;
      input.disabled = paths !== undefined && !paths.includes(input.value);
    }
    this.#split.checked = showing.isSplit;
  }

  #listenToButtons(): void {
    const player = this.#player;
    const on = (selector: string, act: () => void): void =>
      findElement(selector, HTMLButtonElement).addEventListener('click', act);
    on('#play', () => void player.toggle());
    on('#step', () => void player.step());
    on('#restart', () => void player.restart());
    on('#fold', () => this.#setFolded(!this.#isFolded));
  }

  #listenToSliders(): void {
    const player = this.#player;
    this.#speed.addEventListener('input', () => {
      // Around 1 the slider catches, so that real time is easy to come back to.
      const exponent = this.#speed.valueAsNumber;
      void player.setSpeed(Math.abs(exponent) < 0.03 ? 1 : roundTo(10 ** exponent, SPEED_DIGITS));
    });
    const chosen = (): number => roundTo(10 ** this.#population.valueAsNumber, POPULATION_DIGITS);
    this.#population.addEventListener('input', () => {
      setText(this.#populationValue, COUNT.format(chosen()));
      fill(this.#population);
    });
    this.#population.addEventListener('change', () => void player.setPopulation(chosen()));
  }

  #listenToChoices(): void {
    const player = this.#player;
    this.#rate.addEventListener('change', (event) => {
      if (event.target instanceof HTMLInputElement) {
        void player.setTickRate(Number(event.target.value));
      }
    });
    this.#scene.addEventListener('change', (event) => {
      const name = event.target instanceof HTMLInputElement ? event.target.value : '';
      if (isSceneName(name)) void player.open(name);
    });
  }

  #listenToShowing(): void {
    const player = this.#player;
    this.#path.addEventListener('change', (event) => {
      const name = event.target instanceof HTMLInputElement ? event.target.value : '';
      if (isBlendPath(name)) player.setPath(name);
    });
    this.#split.addEventListener('change', () => player.setSplit(this.#split.checked));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isButton = event.target instanceof HTMLButtonElement;
    const player = this.#player;
    // On a button the space bar presses that button.
    if (event.key === ' ' && !isButton) {
      if (!event.repeat) void player.toggle();
    } else if (event.key === '.') void player.step();
    else if (event.key === 'r' && !event.repeat) void player.restart();
    else if (event.key === 's' && !event.repeat) player.setSplit(!player.showing.isSplit);
    else if (event.key === 'h' && !event.repeat) this.#setFolded(!this.#isFolded);
    else return;
    event.preventDefault();
  }

  get #isFolded(): boolean {
    return this.#panel.classList.contains('is-folded');
  }

  #setFolded(isFolded: boolean): void {
    this.#panel.classList.toggle('is-folded', isFolded);
    this.#fold.setAttribute('aria-expanded', String(!isFolded));
  }

  #setSlider(slider: HTMLInputElement, at: number, output: HTMLElement, text: string): void {
    setText(output, text);
    slider.setAttribute('aria-valuetext', text);
    // A slider that is being dragged says itself where it stands.
    if (document.activeElement !== slider) slider.valueAsNumber = at;
    fill(slider);
  }
}

/** Offers choices, of which one holds. */
function listChoices(
  parent: HTMLElement,
  group: string,
  choices: readonly (readonly [value: string, title: string])[],
): void {
  for (const [value, title] of choices) {
    const label = document.createElement('label');
    const input = document.createElement('input');
    const text = document.createElement('span');
    Object.assign(input, { type: 'radio', name: group, value });
    text.textContent = title;
    label.append(input, text);
    parent.append(label);
  }
}

/** Colours a slider's track up to its thumb, for browsers that cannot do it themselves. */
function fill(slider: HTMLInputElement): void {
  const least = Number(slider.min);
  const part = (slider.valueAsNumber - least) / (Number(slider.max) - least);
  slider.style.setProperty('--filled', `${(part * 100).toFixed(1)}%`);
}

function check(choice: HTMLElement, value: string): void {
  for (const input of choice.querySelectorAll('input')) input.checked = input.value === value;
}

function roundTo(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
