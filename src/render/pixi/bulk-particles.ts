import { type IParticle, ParticleContainer, type ParticleProperties } from 'pixi.js';
import type { Entity } from '../../shared/entity.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { Frame } from '../frame.ts';
import type { View } from '../view.ts';
import { ParticleRows } from './particle-rows.ts';
import {
  resolveSprite,
  resolveUnits,
  type SpriteChannels,
  type SpriteSize,
} from './sprite-layout.ts';

/** Options of {@link BulkParticles}. */
export interface BulkParticlesOptions<
  T extends SimulationTypes = SimulationTypes,
  P extends IParticle = IParticle,
> extends SpriteChannels<T>,
    SpriteSize {
  /**
   * Makes a particle: its texture, anchor and tint. All textures must be of one source. Its own
   * scale stays as it is where there is neither a `scale` nor `unitsPerPixel`.
   */
  readonly create: () => P;
  /**
   * Is called whenever a particle begins to show an entity, a new one or one that showed another
   * before: for what depends on the entity.
   */
  readonly enter?: (particle: P, entity: Entity) => void;
  /**
   * What else changes from frame to frame, by the caller's own hand. What the channels change is
   * known.
   */
  readonly dynamicProperties?: ParticleProperties & Record<string, boolean>;
}

/**
 * A ParticleContainer of pixi that shows one particle for each entity which is not hidden and has
 * all of the channels. Columns are blended in one go and written into the particles, once a frame.
 * An entity keeps its particle for as long as it is seen; particles of those that left are used
 * again. Works with every renderer of pixi.
 */
export class BulkParticles<
  T extends SimulationTypes = SimulationTypes,
  P extends IParticle = IParticle,
> {
  /** Put this into the scene. Its particles are not the caller's to add or remove. */
  readonly container: ParticleContainer;
  readonly #rows: ParticleRows<T, P>;

  /** Throws NAME_UNKNOWN and VALUE_INVALID for channels that do not fit, and OPTION_INVALID. */
  constructor(view: View<T>, options: BulkParticlesOptions<T, P>) {
    const { rotation, scale, colour, unitsPerPixel, dynamicProperties } = options;
    const units = unitsPerPixel === undefined ? undefined : resolveUnits(options);
    this.#rows = new ParticleRows<T, P>(resolveSprite(view, options), options, units);
    this.container = new ParticleContainer({
      particles: this.#rows.particles,
      dynamicProperties: {
        position: true,
        rotation: rotation !== undefined,
        vertex: scale !== undefined,
        color: colour !== undefined,
        ...dynamicProperties,
      },
    });
  }

  /** Moves the particles to where an open frame has them; it may be released before pixi draws. */
  update(frame: Frame<T>): void {
    // What does not change from frame to frame is only uploaded when pixi is told so.
    if (this.#rows.update(frame)) this.container.update();
  }

  /** Takes the container out of the scene and frees what it has. Textures are left alone. */
  destroy(): void {
    this.container.destroy();
  }
}
