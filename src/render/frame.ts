import type { Entity } from '../shared/entity.ts';
import type { ColumnOf } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { MatrixOptions, MatrixParts, RowOptions, SampleOptions } from './bulk-options.ts';
import type { ViewQuery } from './view-query.ts';

/** What a frame shows: live data, the last data again, or nothing yet. */
export type FrameStatus =
  | 'ok'
  /** Publications overtook every try; the last blended data is shown again. */
  | 'busy'
  /** Running, but nothing was published for a while. */
  | 'stalled'
  /** Nothing was published yet. */
  | 'not-ready'
  | 'stopped'
  | 'failed';

/** What became of a sampled entity. */
export type SampleStatus =
  | 'ok'
  /** It was spawned or teleported: the later state, or on from there; nothing in between. */
  | 'snapped'
  /** The entity has ended. */
  | 'stale'
  | 'no-component'
  /** The entity lives, but the simulation hides it. */
  | 'hidden'
  /** The entity is newer than what is published, or nothing is. */
  | 'not-published';

/** The published channels of a simulation: their names. */
export type ChannelName<T extends SimulationTypes> = T['published'] & string;

/** The array a blend of a channel returns. */
export type BlendOf<T extends SimulationTypes, K extends ChannelName<T>> = ColumnOf<
  T['components'][K]['scalar']
>;

/**
 * The two ticks between which a frame stands, as they were published: for whoever blends elsewhere,
 * on a GPU for example. Columns and stamps go by slot index, `slotCount` of them; they are views of
 * shared memory, and valid until the frame is released.
 */
export interface FramePair<T extends SimulationTypes = SimulationTypes> {
  /** Which run of the simulation this is: it changes with a restart. */
  readonly run: number;
  readonly epoch: number;
  /** Within one run and epoch, equal ticks have equal columns. */
  readonly earlierTick: number;
  readonly laterTick: number;
  /** One more than the highest living slot index of the later tick, and of the earlier one. */
  readonly slotCount: number;
  readonly earlierSlotCount: number;
  /** Who is there, with which stamps: equal versions of one run are equal in all of it. */
  readonly earlierVersion: number;
  readonly laterVersion: number;
  /** A stamp a slot; where the two differ, nothing may be blended. */
  readonly earlierStamps: Uint32Array;
  readonly laterStamps: Uint32Array;
  /** Returns a channel's column of the earlier tick: `width` numbers a slot. */
  earlier<K extends ChannelName<T>>(channel: K): BlendOf<T, K>;
  /** Returns a channel's column of the later tick. */
  later<K extends ChannelName<T>>(channel: K): BlendOf<T, K>;
  /**
   * Whether the entity of a slot shows the later tick at once: it is new, was teleported, or opted
   * out of blending.
   */
  snaps(slot: number): boolean;
  /** Whether a slot has a living entity that is not hidden, at the later tick. */
  shows(slot: number): boolean;
  /** Whether the entity of a slot has a channel's component, at the later tick. */
  has(slot: number, channel: ChannelName<T>): boolean;
  /**
   * Writes one word a slot for whoever decides elsewhere what is shown, and returns how many slots
   * there are: 0 where nothing is shown at the earlier tick (nobody lives there, it is hidden, or
   * has no component of that channel), else a word that holds the slot's stamp. Bit 1 says that the
   * entity opted out of blending. Where the later word has bit 1, or the two words differ in
   * another bit, nothing may be blended. Words follow from the roster alone: equal versions, equal
   * words.
   */
  earlierWords(channel: ChannelName<T>, out: Uint32Array): number;
  /** The same at the later tick. */
  laterWords(channel: ChannelName<T>, out: Uint32Array): number;
  /** Whether the entity that a slot had at the earlier tick had a channel's component. */
  had(slot: number, channel: ChannelName<T>): boolean;
}

/**
 * One look at a simulation: two ticks that stand still and a position between them. Made by
 * `view.frame()`, the same object every time; release it before the next. Two reads of one frame
 * see the same ticks at the same alpha.
 */
