import { Matrix4, Quaternion, Vector3 } from 'three';
import type { SimulationTypes } from 'escapement';
import type { ChannelName, Frame } from 'escapement/render';

/** The channels that a body is placed by. */
export interface PlaceChannels<T extends SimulationTypes> {
  readonly position: ChannelName<T>;
  readonly orientation: ChannelName<T>;
  readonly scale: ChannelName<T>;
}

/** Composes a matrix for each row, one entity after the other, as a page would by itself. */
export class RowMatrices<T extends SimulationTypes> {
  readonly #channels: PlaceChannels<T>;
  readonly #place: Vector3 = new Vector3();
  readonly #turn: Quaternion = new Quaternion();
  readonly #size: Vector3 = new Vector3();
  readonly #matrix: Matrix4 = new Matrix4();
  readonly #numbers: number[] = [0, 0, 0, 1];

  constructor(channels: PlaceChannels<T>) {
    this.#channels = channels;
  }

  /** Fills `out` from the blend of each entity, sampled on its own. Returns the rows. */
  blendInto(frame: Frame<T>, out: Float32Array): number {
    const { entities } = frame;
    const { position, orientation, scale } = this.#channels;
    const numbers = this.#numbers;
    for (let row = 0; row < entities.length; row++) {
      const entity = entities[row] as Parameters<typeof frame.sample>[0];
      frame.sample(entity, position, numbers);
      this.#place.fromArray(numbers);
      frame.sample(entity, orientation, numbers);
      this.#turn.fromArray(numbers);
      frame.sample(entity, scale, numbers);
      this.#size.fromArray(numbers);
      this.#matrix.compose(this.#place, this.#turn, this.#size).toArray(out, 16 * row);
    }
    return entities.length;
  }
}
