import { EscapementError } from '../shared/error.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import type { Log } from '../shared/log.ts';
import type { Region } from '../shared/region.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import type { ProfileReport, ReportBudgets } from '../shared/profile-report.ts';
import type { StateReading } from '../shared/protocol.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { ParamValue, Schema } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SimulationContext } from './context.ts';
import type { BoundQuery, SimulationDefinition } from './definition.ts';
import { EventEmitter } from './event-emitter.ts';
import { InputQueue } from './input-queue.ts';
import type { Profiler } from './profiler.ts';
import { createContext, type TickParts } from './system-context.ts';
import { SystemSet } from './system-set.ts';
import { World } from './world.ts';

/** What makes one run of a definition: its memory, parameters, seed and log. */
export interface RunOptions {
  readonly region: Region;
  readonly schema: Schema;
  readonly params: Readonly<Record<string, ParamValue>>;
  /** 64 bits of seed as two unsigned halves. */
  readonly seed: readonly [high: number, low: number];
  readonly log: Log;
  /** Times ticks and systems. */
  readonly clock: MonotonicClock;
  /** Checks in each system's run what only development can afford. Default false. */
  readonly development?: boolean | undefined;
  /** Whether the profiler starts enabled. Default true. */
  readonly profile?: boolean | undefined;
}

/** Told when a tick is complete: it may read the state, and copy it. */
export interface TickObserver {
  afterTick(tick: number): void;
}

/** One run of a simulation: the world and its systems, and nothing about time but the tick. */
export class Simulation<T extends SimulationTypes = SimulationTypes> {
  readonly world: World<T['components']>;
  readonly systems: SystemSet<T>;
  readonly inputs: InputQueue;
  readonly eventRing: RingWriter;
  /** Completed ticks. */
  tick = 0;
  readonly definition: SimulationDefinition<T>;
  readonly schema: Schema;
  readonly region: Region;
  /** What a tick stands for, in seconds. */
  quantum: TickParts['quantum'];
  /** Whether anything but its ticks has moved it away from what setup made. */
  #isMoved = false;
  readonly #observers: TickObserver[] = [];
  readonly #emitter: EventEmitter;
  readonly #context: SimulationContext<T>;
  readonly #queries: Readonly<Record<string, BoundQuery>>;

  constructor(definition: SimulationDefinition<T>, options: RunOptions) {
    const { region, schema, params, log, seed, clock } = options;
    const { layout } = region;
    this.definition = definition;
    this.schema = schema;
    this.region = region;
    this.quantum = schema.quantum;
    this.world = new World<T['components']>(schema, region.buffer, layout.world, {
      seed,
      churnPerFrame: definition.churnPerFrame,
      log: log.for('ecs'),
      hashing: { memory: region.memory, room: layout.hashRoom },
    });
    this.inputs = new InputQueue(schema.inputs, new RingReader(region.i32, layout.inputs));
    this.eventRing = new RingWriter(region.i32, layout.events);
    this.#emitter = new EventEmitter(schema.events, this.eventRing);
    const parts: TickParts = {
      params: Object.freeze({ ...params }),
      quantum: schema.quantum,
      inputs: this.inputs.view,
      emit: this.#emitter.emit,
      log: log.for('simulation'),
      tick: 0,
    };
    this.systems = new SystemSet<T>(this.world, parts, {
      clock,
      log: log.for('system'),
      profile: options.profile,
      development: options.development === true ? log.for('alloc') : undefined,
    });
    for (const system of definition.systems) this.systems.register(system);
    this.systems.use(this.systems.schedule());
    const plainWorld = this.world as unknown as World;
    const { foreign } = definition;
    if (foreign !== undefined) this.world.stateHash.foreign = () => foreign.hash();
    const context = createContext(plainWorld, parts, this.world.random, undefined);
    this.#context = context as unknown as SimulationContext<T>;
    this.#queries = definition.queries?.(this.#context) ?? {};
  }

  /** What ticks, frames and systems took. */
  get profiler(): Profiler {
    return this.systems.profiler;
  }

