import { ClockCommands, type ControlledRun } from './clock-commands.ts';
import type { ClockControl } from './clock-control.ts';
import { CommandSender } from './command-sender.ts';
import type { ControllerBlock } from './controller-block.ts';
import { EscapementError } from './error.ts';
import type { RegionHandle, SimulationHandle } from './handle.ts';
import { computeLayout } from './layout.ts';
import { openRegion, type Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import { checkHandle, RunWatch } from './run-watch.ts';
import type { Signal } from './signal.ts';
import type { SimulationTypes } from './simulation-types.ts';
import { CLAIM, HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    any but the host's, which has a control of its own; each object belongs to one.
 * Memory     claims a controller of the region: its owner word, its ring, its tickets.
 * Ordering   compare-exchange on `owner`; `CommandSender` orders commands.
 * Progress   lock-free; promises wait on `sequence`.
 * Invariant  a controller has one owner, and is given back only when all its commands are answered.
 */

/** A clock's control on a thread of its own. */
export interface OpenControl extends ClockControl {
  /** Gives the control back. Commands that were not answered reject. Idempotent. */
  close(): void;
}

/**
 * Opens a control of a simulation's clock on this thread, from the handle that `share()` returned.
 * It outlives restarts. Throws CONTROLS_EXHAUSTED, LAYOUT_MISMATCH, and VALUE_INVALID for what is
 * no handle.
 */
export function openControl<T extends SimulationTypes>(handle: SimulationHandle<T>): OpenControl {
  return new RegionControl(checkHandle(handle));
}

interface Attachment extends ControlledRun {
  readonly run: number;
  readonly block: ControllerBlock;
  readonly sequence: Signal;
}

class RegionControl extends ClockCommands implements OpenControl {
  readonly #watch: RunWatch;
  #attachment: Attachment;
  #closed = false;

  constructor(handle: RegionHandle) {
    super(() => this.#current());
    this.#watch = new RunWatch(handle.id);
    this.#attachment = attach(handle);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.close();
    detach(this.#attachment, closedError());
  }

  #current(): Attachment {
    if (this.#closed) throw closedError();
    const { region, run } = this.#attachment;
    const next = this.#watch.successor(region, run);
    if (next !== undefined) {
      detach(this.#attachment, replaced());
      this.#attachment = attach(next);
    }
    return this.#attachment;
  }
}

function attach(handle: RegionHandle): Attachment {
  const region = openRegion(handle.memory, computeLayout(handle.schema, handle.options));
  const block = claimController(region);
  const sequence = openSignal(region, HEADER.sequence);
  const wake = openSignal(region, HEADER.wake);
  const sender = new CommandSender(region, block, sequence, wake, () => causeOfEnd(region));
  return { run: handle.run, region, block, sequence, sender };
}

function detach(attachment: Attachment, cause: EscapementError): void {
  const { region, block, sequence, sender } = attachment;
  // Given back with commands under way, the next owner would read their answers as its own: then
  // the controller stays claimed for the region's life.
  if (sender.isIdle) Atomics.store(region.i32, block.ownerIndex, CLAIM.free);
  sender.end(cause);
  sequence.close();
}

function claimController(region: Region): ControllerBlock {
  const { controllers } = region.layout;
  for (const block of controllers.slice(1)) {
    const found = Atomics.compareExchange(region.i32, block.ownerIndex, CLAIM.free, CLAIM.claimed);
    if (found === CLAIM.free) return block;
  }
  throw new EscapementError('CONTROLS_EXHAUSTED', 'All controls of this simulation are taken.', {
    given: `one more than ${controllers.length - 1}`,
    allowed: `${controllers.length - 1} controls at once, on all threads together`,
    fix: 'Close controls that are done with, or raise `maxControls` in startSimulation.',
  });
}

/** Returns why nobody carries out commands any more; undefined while somebody does. */
function causeOfEnd(region: Region): EscapementError | undefined {
  switch (Atomics.load(region.i32, HEADER.state)) {
    case REGION_STATE.created:
    case REGION_STATE.running:
      return undefined;
    case REGION_STATE.failed:
      return new EscapementError('SIMULATION_FAILED', 'The simulation has failed.', {
        fix: 'Its host has the cause: `sim.ended` there.',
      });
    case REGION_STATE.replaced:
      return replaced();
    default:
      return new EscapementError('STOPPED', 'The simulation was stopped.');
  }
}

function replaced(): EscapementError {
  return new EscapementError('STOPPED', 'The run ended because the simulation was restarted.');
}

function closedError(): EscapementError {
  return new EscapementError('STATE_INVALID', 'This control has been closed.', {
    fix: 'Open another one with openControl.',
  });
}
