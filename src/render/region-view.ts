import { type ClockOffset, ClockProbe } from '../shared/calibration.ts';
import { EscapementError } from '../shared/error.ts';
import type { RegionHandle } from '../shared/handle.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import { computeLayout } from '../shared/layout.ts';
import type { ComponentSpec } from '../shared/schema.ts';
import { type Kernels, openKernels } from '../shared/kernels/kernels.ts';
import type { QuerySpec } from '../shared/query-spec.ts';
import { RunWatch } from '../shared/run-watch.ts';
import { canBlock } from '../shared/signal.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { openRegion, type Region } from '../shared/region.ts';
import { PublicationReader } from '../shared/publication-reader.ts';
import { RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from '../shared/record.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';
import type { ChannelName } from './frame.ts';
import { BeatMeter } from './beat-meter.ts';
import { type AnyMotions, checkMotions } from './motion-options.ts';
import { PinnedFrame } from './pinned-frame.ts';
import { OrderedSystems, type RenderSystem, type RenderSystems } from './render-systems.ts';
import type { View, ViewOptions, ViewStats } from './view.ts';
import { claimReader, freeReader } from '../shared/reader-slot.ts';
import { measureStampOffsetNs, ReaderClock } from './reader-clock.ts';
import { RosterDiff } from './roster-diff.ts';
import { RosterQuery } from './roster-query.ts';
import type { ViewQuery } from './view-query.ts';
import { forgetOpen, rememberOpen } from '../shared/open-ends.ts';
import { Slack } from './slack.ts';

/*
 * Threads    the reader's own; any thread may open one.
 * Memory     its hazard word, the record it pins, its output columns.
 * Ordering   as `publication-reader.ts`.
 * Progress   a frame is lock-free with a bound, allocates nothing and sends no message.
 * Invariant  at most one open frame a view; what it shows never stands beyond the two ticks it
 *            names, but for channels that a view lets go on by their velocity.
 */

/** One run's region as this view reads it. */
interface Attachment<T extends SimulationTypes> {
  readonly run: number;
  readonly region: Region;
  readonly reader: number;
  readonly publication: PublicationReader;
  readonly kernels: Kernels | undefined;
  readonly frame: PinnedFrame<T>;
  readonly diff: RosterDiff;
}

const NOBODY: Uint32Array = new Uint32Array(0);

/** Milliseconds without a publication after which a running simulation has stalled, at least. */
const STALL_NS_MIN = 250e6;

/** A reader of one simulation's regions, one run after the other; see {@link View}. */
export class RegionView<T extends SimulationTypes = SimulationTypes> implements View<T> {
  declare readonly __types?: T;
  readonly #watch: RunWatch;
  readonly #clock: ReaderClock;
  readonly #slack: Slack;
  readonly #beat: BeatMeter = new BeatMeter();
  readonly #monotonic: MonotonicClock;
  readonly #options: ViewOptions<T>;
  readonly #showsLatest: boolean;
  readonly #mayUseKernels: boolean;
  #attachment: Attachment<T>;
  #frames = 0;
  #busyFrames = 0;
  #clampedFrames = 0;
  #justMoved = false;
  #closed = false;

  constructor(handle: RegionHandle<T>, options: ViewOptions<T>) {
    // Before anything is claimed that a refusal would have to give back.
    checkMotions((options.channels ?? {}) as AnyMotions, handle.schema);
    this.#options = options;
    this.#showsLatest = options.latest ?? false;
    this.#watch = new RunWatch(handle.id);
    this.#mayUseKernels = options.kernels !== 'off';
    const { local } = this.#watch;
    const clock = options.clock ?? local?.clock ?? createSystemClock(globalThis as ClockScope);
    const sameThread = local?.sameThread ?? false;
    const aheadMs = options.leadMs === undefined ? undefined : -options.leadMs;
    const fixedMs = options.slackMs ?? aheadMs ?? (sameThread ? 0 : undefined);
    this.#slack = new Slack(fixedMs === undefined ? undefined : fixedMs * 1e6);
    const given = options.clock !== undefined || sameThread;
    const stampOffsetNs = given ? 0 : measureStampOffsetNs(clock);
    this.#monotonic = clock;
    this.#clock = new ReaderClock(clock, this.#slack, this.#beat, sameThread, stampOffsetNs);
    this.#attachment = this.#attach(handle);
    if (local === undefined) this.#calibrate(clock);
    else this.#setOffset({ offsetNs: local.offsetNs, errorNs: local.offsetErrorNs });
    rememberOpen(this);
  }

  frame(now?: number): PinnedFrame<T> {
    this.#checkUsable();
    this.#follow();
    const { frame, publication, region } = this.#attachment;
    this.#clock.read();
    if (!this.#pin()) return frame;
    this.#clock.place(region, publication.recordWord, publication.recordDouble, now);
    frame.slackNs = this.#slack.ns;
    this.#show(frame, publication);
    return frame;
  }

  frameAt(alpha: number): PinnedFrame<T> {
    if (!(alpha >= 0 && alpha <= 1)) throw alphaError(alpha);
    this.#checkUsable();
    this.#follow();
    const { frame, publication } = this.#attachment;
    if (!this.#pin()) return frame;
    this.#clock.stand(alpha);
    frame.slackNs = 0;
    this.#show(frame, publication);
    return frame;
  }

  /** Pins the newest record; when there is none, shows the last frame again and returns false. */
  #pin(): boolean {
    const { frame, publication } = this.#attachment;
    this.#frames++;
    const pinned = publication.pin();
    if (pinned >= 0) return true;
    frame.status = pinned === -1 ? 'not-ready' : 'busy';
    if (pinned === -2) this.#busyFrames++;
    // Nobody came or went since the last frame that could be shown.
    frame.entered = NOBODY;
    frame.left = NOBODY;
    frame.openAgain();
    return false;
  }

  /** Sets a frame to the record that is pinned, at the place that the clock was given. */
  #show(frame: PinnedFrame<T>, publication: PublicationReader): void {
    const { region, diff } = this.#attachment;
    const { u32, f64 } = region;
    const word = publication.recordWord;
    const double = publication.recordDouble;
    frame.tick =
      (u32[word + RECORD_WORD.tickLow] as number) +
      (u32[word + RECORD_WORD.tickHigh] as number) * 2 ** 32;
    frame.epoch = u32[word + RECORD_WORD.epoch] as number;
    frame.running = ((u32[word + RECORD_WORD.flags] as number) & RECORD_FLAG.running) !== 0;
    const quantum = f64[double + RECORD_DOUBLE.quantumSeconds] as number;
    frame.quantumSeconds = quantum;
    this.#choosePair(frame, word);
    frame.time = Math.max(0, (frame.pairTick - 1 + frame.alpha) * quantum);
    frame.status = this.#status(double);
    if (this.#justMoved) diff.updateAfterMove(frame.roster);
    else diff.update(frame.roster);
    this.#justMoved = false;
    frame.entered = diff.entered;
    frame.left = diff.left;
  }

  /** x in [0, 1] blends (T-1, T); x in [-1, 0) blends (T-2, T-1) at 1 + x; clamped at both ends. */
  #choosePair(frame: PinnedFrame<T>, word: number): void {
    const { u32 } = this.#attachment.region;
    if (this.#showsLatest) this.#clock.x = 1;
    const { x } = this.#clock;
    const flags = u32[word + RECORD_WORD.flags] as number;
    const earlier = x < 0 && (flags & RECORD_FLAG.pair) !== 0;
    const place = earlier ? 0 : 1;
    let alpha = earlier ? 1 + x : x;
    if (!earlier && x > 1) this.#clampedFrames++;
    // Before the first tick is over there is nothing to blend from.
    if (!(alpha > 0) || frame.tick === 0) alpha = 0;
    else if (alpha > 1) alpha = 1;
    frame.alpha = alpha;
    frame.overrun = x > 1 ? (x - 1) * frame.quantumSeconds : 0;
    frame.pairTick = earlier ? frame.tick - 1 : frame.tick;
    frame.openOn(
      u32[word + RECORD_WORD.slot + place] as number,
      u32[word + RECORD_WORD.slot + place + 1] as number,
      u32[word + RECORD_WORD.roster + place] as number,
      u32[word + RECORD_WORD.roster + place + 1] as number,
    );
  }

  #status(double: number): PinnedFrame<T>['status'] {
    const { i32, f64 } = this.#attachment.region;
    const state = Atomics.load(i32, HEADER.state);
    if (state === REGION_STATE.failed) return 'failed';
    if (state === REGION_STATE.stopped || state === REGION_STATE.replaced) return 'stopped';
    const quantumWallNs = f64[double + RECORD_DOUBLE.quantumWallNs] as number;
    const limitNs = Math.max(STALL_NS_MIN, 3 * quantumWallNs);
    return this.#clock.silentNs > limitNs ? 'stalled' : 'ok';
  }

  channel(name: ChannelName<T>): ComponentSpec {
    return this.#attachment.frame.pair.channel(name).schema;
  }

  query(spec: QuerySpec<keyof T['components'] & string>): ViewQuery<T> {
    return new RosterQuery<T>(spec, this.#attachment.frame.componentNames);
  }

  stats(): ViewStats {
    return {
      frames: this.#frames,
      busyFrames: this.#busyFrames,
      slackMs: this.#slack.ns / 1e6,
      clampedFrames: this.#clampedFrames,
      clockOffsetNs: this.#clock.offsetNs,
      clockErrorNs: this.#clock.errorNs,
      beat: this.#beat.report(1e9 / this.#clock.quantumWallNs),
      path: this.#attachment.kernels === undefined ? 'javascript' : 'simd',
    };
  }

  renderSystems(systems: readonly RenderSystem<T>[]): RenderSystems {
    return new OrderedSystems<T>(this, this.#monotonic, systems);
  }

  get capacity(): number {
    return this.#attachment.region.layout.capacity;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    forgetOpen(this);
    this.#attachment.frame.release();
    freeReader(this.#attachment.region, this.#attachment.reader);
    this.#watch.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #checkUsable(): void {
    if (this.#closed) {
      throw new EscapementError('STATE_INVALID', 'This view has been closed.', {
        fix: 'Open another one with openView.',
      });
    }
    if (this.#attachment.frame.isOpen) {
      throw new EscapementError('FRAME_OPEN', 'The last frame of this view is still open.', {
        allowed: 'one open frame a view',
        fix: 'Call frame.release() first, or write `using frame = view.frame()`.',
      });
    }
  }

  #attach(handle: RegionHandle<T>): Attachment<T> {
    const layout = computeLayout(handle.schema, handle.options);
    const region = openRegion(handle.memory, layout);
    const reader = claimReader(region);
    const publication = new PublicationReader(region, reader);
    const release = (): void => publication.release();
    const scratch = layout.outputs + reader * layout.outputBytes + layout.outputScratch;
    const kernels = this.#mayUseKernels ? openKernels(region, scratch) : undefined;
    const { run, schema } = handle;
    const motions = (this.#options.channels ?? undefined) as AnyMotions | undefined;
    const frame = new PinnedFrame<T>(schema, region, run, reader, kernels, release, motions);
    const diff = new RosterDiff(handle.schema.capacity);
    return { run: handle.run, region, reader, publication, kernels, frame, diff };
  }

  /** Moves over to a newer run, if the present one was replaced and the newer one is known. */
  #follow(): void {
    const { region, run, reader, diff } = this.#attachment;
    const next = this.#watch.successor(region, run) as RegionHandle<T> | undefined;
    if (next === undefined) return;
    freeReader(region, reader);
    this.#attachment = this.#attach(next);
    diff.handOver(this.#attachment.diff);
    this.#slack.forget();
    this.#beat.clear();
    this.#justMoved = true;
  }

  #calibrate(clock: MonotonicClock): void {
    const { region, reader } = this.#attachment;
    // Nobody answers any more once the run is over; nothing moves by the clock either.
    const running = Atomics.load(region.i32, HEADER.state) === REGION_STATE.running;
    if (!region.shared || !running) return;
    const probe = new ClockProbe(region, reader, clock);
    if (canBlock()) {
      this.#setOffset(probe.measureBlocking());
      probe.close();
    } else {
      // Until the answer is there the two clocks are taken as one: true within a few milliseconds
      // in every browser, and a clamped blend at worst.
      void probe.measure().then((offset) => {
        this.#setOffset(offset);
        probe.close();
      });
    }
  }

  #setOffset(offset: ClockOffset | undefined): void {
    this.#clock.offsetNs = offset?.offsetNs ?? 0;
    this.#clock.errorNs = offset?.errorNs ?? Number.POSITIVE_INFINITY;
  }
}

function alphaError(given: unknown): EscapementError {
  return new EscapementError('VALUE_INVALID', 'That is no place between two ticks.', {
    given: String(given),
    allowed: 'a number from 0, the earlier tick, to 1, the later one',
  });
}