export interface Frame<T extends SimulationTypes = SimulationTypes> {
  readonly status: FrameStatus;
  /** The newest published tick. */
  readonly tick: number;
  readonly epoch: number;
  /** The later of the two ticks between which this frame stands. */
  readonly pairTick: number;
  /** Position between `pairTick - 1` and `pairTick`, in [0, 1]. */
  readonly alpha: number;
  /** World time shown, in seconds: (pairTick - 1 + alpha) x quantum, 0 at least. */
  readonly time: number;
  /**
   * How far beyond the later tick this reader stands, in seconds of world time: 0 unless ticks are
   * late or the view has a lead. `alpha` is 1 then (0 before the first tick is over), and channels
   * that extrapolate go on.
   */
  readonly overrun: number;
  /** How far behind the clock this reader stands, in nanoseconds; negative with a lead. */
  readonly slackNs: number;
  /** Whether the clock runs; while it does not, every reader shows the same alpha. */
  readonly running: boolean;
  /** The two ticks, for whoever blends elsewhere. */
  readonly pair: FramePair<T>;
  /** Living entities that are not hidden; rows of every blended column. */
  readonly count: number;
  /** Handles that appeared since this view's last frame, or are no longer hidden. */
  readonly entered: Uint32Array;
  /** Handles that disappeared since this view's last frame, or are hidden now. */
  readonly left: Uint32Array;
  /** Their slot indices, ascending; row k of a blended column is entity `indices[k]`. */
  readonly indices: Uint32Array;
  /** Their handles, in the order of the rows. Valid until the next frame. */
  readonly entities: Uint32Array;
  /**
   * Blends a channel for all living entities into this reader's output in the region, and returns
   * it: `width` numbers a row, `count` rows. No copy, no allocation; valid until the view's next
   * frame. Rows of entities without the component are NaN (0 in integer columns).
   */
  blend<K extends ChannelName<T>>(channel: K): BlendOf<T, K>;
  /**
   * Blends a channel into an array of the caller's: all entities that are seen, or those of `of`,
   * or of these the ones that lie `within`. Returns the number of rows. A frame that is busy writes
   * nothing and returns what was written there last. Throws VALUE_INVALID when the array is too
   * short, and for options that are not possible.
   */
  sampleInto(
    channel: ChannelName<T>,
    out: { [index: number]: number; readonly length: number },
    options?: SampleOptions<T, ChannelName<T>>,
  ): number;
  /**
   * Composes a matrix for each row, translation x rotation x scale, blended apart: 16 f32 a row,
   * column by column, in this reader's room in the region. Returns them; made anew only when their
   * number changed, and valid until matrices are composed again or the view's next frame. A frame
   * that is busy returns the last ones. Throws VALUE_INVALID for channels of other kinds.
   */
  composeMatrices(
    parts: MatrixParts<ChannelName<T>>,
    options?: RowOptions<T, ChannelName<T>>,
  ): Float32Array;
  /**
   * Composes matrices as {@link composeMatrices} and copies them into an array of the caller's,
   * such as a renderer's instance buffer. Returns their number, and allocates nothing even when
   * that changes. A frame that is busy writes nothing and returns what was written there last.
   * Throws VALUE_INVALID as `sampleInto` does.
   */
  composeMatricesInto(
    out: { [index: number]: number; readonly length: number },
    parts: MatrixParts<ChannelName<T>>,
    options?: MatrixOptions<T, ChannelName<T>>,
  ): number;
  /** Rows of the last `sampleInto` or composition of matrices in this frame. */
  readonly rowCount: number;
  /**
   * Slot indices of those rows: row k is entity `rowIndices[k]`. Valid until the next such call;
   * made anew only when their number changed.
   */
  readonly rowIndices: Uint32Array;
  /** Brings a query up to date with this frame and returns its slot indices, ascending. */
  indicesOf(query: ViewQuery<T>): Uint32Array;
  /**
   * Blends one entity's channel into `out` and says what became of it. `out` is untouched unless
   * the status is `ok` or `snapped`.
   */
  sample(entity: Entity, channel: ChannelName<T>, out: { [index: number]: number }): SampleStatus;
  /** Returns a published global, as it was at the later tick. Throws NAME_UNKNOWN. */
  global(name: keyof T['globals'] & string): number;
  /** Lets the pinned ticks go. Releasing twice does nothing. */
  release(): void;
  [Symbol.dispose](): void;
}