  /** Runs the user's setup, once, before the first tick; its commands apply when it has ended. */
  async setup(): Promise<void> {
    try {
      await this.definition.setup?.(this.#context);
      this.world.commands.apply();
    } catch (cause) {
      throw new EscapementError('SIMULATION_FAILED', 'The simulation failed: setup threw.', {
        cause,
      });
    }
  }

  /** Opens a frame: a wake-up of the driver. */
  beginFrame(): void {
    this.systems.beginFrame();
  }

  /** Closes the frame. */
  endFrame(): void {
    this.systems.endFrame();
  }

  /**
   * Makes the next tick: every system in order. Throws SIMULATION_FAILED naming system and tick.
   */
  runTick(firstOfAdvance: boolean): void {
    const tick = this.tick + 1;
    this.inputs.consume(tick, firstOfAdvance);
    this.#emitter.tick = tick;
    this.systems.runTick(tick);
    this.inputs.settle();
    this.tick = tick;
    for (let i = 0; i < this.#observers.length; i++) {
      (this.#observers[i] as TickObserver).afterTick(tick);
    }
  }

  /** Tells an observer of each tick from now on. */
  observe(observer: TickObserver): void {
    this.#observers.push(observer);
  }

  /** Ends that. */
  forgetObserver(observer: TickObserver): void {
    const at = this.#observers.indexOf(observer);
    if (at >= 0) this.#observers.splice(at, 1);
  }

  /** Runs ticks up to `tick` that only lead there: what they emit is not sent. */
  passTo(tick: number): void {
    this.#emitter.muted = true;
    try {
      while (this.tick < tick) {
        this.beginFrame();
        this.runTick(true);
        this.endFrame();
      }
    } finally {
      this.#emitter.muted = false;
    }
  }

  /** Copies the whole state between two ticks. */
  saveKeyframe(): Keyframe {
    const { block, commands } = this.world;
    commands.apply();
    const world = new Uint8Array(block.byteLength);
    block.save(world);
    const inputs = new Uint32Array(this.inputs.stateWords);
    this.inputs.save(inputs);
    // A copy: it may be a view of memory that goes on changing.
    const foreign = this.definition.foreign?.save().slice();
    return { tick: this.tick, world, inputs, foreign };
  }

  /** Whether the present state is what setup made, untouched. */
  get isFromSetup(): boolean {
    return this.tick === 0 && !this.#isMoved;
  }

  /**
   * Puts a saved state in place of the present one; no reader blends anybody across it. Throws
   * REPLAY_MISMATCH when only one of the two has foreign state.
   */
  restoreKeyframe(keyframe: Keyframe): void {
    const { foreign } = this.definition;
    if ((keyframe.foreign === undefined) !== (foreign === undefined))
      throw foreignMismatch(foreign);
    this.#isMoved = true;
    this.world.commands.discard();
    this.world.block.restore(keyframe.world);
    this.inputs.restore(keyframe.inputs);
    if (keyframe.foreign !== undefined) foreign?.restore(keyframe.foreign);
    this.tick = keyframe.tick;
  }

  /** Goes to another tick, and to another quantum; the world stays as it is. */
  relocate(tick: number, quantum: TickParts['quantum']): void {
    if (tick !== this.tick) this.#isMoved = true;
    this.tick = tick;
    this.quantum = quantum;
    this.systems.setQuantum(quantum);
  }

  /** Returns what the profiler has measured, and switches it on or off first if told to. */
  profile(enabled?: boolean, budgets?: ReportBudgets): ProfileReport {
    if (enabled === true) this.profiler.enable();
    if (enabled === false) this.profiler.disable();
    return this.systems.profile(budgets);
  }

  /** Returns the hash of the present state. */
  readState(): StateReading {
    return { tick: this.tick, hash: this.world.stateHash.hex(this.tick) };
  }

  /** Answers a host's query. Refuses an unknown name. */
  query(name: string, args: readonly unknown[]): unknown {
    const query = Object.hasOwn(this.#queries, name) ? this.#queries[name] : undefined;
    if (typeof query !== 'function') {
      throw new EscapementError('NAME_UNKNOWN', 'There is no such query.', {
        given: JSON.stringify(name),
        allowed: Object.keys(this.#queries).join(', ') || 'none is declared',
      });
    }
    return query(...args);
  }
}

function foreignMismatch(here: unknown): EscapementError {
  return new EscapementError('REPLAY_MISMATCH', 'The state is of another simulation.', {
    given: here === undefined ? 'a state with foreign state' : 'a state without foreign state',
    allowed: here === undefined ? 'one without: `foreign` is not declared' : 'one with it',
    fix: 'Restore it with the build that saved it.',
  });
}
