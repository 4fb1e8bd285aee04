import { CommandSender } from './command-sender.ts';
import { EscapementError } from './error.ts';
import type { Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import type { Signal } from './signal.ts';
import { CLAIM, HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    any but the host's, which has a controller of its own; a claim belongs to one thread.
 * Memory     a controller's owner word, ring and tickets; the region's state.
 * Ordering   compare-exchange on `owner`; `CommandSender` orders commands.
 * Progress   lock-free.
 * Invariant  a controller has one owner, and is given back only when all its commands are answered.
 */

/** A controller that this thread has claimed. */
export interface ControllerClaim {
  readonly region: Region;
  readonly sender: CommandSender;
  /** Gives it back; commands that were not answered reject with `cause`. */
  release(cause: EscapementError): void;
}

/** Claims a free controller of a region. Throws CONTROLS_EXHAUSTED when all are taken. */
export function claimController(region: Region): ControllerClaim {
  const { controllers } = region.layout;
  for (const block of controllers.slice(1)) {
    const found = Atomics.compareExchange(region.i32, block.ownerIndex, CLAIM.free, CLAIM.claimed);
    if (found !== CLAIM.free) continue;
    const sequence = openSignal(region, HEADER.sequence);
    const wake = openSignal(region, HEADER.wake);
    const sender = new CommandSender(region, block, sequence, wake, () => causeOfEnd(region));
    const release = (cause: EscapementError): void => {
      sender.end(cause);
      void giveBack(region, block.ownerIndex, sender, sequence);
    };
    return { region, sender, release };
  }
  throw new EscapementError('CONTROLS_EXHAUSTED', 'All controls of this simulation are taken.', {
    given: `one more than ${controllers.length - 1}`,
    allowed: `${controllers.length - 1} controls at once, on all threads together`,
    fix: 'Close controls that are done with, or raise `maxControls` in startSimulation.',
  });
}

/**
 * Frees a controller once its commands are answered: before that the next owner would read their
 * answers as its own. One whose thread or run ends first stays claimed for the region's life.
 */
async function giveBack(
  region: Region,
  ownerIndex: number,
  sender: CommandSender,
  sequence: Signal,
): Promise<void> {
  for (;;) {
    const seen = sequence.load();
    if (sender.isIdle) break;
    if (causeOfEnd(region) !== undefined) return;
    await sequence.waitAsync(seen, 1000);
  }
  Atomics.store(region.i32, ownerIndex, CLAIM.free);
  // On memory that is not shared the signal is everybody's.
  if (region.shared) sequence.close();
}

/** Makes the error of a run that a restart has ended. */
export function replacedError(): EscapementError {
  return new EscapementError('STOPPED', 'The run ended because the simulation was restarted.');
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
      return replacedError();
    default:
      return new EscapementError('STOPPED', 'The simulation was stopped.');
  }
}
