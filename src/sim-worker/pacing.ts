import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type { Signal } from '../shared/signal.ts';
import type { Driver } from './driver.ts';
import { eventLoopTurn } from './event-loop-turn.ts';
import type { MessageGate } from './message-gate.ts';
import { Park } from './park.ts';

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
/**
 * Of one that sleeps on its leader's word: who asks it something may know its own alone. Long
 * enough for a look into the event loop.
 */
const LED_SLICE_MS = 5;

/** How often a parked thread looks into its event loop, where rejections and timers wait. */
const TURN_PERIOD_NS = 250e6;
/** It does so only when the next tick is at least this far away. */
const TURN_ROOM_MS = 4;

/** Milliseconds until the next tick is due, by a reading left in `scratch`. */
function untilNextMs(driver: Driver, clock: MonotonicClock, scratch: Instant): number {
  clock.read(scratch);
  if (driver.hasNext) return elapsedNs(driver.next, scratch) / 1e6;
  return driver.follows ? LED_SLICE_MS : IDLE_SLICE_MS;
}

/**
 * Drives with `Atomics.wait` between ticks: the most exact pacing. Its thread looks into its event
 * loop when the host posts a message, and a few times a second.
 */
export async function paceBlocking(
  driver: Driver,
  wake: Signal,
  gate: MessageGate,
  clock: MonotonicClock,
): Promise<void> {
  const now = createInstant();
  const lastTurn = clock.read(createInstant());
  const park = new Park(driver, wake, clock);
  while (!driver.ended) {
    const seen = wake.load();
    if (gate.pending) {
      await gate.drained();
      await eventLoopTurn();
      continue;
    }
    driver.runDue(clock.read(now));
    if (driver.ended) return;
    let waitMs = untilNextMs(driver, clock, now);
    if (waitMs > TURN_ROOM_MS && elapsedNs(now, lastTurn) > TURN_PERIOD_NS) {
      await eventLoopTurn();
      clock.read(lastTurn);
      waitMs = untilNextMs(driver, clock, now);
    }
    if (waitMs > 0) park.until(seen, waitMs);
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
    else await eventLoopTurn();
  }
}
