import { EscapementError } from '../shared/error.ts';
import type { Column } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { BulkBlend, type Room } from './bulk-blend.ts';
import type { MatrixOptions, MatrixParts, RowOptions, SampleOptions } from './bulk-options.ts';
import type { Channel } from './channel.ts';
import { Matrices, MATRIX_NUMBERS } from './matrices.ts';
import type { Motions } from './motion-blend.ts';
import { type PinnedPair, unknownName } from './pinned-pair.ts';
import type { ReaderOutputs } from './reader-outputs.ts';
import { RosterQuery } from './roster-query.ts';
import { RowSelection } from './row-selection.ts';
import type { ViewQuery } from './view-query.ts';

/*
 * Threads    the reader's own.
 * Memory     reads what the view has pinned, writes this reader's output in the region and arrays
 *            of the caller's.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates nothing after it was made, but for exact views.
 * Invariant  without pinned data nothing of the region is read but this reader's output.
 */

/** Options of any bulk call that writes into one. */
type RoomOptions = Pick<MatrixOptions<SimulationTypes, string>, 'stride' | 'offset'>;

const NONE: Uint32Array = new Uint32Array(0);
const NO_OPTIONS: SampleOptions<SimulationTypes, string> = Object.freeze({});

/** What a frame does for many entities at once. */
export class BulkRows {
  /** Names of the components, published or not, in the schema's order. */
  readonly componentNames: readonly string[];
  /** Rows of the last call in this frame that selected rows. */
  count = 0;

  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #blend: BulkBlend;
  readonly #selection: RowSelection;
  readonly #matrices: Matrices;
  /** Rows written last into each array, for frames that have nothing to write. */
  readonly #written: WeakMap<Room, number> = new WeakMap();
  #hasData = false;

  constructor(
    componentNames: readonly string[],
    pair: PinnedPair,
    channels: ReadonlyMap<string, Channel>,
    outputs: ReaderOutputs,
    motions: Motions,
  ) {
    this.componentNames = componentNames;
    this.#channels = channels;
    this.#blend = new BulkBlend(pair, channels, outputs, motions);
    this.#selection = new RowSelection(componentNames, pair, channels, this.#blend, outputs);
    this.#matrices = new Matrices(this.#blend, outputs);
  }

  /** Turns to a pinned pair, at the position between its ticks that `moment` holds. */
  open(moment: { readonly alpha: number }): void {
    this.#hasData = true;
    this.count = 0;
    this.#blend.open(moment);
    this.#selection.open();
  }

  /** Opens on what was made last: nothing is pinned. */
  openAgain(): void {
    this.#hasData = false;
  }

  /** Returns the slot indices of the rows of the last call that selected rows. */
  indices(): Uint32Array {
    // The list of all is the roster's own, which is not pinned then.
    if (!this.#hasData && this.#selection.rows.isAll) return NONE;
    return this.#selection.indices();
  }

  /** Returns the list of a query, brought up to date if there is data. */
  indicesOf(query: ViewQuery): Uint32Array {
    if (!(query instanceof RosterQuery)) throw noQuery(query);
    return this.#hasData ? this.#selection.indicesOf(query) : query.exact();
  }

  /** Blends a channel of everybody into its output, and returns that at its exact length. */
  blend(channel: Channel): Column {
    if (this.#hasData) this.#blend.blendAll(channel);
    // What was not blended in the last frame that had data may be rows of other entities.
    else if (!channel.blended) return this.#blend.noOutput(channel);
    return this.#blend.exactOutput(channel);
  }

  /** Blends selected rows of a channel into an array of the caller's; see `Frame`. */
  sampleInto(
    channel: Channel,
    out: Room,
    options: SampleOptions<SimulationTypes, string> = NO_OPTIONS,
  ): number {
    if (!this.#hasData) return this.#written.get(out) ?? 0;
    const { within } = options;
    const { width } = channel.schema;
    let position: Channel | undefined;
    if (within !== undefined) {
      position = options.position === undefined ? channel : this.#channel(options.position);
    }
    this.#selection.select(options.of, within, position);
    const { rows } = this.#selection;
    this.#checkRoom(out, rows.count, width, options);
    const stride = options.stride ?? width;
    this.#blend.blendInto(channel, rows, out, stride, options.offset ?? 0);
    return this.#note(out, rows.count);
  }

  /** Composes the matrices of selected rows; see `Frame`. */
  composeMatrices(
    parts: MatrixParts,
    options: RowOptions<SimulationTypes, string> = NO_OPTIONS,
  ): Float32Array {
    if (this.#hasData) this.#compose(parts, options);
    return this.#matrices.exact();
  }

  /** Composes the matrices of selected rows into an array of the caller's; see `Frame`. */
  composeMatricesInto(
    out: Room,
    parts: MatrixParts,
    options: MatrixOptions<SimulationTypes, string> = NO_OPTIONS,
  ): number {
    if (!this.#hasData) return this.#written.get(out) ?? 0;
    this.#compose(parts, options);
    const { count } = this.#matrices;
    this.#checkRoom(out, count, MATRIX_NUMBERS, options);
    this.#matrices.copyInto(out, options.stride ?? MATRIX_NUMBERS, options.offset ?? 0);
    return this.#note(out, count);
  }

  #compose(parts: MatrixParts, options: RowOptions<SimulationTypes, string>): void {
    const position = this.#channel(parts.position);
    const orientation =
      parts.orientation === undefined ? undefined : this.#channel(parts.orientation);
    const scale = parts.scale === undefined ? undefined : this.#channel(parts.scale);
    this.#selection.select(options.of, options.within, position);
    this.#matrices.compose(this.#selection, position, orientation, scale);
    this.count = this.#matrices.count;
  }

  #note(out: Room, count: number): number {
    this.#written.set(out, count);
    this.count = count;
    return count;
  }

  #checkRoom(out: Room, rows: number, width: number, options: RoomOptions): void {
    const stride = options.stride ?? width;
    const offset = options.offset ?? 0;
    const needed = rows === 0 ? 0 : offset + (rows - 1) * stride + width;
    const isWhole = Number.isInteger(stride) && Number.isInteger(offset);
    if (isWhole && stride >= width && offset >= 0 && out.length >= needed) return;
    throw new EscapementError('VALUE_INVALID', 'The array does not hold all rows.', {
      given: `length ${out.length}, stride ${stride}, offset ${offset}`,
      allowed: `whole numbers, stride >= ${width}, length >= ${needed} for ${rows} rows`,
      fix: 'Make it as long as capacity x stride once, and reuse it.',
    });
  }

  #channel(name: string): Channel {
    const channel = this.#channels.get(name);
    if (channel === undefined) throw unknownName('channel', name, [...this.#channels.keys()]);
    return channel;
  }
}

function noQuery(given: unknown): EscapementError {
  return new EscapementError('VALUE_INVALID', 'This is no query.', {
    given: typeof given,
    allowed: 'what view.query() returned',
  });
}
