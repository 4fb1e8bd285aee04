import { assert } from '../shared/assert.ts';
import { EscapementError } from '../shared/error.ts';
import type { WorldMap } from '../shared/world-map.ts';
import type { Structure } from './structure.ts';
import type { WorldCensus } from './world-census.ts';

/*
 * Threads    the simulation thread alone, between ticks.
 * Memory     the whole of a world's block, and bytes of the caller's.
 * Ordering   plain accesses.
 * Progress   one bulk copy a call; restoring then counts bitsets. Allocates nothing but at the
 *            first restoration.
 * Invariant  the block is the whole state of a world: what is kept beside it follows from it.
 */

/** Copies the state of a world out of its block, and back in. */
export class WorldBlock {
  /** Bytes of a copy; the same for every world of one schema. */
  readonly byteLength: number;
  readonly #bytes: Uint8Array;
  readonly #structure: Structure;
  readonly #census: WorldCensus | undefined;
  #stamps: Uint32Array | undefined;

  constructor(
    buffer: ArrayBufferLike,
    map: WorldMap,
    structure: Structure,
    census: WorldCensus | undefined,
  ) {
    this.byteLength = map.bytes;
    this.#bytes = new Uint8Array(buffer, map.begin, map.bytes);
    this.#structure = structure;
    this.#census = census;
  }

  /** Copies the state into the first {@link byteLength} bytes of `out`. */
  save(out: Uint8Array): void {
    assert(out.length >= this.byteLength, 'a copy of a world has room for all of it');
    this.#structure.table.refreshShown();
    out.set(this.#bytes);
  }

  /**
   * Puts a saved state in place of the present one. No reader blends anybody across it, unless
   * `isContinued`: then the ticks that follow are to be seen as if it had always been so. Throws
   * STATE_INVALID while a query is being walked, VALUE_INVALID for bytes of another length.
   */
  restore(bytes: Uint8Array, isContinued = false): void {
    if (bytes.length !== this.byteLength) throw this.#otherLength(bytes.length);
    const structure = this.#structure;
    if (structure.depth > 0) throw refuseInWalk();
    const { table } = structure;
    this.#stamps ??= new Uint32Array(table.capacity);
    if (!isContinued) this.#stamps.set(table.stamps);
    this.#bytes.set(bytes);
    if (!isContinued) raise(this.#stamps, table.stamps);
    table.adopt();
    structure.touchAll();
    if (this.#census !== undefined) this.#census.serial++;
  }

  #otherLength(given: number): EscapementError {
    return new EscapementError('VALUE_INVALID', 'That is no state of this world.', {
      given: `${given} bytes`,
      allowed: `${this.byteLength} bytes, as the schema says`,
      fix: 'Restore what a world of the same components and capacity has saved.',
    });
  }
}

/** Writes stamps that differ from those of before, whatever was restored. */
function raise(before: Uint32Array, stamps: Uint32Array): void {
  for (let index = 0; index < stamps.length; index++) {
    stamps[index] = ((before[index] as number) + 1) >>> 0;
  }
}

function refuseInWalk(): EscapementError {
  return new EscapementError('STATE_INVALID', 'The state cannot be replaced inside `each`.', {
    given: 'restore() while a query is being walked',
    fix: 'Restore between two ticks.',
  });
}
