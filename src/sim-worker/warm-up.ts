import { COMMAND } from '../shared/command.ts';
import { addNs, createInstant, type Instant, type MonotonicClock } from '../shared/instant.ts';
import { computeLayout, hostController } from '../shared/layout.ts';
import { createLog } from '../shared/log.ts';
import { createRegion } from '../shared/region.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import { WorldClock } from '../shared/world-clock.ts';
import { HEADER } from '../shared/words.ts';
import { scalar } from './component.ts';
import { defineSimulation } from './definition.ts';
import { Driver } from './driver.ts';
import { Publisher } from './publisher.ts';
import { Simulation } from './simulation.ts';
import type { World } from './world.ts';

/*
 * Threads    the simulation thread, before its first run.
 * Memory     a small region of its own, thrown away.
 * Ordering   one thread.
 * Progress   a bounded number of ticks, some milliseconds.
 * Invariant  nothing of it is visible: only the engine has seen the code run.
 */

/** Ticks after which V8 has compiled the way from waking up to publishing. */
const TICKS = 1000;
const QUANTUM_NS = 10_000_000;

/** A clock that goes on by one quantum whenever it is told to. */
class SteppedClock implements MonotonicClock {
  readonly now: Instant = createInstant(1);

  read(out: Instant): Instant {
    out.seconds = this.now.seconds;
    out.nanos = this.now.nanos;
    return out;
  }
}

/**
 * Runs the driver over an empty world in virtual time, so that the first seconds of a real run are
 * not late: at 60 ticks a second an engine takes many seconds to compile what runs so seldom.
 */
export function warmUp(): void {
  const definition = defineSimulation({
    tickRateHz: 100,
    capacity: 1,
    components: { value: scalar() },
    publish: ['value'],
    systems: [{ name: 'nothing', run: () => undefined }],
  });
  const { schema } = definition;
  const words = 64;
  const layout = computeLayout(schema, {
    readers: 2,
    controllers: 1,
    followers: 0,
    commandWords: words,
    inputWords: words,
    eventWords: words,
    logWords: words,
    traceWords: words,
  });
  const region = createRegion(layout, typeof SharedArrayBuffer !== 'undefined');
  const clock = new SteppedClock();
  const log = createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
  const simulation = new Simulation(definition, {
    region,
    schema,
    params: {},
    seed: [0, 0],
    log,
    clock,
  });
  const publisher = new Publisher(schema, region, simulation.world as unknown as World);
  const worldClock = new WorldClock({ quantum: schema.quantum });
  const driver = new Driver({
    simulation: simulation as unknown as Simulation,
    region,
    clock: worldClock,
    publisher,
    monotonic: clock,
    log: log.for('warm-up'),
  });
  driver.publishInitial();
  const begin = Uint32Array.of(1);
  new RingWriter(region.i32, hostController(layout).commands).tryWrite(
    COMMAND.begin,
    begin,
    begin.length,
  );
  Atomics.add(region.i32, HEADER.wake, 1);
  for (let tick = 0; tick < TICKS; tick++) {
    driver.runDue(clock.now);
    addNs(clock.now, QUANTUM_NS);
  }
}
