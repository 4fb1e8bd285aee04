import { EscapementError } from '../shared/error.ts';
import { Random } from '../shared/math/random.ts';
import type { SubsystemLog } from '../shared/log.ts';
import type { Region } from '../shared/region.ts';
import { RingReader } from '../shared/ring-reader.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import { type Column, type ParamValue, type Schema, viewColumn } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type {
  BoundQuery,
  SimulationContext,
  SimulationDefinition,
  SystemSpec,
  TickContext,
} from './definition.ts';
import { EventEmitter } from './event-emitter.ts';
import { InputQueue } from './input-queue.ts';
import { World } from './world.ts';

/** What makes one run of a definition: its memory, parameters, seed and log. */
export interface RunOptions {
  readonly region: Region;
  readonly schema: Schema;
  readonly params: Readonly<Record<string, ParamValue>>;
  /** 64 bits of seed as two unsigned halves. */
  readonly seed: readonly [high: number, low: number];
  readonly log: SubsystemLog;
}

/** Substream 0 is the master's: systems of their own come later. */
const MASTER_STREAM = 0;

/** One run of a simulation: the world and its systems, and nothing about time but the tick. */
export class Simulation<T extends SimulationTypes = SimulationTypes> {
  readonly world: World<T['components']>;
  readonly inputs: InputQueue;
  readonly eventRing: RingWriter;
  /** Completed ticks. */
  tick = 0;
  readonly #definition: SimulationDefinition<T>;
  readonly #emitter: EventEmitter;
  readonly #context: MutableContext<T>;
  readonly #queries: Readonly<Record<string, BoundQuery>>;
  readonly #quantum: { readonly numerator: number; readonly denominator: number };

  constructor(definition: SimulationDefinition<T>, options: RunOptions) {
    const { region, schema, params, log } = options;
    const { layout } = region;
    this.#definition = definition;
    this.#quantum = schema.quantum;
    this.world = new World<T['components']>(schema, region);
    this.inputs = new InputQueue(schema.inputs, new RingReader(region.i32, layout.inputs));
    this.eventRing = new RingWriter(region.i32, layout.events);
    this.#emitter = new EventEmitter(schema.events, this.eventRing);
    const [high, low] = options.seed;
    const random = Random.seed(region.u32, layout.worldRandom / 4, high, low, MASTER_STREAM);
    this.#context = {
      world: this.world,
      columns: this.world.columns,
      random,
      params: Object.freeze({ ...params }) as T['params'],
      globals: globalsView(schema, region) as SimulationContext<T>['globals'],
      log,
      tick: 0,
      dt: schema.quantum.numerator / schema.quantum.denominator,
      time: 0,
      inputs: this.inputs.view as TickContext<T>['inputs'],
      emit: this.#emitter.emit as TickContext<T>['emit'],
    };
    this.#queries = definition.queries?.(this.#context) ?? {};
  }

  /** Runs the user's setup, once, before the first tick. */
  async setup(): Promise<void> {
    try {
      await this.#definition.setup?.(this.#context);
    } catch (cause) {
      throw failure('setup threw.', cause);
    }
  }

  /**
   * Makes the next tick: every system in order. Throws SIMULATION_FAILED naming system and tick.
   */
  runTick(firstOfAdvance: boolean): void {
    const tick = this.tick + 1;
    const context = this.#context;
    if (firstOfAdvance) this.inputs.consume();
    context.tick = tick;
    context.time = (tick * this.#quantum.numerator) / this.#quantum.denominator;
    this.#emitter.tick = tick;
    const { systems } = this.#definition;
    for (let i = 0; i < systems.length; i++) {
      const system = systems[i] as SystemSpec<T>;
      try {
        system.run(context);
      } catch (cause) {
        throw failure(`system "${system.name}" threw in tick ${tick}.`, cause);
      }
    }
    if (firstOfAdvance) this.inputs.settle();
    this.tick = tick;
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

type MutableContext<T extends SimulationTypes> = {
  -readonly [K in keyof TickContext<T>]: TickContext<T>[K];
};

function failure(headline: string, cause: unknown): EscapementError {
  return new EscapementError('SIMULATION_FAILED', `The simulation failed: ${headline}`, {
    cause,
  });
}

/** Gives each declared global as a property that reads and writes the world's memory. */
function globalsView(schema: Schema, region: Region): Record<string, number> {
  const view: Record<string, number> = {};
  schema.globals.forEach(({ name, type }, index) => {
    const offset = region.layout.worldGlobals + (region.layout.globalOffsets[index] as number);
    const column: Column = viewColumn(region.buffer, type, offset, 1);
    Object.defineProperty(view, name, {
      enumerable: true,
      get: () => column[0],
      set: (value: number) => {
        column[0] = value;
      },
    });
  });
  return view;
}
