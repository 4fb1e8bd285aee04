import type { IParticle, PointData } from 'pixi.js';
import { type Entity, NO_ENTITY } from '../../shared/entity.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName, Frame, FramePair } from '../frame.ts';
import { channelsOf, radiansOf, type SpriteLayout } from './sprite-layout.ts';
import { packTint } from './tint.ts';

/** Where particles come from, and what is done to one when it gets another entity to show. */
export interface ParticleSource<P extends IParticle> {
  create(): P;
  enter?(particle: P, entity: Entity): void;
}

/**
 * Keeps a particle for each entity that is seen and has all channels of a layout, and moves them
 * frame by frame. Particles of entities that left wait for the next that come; nothing else is
 * allocated once there are enough. Knows pixi by its types alone.
 */
export class ParticleRows<T extends SimulationTypes, P extends IParticle> {
  /** Those that are seen, by ascending slot: the same array every time. */
  readonly particles: P[] = [];
  readonly #layout: SpriteLayout;
  readonly #source: ParticleSource<P>;
  readonly #units: Readonly<PointData> | undefined;
  readonly #channels: readonly ChannelName<T>[];
  readonly #spare: P[] = [];
  /** Of one unit of the rotation. A field: a double in a call is boxed. */
  readonly #radians: number;
  /** The row in a blended column, and the slot, of each particle. */
  #rows: Uint32Array = new Uint32Array(0);
  #slots: Uint32Array = new Uint32Array(0);
  /** Which entity a slot's particle shows; NO_ENTITY where there is none. */
  #owners: Uint32Array = new Uint32Array(0);
  #bySlot: (P | undefined)[] = [];
  #run = -1;
  #version = -1;

  /** Without `units`, a particle's own scale stays as it is unless there is a channel for it. */
  constructor(layout: SpriteLayout, source: ParticleSource<P>, units?: Readonly<PointData>) {
    this.#layout = layout;
    this.#units = units;
    this.#radians = layout.rotation === undefined ? 1 : radiansOf(layout.rotation.spec);
    this.#source = source;
    this.#channels = channelsOf(layout).map(({ name }) => name as ChannelName<T>);
  }

  /** Takes over a frame. Returns whether the list of particles is another one. */
  update(frame: Frame<T>): boolean {
    if (frame.status === 'busy') return false;
    if (frame.status === 'not-ready') return this.#clear();
    const { pair } = frame;
    const { run, laterVersion } = pair;
    const isRestarted = run !== this.#run;
    const isChanged = isRestarted || laterVersion !== this.#version;
    if (isRestarted) this.#restart(pair);
    if (isChanged) {
      this.#release(frame);
      this.#assign(frame);
    }
    this.#run = run;
    this.#version = laterVersion;
    this.#move(frame);
    return isChanged;
  }

  #clear(): boolean {
    const hadSome = this.particles.length > 0;
    for (let k = 0; k < this.particles.length; k++) this.#free(this.#slots[k] as number);
    this.particles.length = 0;
    this.#run = -1;
    return hadSome;
  }

  /** Handles of another run may be equal and yet mean others. */
  #restart(pair: FramePair<T>): void {
    this.#clear();
    const capacity = pair.laterStamps.length;
    if (capacity === this.#owners.length) return;
    this.#rows = new Uint32Array(capacity);
    this.#slots = new Uint32Array(capacity);
    this.#owners = new Uint32Array(capacity);
    this.#bySlot = Array.from({ length: capacity }, () => undefined);
  }

  /** Takes the particles of who is no longer there: both lists go by ascending slot. */
  #release({ pair, indices, entities, count }: Frame<T>): void {
    let row = 0;
    for (let k = 0; k < this.particles.length; k++) {
      const slot = this.#slots[k] as number;
      while (row < count && (indices[row] as number) < slot) row++;
      const stays =
        row < count &&
        indices[row] === slot &&
        entities[row] === this.#owners[slot] &&
        this.#hasAll(pair, slot);
      if (!stays) this.#free(slot);
    }
  }

  #free(slot: number): void {
    this.#spare.push(this.#bySlot[slot] as P);
    this.#bySlot[slot] = undefined;
    this.#owners[slot] = NO_ENTITY;
  }

  /** Lists the particles anew, with one for each entity that has none. */
  #assign({ pair, indices, entities, count }: Frame<T>): void {
    const { particles } = this;
    let shown = 0;
    for (let row = 0; row < count; row++) {
      const slot = indices[row] as number;
      if (!this.#hasAll(pair, slot)) continue;
      let particle = this.#bySlot[slot];
      if (particle === undefined) {
        particle = this.#spare.pop() ?? this.#source.create();
        this.#bySlot[slot] = particle;
        this.#owners[slot] = entities[row] as number;
        if (this.#units !== undefined) {
          particle.scaleX = this.#units.x;
          particle.scaleY = this.#units.y;
        }
        this.#source.enter?.(particle, entities[row] as Entity);
      }
      particles[shown] = particle;
      this.#rows[shown] = row;
      this.#slots[shown] = slot;
      shown++;
    }
    particles.length = shown;
  }

  #hasAll(pair: FramePair<T>, slot: number): boolean {
    for (let c = 0; c < this.#channels.length; c++) {
      if (!pair.has(slot, this.#channels[c] as ChannelName<T>)) return false;
    }
    return true;
  }

  #move(frame: Frame<T>): void {
    const { position, rotation, scale, colour } = this.#layout;
    const places = frame.blend(position.name as ChannelName<T>) as Float32Array;
    this.#place(places, position.spec.width);
    if (rotation !== undefined) {
      const angles = frame.blend(rotation.name as ChannelName<T>) as Float32Array;
      this.#turn(angles);
    }
    if (scale !== undefined) {
      const sizes = frame.blend(scale.name as ChannelName<T>) as Float32Array;
      this.#size(sizes, scale.spec.width);
    }
    if (colour !== undefined) {
      const paints = frame.blend(colour.name as ChannelName<T>) as Float32Array;
      this.#paint(paints, colour.spec.width);
    }
  }

  #place(places: Float32Array, width: number): void {
    const { particles } = this;
    for (let k = 0; k < particles.length; k++) {
      const particle = particles[k] as P;
      const at = (this.#rows[k] as number) * width;
      particle.x = places[at] as number;
      particle.y = places[at + 1] as number;
    }
  }

  #turn(angles: Float32Array): void {
    const { particles } = this;
    const radians = this.#radians;
    for (let k = 0; k < particles.length; k++) {
      (particles[k] as P).rotation = (angles[this.#rows[k] as number] as number) * radians;
    }
  }

  #size(sizes: Float32Array, width: number): void {
    const { particles } = this;
    const second = width > 1 ? 1 : 0;
    const x = this.#units?.x ?? 1;
    const y = this.#units?.y ?? 1;
    for (let k = 0; k < particles.length; k++) {
      const particle = particles[k] as P;
      const at = (this.#rows[k] as number) * width;
      particle.scaleX = (sizes[at] as number) * x;
      particle.scaleY = (sizes[at + second] as number) * y;
    }
  }

  #paint(paints: Float32Array, width: number): void {
    const { particles } = this;
    for (let k = 0; k < particles.length; k++) {
      (particles[k] as P).color = packTint(paints, (this.#rows[k] as number) * width, width);
    }
  }
}
