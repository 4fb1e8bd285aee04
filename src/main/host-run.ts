import { CommandSender } from '../shared/command-sender.ts';
import type { EscapementError } from '../shared/error.ts';
import type { FollowerClaim } from '../shared/follower-block.ts';
import { hostController, type Layout } from '../shared/layout.ts';
import { PublicationReader } from '../shared/publication-reader.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import type { StartConfig } from '../shared/protocol.ts';
import type { Replay } from '../shared/replay/replay.ts';
import type { Schema } from '../shared/schema.ts';
import type { Signal } from '../shared/signal.ts';
import { CLAIM, HEADER, READER, REGION_STATE } from '../shared/words.ts';
import { LedWake } from './led-wake.ts';

/*
 * Threads    the host's thread alone.
 * Memory     produces commands and inputs, consumes events, logs and ticket results of one region.
 * Ordering   rings order themselves; `CommandSender` orders commands.
 * Progress   writing never waits.
 * Invariant  one host has one of these for each run.
 */

/** The reader index the host keeps for itself. */
const HOST_READER = 0;

/** What a host keeps of how a run was made. */
export interface HostRunConfig extends Pick<StartConfig, 'run' | 'seed' | 'follow'> {
  /** What the run is replayed from, read. */
  readonly replay: Replay | undefined;
}

/** The host's ends of one run's region. */
export class HostRun {
  readonly run: number;
  readonly schema: Schema;
  readonly region: Region;
  readonly layout: Layout;
  readonly sequence: Signal;
  readonly wake: Signal;
  /** Raised by followers. */
  readonly followed: Signal;
  readonly reader: PublicationReader;
  readonly inputs: RingWriter;
  readonly events: RingReader;
  readonly logs: RingReader;
  /** What is recorded of the run. */
  readonly trace: RingReader;
  readonly sender: CommandSender;
  /** Called after anything was written that the driver should see soon. */
  onWritten: (() => void) | undefined;
  /** Called when a ring was emptied here; returns whether more came. */
  onEmptied: (() => boolean) | undefined;
  /** What makes the run again, beside its schema and inputs. */
  readonly seed: readonly [high: number, low: number];
  /** What the run is replayed from, if it is. */
  readonly replay: Replay | undefined;
  readonly #led: LedWake | undefined;
  /** The run's place among the followers of its leader. */
  claim: FollowerClaim | undefined;

  constructor(schema: Schema, region: Region, config: HostRunConfig) {
    const { layout, i32 } = region;
    this.run = config.run;
    this.schema = schema;
    this.seed = config.seed;
    this.replay = config.replay;
    const leader = config.follow;
    this.region = region;
    this.layout = layout;
    this.sequence = openSignal(region, HEADER.sequence);
    const wake = openSignal(region, HEADER.wake);
    this.#led = leader === undefined ? undefined : new LedWake(wake, leader);
    this.wake = this.#led ?? wake;
    this.followed = openSignal(region, HEADER.followed);
    Atomics.store(i32, layout.readerBlocks / 4 + READER.owner, CLAIM.claimed);
    this.reader = new PublicationReader(region, HOST_READER);
    this.inputs = new RingWriter(i32, layout.inputs);
    this.events = new RingReader(i32, layout.events);
    this.logs = new RingReader(i32, layout.logs);
    this.trace = new RingReader(i32, layout.trace);
    const controller = hostController(layout);
    Atomics.store(i32, controller.ownerIndex, CLAIM.claimed);
    this.sender = new CommandSender(region, controller, this.sequence, this.wake);
    this.sender.onWritten = () => this.onWritten?.();
  }

  /** Ends the run for this host: every waiting command rejects with `cause`. */
  end(cause: EscapementError): void {
    this.sender.end(cause);
    this.sequence.close();
    this.followed.close();
    this.#led?.release(this.claim);
  }

  /** Marks the region itself as over, so that waiters on every thread learn it. */
  markState(state: number): void {
    const words = this.region.i32;
    for (;;) {
      const present = Atomics.load(words, HEADER.state);
      const final = present === REGION_STATE.stopped || present === REGION_STATE.failed;
      if (final && state !== REGION_STATE.replaced) break;
      // The simulation may have stored its own end since; that one holds.
      if (Atomics.compareExchange(words, HEADER.state, present, state) === present) break;
    }
    this.sequence.raise();
    this.followed.raise();
  }
}
