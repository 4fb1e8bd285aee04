import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type { Signal } from '../shared/signal.ts';
import type { Driver } from './driver.ts';
import type { MessageGate } from './message-gate.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     sleeps on the region's wake word.
 * Ordering   the wake word is loaded before commands are drained and due ticks computed, so what
 *            is raised later ends the wait at once.
 * Progress   blocking pacing parks the thread, event-loop pacing returns to the event loop.
 * Invariant  pacing only decides when the driver is called, never what it runs.
 */

/** The longest a driver sleeps when nothing is due; every wake is re-checked anyway. */
const IDLE_SLICE_MS = 50;

/** Turns of the event loop that let answers of queries leave before the thread parks again. */
async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
}

function untilNextMs(driver: Driver, clock: MonotonicClock, scratch: Instant): number {
  if (!driver.hasNext) return IDLE_SLICE_MS;
  return elapsedNs(driver.next, clock.read(scratch)) / 1e6;
}

/** Drives with `Atomics.wait` between ticks: the most exact pacing, deaf to timers. */
export async function paceBlocking(
  driver: Driver,
  wake: Signal,
  gate: MessageGate,
  clock: MonotonicClock,
): Promise<void> {
  const now = createInstant();
  while (!driver.ended) {
    const seen = wake.load();
    if (gate.pending) {
      await gate.drained();
      await turn();
      continue;
    }
    driver.runDue(clock.read(now));
    if (driver.ended) return;
    const waitMs = untilNextMs(driver, clock, now);
    if (waitMs > 0) wake.wait(seen, waitMs);
  }
}

/** Drives from the event loop: timers, fetch and await go on between ticks. */
export async function paceEventLoop(
  driver: Driver,
  wake: Signal,
  clock: MonotonicClock,
): Promise<void> {
  const now = createInstant();
  while (!driver.ended) {
    const seen = wake.load();
    driver.runDue(clock.read(now));
    if (driver.ended) return;
    const waitMs = untilNextMs(driver, clock, now);
    if (waitMs > 0) await wake.waitAsync(seen, waitMs);
    else await turn();
  }
}
