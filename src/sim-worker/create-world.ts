import { EscapementError } from '../shared/error.ts';
import { hashRoomBytes } from '../shared/kernels/hash-blocks.ts';
import { Log, type SubsystemLog } from '../shared/log.ts';
import { createMemory, isKernelMemory, type RegionMemory } from '../shared/region.ts';
import { seedWords } from '../shared/run-options.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import type { ScalarType, Schema } from '../shared/schema.ts';
import { placeWorld } from '../shared/world-map.ts';
import { checkCapacity, deriveComponents } from './component-schemas.ts';
import type { ComponentSpecs } from './component-values.ts';
import { createConsoleLog } from './console-log.ts';
import { fieldsOf, isScalarType } from './field-schemas.ts';
import { SYSTEMS_MAX } from './system-check.ts';
import { World } from './world.ts';
import { checkChurn } from './world-guard.ts';

/** Bytes of a world from which its hash is left to a kernel. */
const KERNEL_BYTES_MIN = 2 ** 20;

/** Options of {@link createWorld}. */
export interface StandaloneOptions<C extends ComponentSpecs> {
  /** Most entities alive at once. 0 is legal. */
  readonly capacity: number;
  readonly components: C;
  readonly globals?: Readonly<Record<string, ScalarType>>;
  /** Seed of the generators: an integer from 0 to 2^53 - 1. Default 0. */
  readonly seed?: number;
  /** Systems that can be registered; each has a generator of its own. Default 64. */
  readonly maxSystems?: number;
  /** Keeps what changed in each tick, for `refreshChanges` of queries. Default false. */
  readonly changes?: boolean;
  /** Components a frame may give and take before a warning; 0 never warns. Default 256. */
  readonly churnPerFrame?: number;
  /** Where the guardrails warn: of a whole log, subsystem `ecs`. The console by default. */
  readonly log?: Log | SubsystemLog;
}

/**
 * Makes a world in memory of its own, without a simulation around it: for embedding, tools and
 * tests. Give it to `createSystems`, and what that makes to a `GameLoop`. Throws OPTION_INVALID and
 * SCHEMA_INVALID.
 */
export function createWorld<C extends ComponentSpecs>(options: StandaloneOptions<C>): World<C> {
  const { capacity, seed = 0, maxSystems = 64, churnPerFrame, log } = options;
  checkCapacity(capacity);
  const words = seedWords(seed);
  checkMaxSystems(maxSystems);
  checkChurn(churnPerFrame);
  const schema: Schema = {
    name: 'world',
    capacity,
    quantum: { numerator: 1, denominator: 60 },
    // What has a column can be presented: getting it is a jump, as where it is published.
    components: deriveComponents(options.components, columnNames(options.components)),
    globals: fieldsOf(options.globals ?? {}, 'globals', isScalarType),
    inputs: [],
    events: [],
    params: {},
    systems: Array.from({ length: maxSystems }, () => ''),
    changes: options.changes ?? false,
  };
  const map = placeWorld(schema, 0);
  const memory = allocate(map.bytes, map.bytes + hashRoomBytes(capacity));
  return new World<C>(schema, isKernelMemory(memory) ? memory.buffer : memory, map, {
    seed: words,
    churnPerFrame,
    log: ecsLog(log),
    hashing: { memory, room: map.bytes },
  });
}

/**
 * Takes a memory that the hashing kernel can work on, where it pays: an engine sets addresses aside
 * for each, so that it has thousands of them, not millions.
 */
function allocate(bytes: number, bytesWithRoom: number): RegionMemory {
  if (bytes < KERNEL_BYTES_MIN) return new ArrayBuffer(bytes);
  try {
    return createMemory(bytesWithRoom, false);
  } catch {
    // Too many of them, or too large for one: the loops in JavaScript do the same.
    return new ArrayBuffer(bytes);
  }
}

function ecsLog(log: Log | SubsystemLog | undefined): SubsystemLog {
  if (log === undefined) {
    return createConsoleLog(createSystemClock(globalThis as ClockScope)).for('ecs');
  }
  return log instanceof Log ? log.for('ecs') : log;
}

function columnNames(specs: ComponentSpecs): string[] {
  const entries = Object.entries(specs);
  return entries.filter(([, { width, rows }]) => width > 0 && rows === undefined).map(([n]) => n);
}

function checkMaxSystems(maxSystems: number): void {
  if (Number.isInteger(maxSystems) && maxSystems >= 0 && maxSystems <= SYSTEMS_MAX) return;
  throw new EscapementError('OPTION_INVALID', '`maxSystems` is not possible.', {
    given: String(maxSystems),
    allowed: `an integer from 0 to ${SYSTEMS_MAX}`,
  });
}
