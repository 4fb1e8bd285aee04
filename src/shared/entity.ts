/**
 * A handle of an entity: the slot index in the low bits that the capacity needs, the generation in
 * the rest. Generation 0 is never issued, so 0 is no entity. Branded: a plain number is not one.
 */
export type Entity = number & { readonly __entity: 'escapement' };

/** A list of handles that lies in a typed array. */
export interface EntityArray extends Uint32Array {
  readonly [index: number]: Entity;
}

/** No entity: the value of an empty handle field. */
export const NO_ENTITY: Entity = 0 as Entity;

/** Splits and joins handles for one capacity. */
export class HandleCodec {
  readonly indexBits: number;
  readonly indexMask: number;
  /** The last generation a slot can issue; after it the slot is retired. */
  readonly generationMax: number;

  constructor(capacity: number) {
    this.indexBits = capacity <= 2 ? 1 : 32 - Math.clz32(capacity - 1);
    this.indexMask = 2 ** this.indexBits - 1;
    this.generationMax = 2 ** (32 - this.indexBits) - 1;
  }

  /** Joins a slot index and a generation. */
  join(index: number, generation: number): Entity {
    return (((generation << this.indexBits) | index) >>> 0) as Entity;
  }

  /** Returns the slot index of a handle; it may lie beyond the capacity in a forged handle. */
  indexOf(entity: Entity): number {
    return (entity & this.indexMask) >>> 0;
  }

  /** Returns the generation of a handle. */
  generationOf(entity: Entity): number {
    return entity >>> this.indexBits;
  }
}
