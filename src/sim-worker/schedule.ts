import { assert } from '../shared/assert.ts';
import { EscapementError } from '../shared/error.ts';

/** What scheduling knows of a registered system. */
export interface SystemNode {
  /** Dense from 1, in the order of registration. */
  readonly id: number;
  /** Its own among the systems. */
  readonly name: string;
  /** Components it reads. */
  readonly reads: readonly string[];
  /** Components it writes; writing includes reading. */
  readonly writes: readonly string[];
  /** Names of the systems that must run before it, registered earlier or later. */
  readonly after: readonly string[];
}

/** A reader that runs before a writer of the same component, by nothing but registration. */
export interface ScheduleWarning {
  readonly event: 'read_before_write';
  readonly reader: string;
  readonly writer: string;
  readonly component: string;
  readonly message: string;
}

/** The order in which systems run. Frozen, with all that is in it. */
export interface SystemSchedule {
  /** System ids, the first to run first. */
  readonly order: readonly number[];
  /** Systems that were registered when the order was made. */
  readonly systemCount: number;
  /** By reader in registration order, then as it lists its reads, then by writer. */
  readonly warnings: readonly ScheduleWarning[];
}

/** For every system, at its id less 1: the ids of those that run before it. */
type Predecessors = readonly ReadonlySet<number>[];

/** What {@link scheduleFault} found out about a schedule object. */
interface Verdict {
  /** Undefined for a schedule that is sound, or that was stale so far and never looked into. */
  invalid: EscapementError | undefined;
  lookedInto: boolean;
  stale: EscapementError | undefined;
  /** The count of systems that `stale` was made for. */
  staleCount: number;
}

const verdicts: WeakMap<SystemSchedule, Verdict> = new WeakMap();

/**
 * Orders systems by their `after` lists: Kahn's topological sort, which takes the smallest id of
 * those that are ready. Without `after` that is the order of registration. Takes what
 * `checkSystem` has accepted, in the order of registration; how the entries of an `after` list
 * are ordered or repeated changes nothing.
 *
 * Throws SCHEDULE_INVALID for the first of these: an `after` that names no system; a cycle, of
 * which one is named; two writers of one component that no chain of `after` orders.
 */
export function scheduleSystems(systems: readonly SystemNode[]): SystemSchedule {
  const needs = resolveDependencies(systems);
  const order = sortByDependency(systems, needs);
  const earlier = followChains(order, needs);
  const writers = groupWriters(systems);
  for (const [component, all] of writers) checkWriters(component, all, earlier);
  const schedule: SystemSchedule = Object.freeze({
    order: Object.freeze(order),
    systemCount: systems.length,
    warnings: Object.freeze(findEarlyReads(systems, order, earlier, writers)),
  });
  verdicts.set(schedule, soundVerdict());
  return schedule;
}

/**
 * Returns what keeps a schedule from being run with `systemCount` registered systems, or undefined.
 * SCHEDULE_STALE: it was made for another number of systems. SCHEDULE_INVALID: it was built by
 * hand and does not hold every id once. To be logged as the code in lower case.
 *
 * Meant for every frame: a schedule is looked into once and frozen then, hand-built ones too, so
 * that later calls cost one look-up. The same fault is the same error object; nothing is allocated
 * until the count changes. Whether a hand-built order respects `after` is not checked.
 */
export function scheduleFault(
  schedule: SystemSchedule,
  systemCount: number,
): EscapementError | undefined {
  let verdict = verdicts.get(schedule);
  if (verdict === undefined) {
    Object.freeze(schedule);
    verdict = { ...soundVerdict(), lookedInto: false };
    verdicts.set(schedule, verdict);
  }
  if (schedule.systemCount !== systemCount) {
    if (verdict.stale === undefined || verdict.staleCount !== systemCount) {
      verdict.stale = staleError(schedule.systemCount, systemCount);
      verdict.staleCount = systemCount;
    }
    return verdict.stale;
  }
  if (!verdict.lookedInto) {
    verdict.lookedInto = true;
    verdict.invalid = lookInto(schedule);
  }
  return verdict.invalid;
}

function soundVerdict(): Verdict {
  return { invalid: undefined, lookedInto: true, stale: undefined, staleCount: 0 };
}

function resolveDependencies(systems: readonly SystemNode[]): Predecessors {
  const ids = new Map<string, number>();
  systems.forEach(({ id, name }, place) => {
    assert(id === place + 1, 'system ids are dense from 1 in registration order');
    assert(!ids.has(name), 'a registered system has a name of its own');
    ids.set(name, id);
  });
  return systems.map(({ name, after }) => {
    const missing = after.filter((other) => !ids.has(other));
    if (missing.length > 0) throw missingError(name, missing, [...ids.keys()]);
    return new Set(after.map((other) => ids.get(other) as number));
  });
}

function sortByDependency(systems: readonly SystemNode[], needs: Predecessors): number[] {
  const dependents: number[][] = systems.map(() => []);
  needs.forEach((own, place) => {
    for (const id of own) dependents[id - 1]?.push(place);
  });
  // Per system: how many of those it needs have yet to be placed; -1 once it is placed itself.
  const open = Int32Array.from(needs, (own) => own.size);
  const order: number[] = [];
  while (order.length < systems.length) {
    const place = open.indexOf(0);
    if (place === -1) throw cycleError(systems, findCycle(needs, open));
    open[place] = -1;
    order.push(place + 1);
    for (const dependent of dependents[place] ?? []) (open[dependent] as number)--;
  }
  return order;
}

/**
 * Returns the ids of one cycle, each running before the next and the last before the first; the
 * smallest stands first. Among systems that never got ready each needs another such system, so
 * walking from need to need comes round.
 */
function findCycle(needs: Predecessors, open: Int32Array): number[] {
  const walk: number[] = [];
  let id = open.findIndex((count) => count > 0) + 1;
  while (!walk.includes(id)) {
    walk.push(id);
    const stuck = [...(needs[id - 1] ?? [])].filter((need) => (open[need - 1] as number) > 0);
    id = Math.min(...stuck);
  }
  const cycle = walk.slice(walk.indexOf(id)).reverse();
  const first = cycle.indexOf(Math.min(...cycle));
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/** Returns for every system all that run before it along `after`, over any number of steps. */
function followChains(order: readonly number[], needs: Predecessors): Predecessors {
  const earlier = needs.map((own) => new Set(own));
  for (const id of order) {
    const all = earlier[id - 1];
    for (const need of needs[id - 1] ?? []) {
      for (const far of earlier[need - 1] ?? []) all?.add(far);
    }
  }
  return earlier;
}

function groupWriters(systems: readonly SystemNode[]): Map<string, SystemNode[]> {
  const writers = new Map<string, SystemNode[]>();
  for (const system of systems) {
    for (const component of system.writes) {
      const all = writers.get(component);
      if (all === undefined) writers.set(component, [system]);
      else all.push(system);
    }
  }
  return writers;
}

function runsBefore(first: SystemNode, second: SystemNode, earlier: Predecessors): boolean {
  return earlier[second.id - 1]?.has(first.id) === true;
}

function checkWriters(
  component: string,
  writers: readonly SystemNode[],
  earlier: Predecessors,
): void {
  writers.forEach((second, place) => {
    for (const first of writers.slice(0, place)) {
      if (runsBefore(first, second, earlier) || runsBefore(second, first, earlier)) continue;
      throw doubleWriterError(component, first.name, second.name);
    }
  });
}

function findEarlyReads(
  systems: readonly SystemNode[],
  order: readonly number[],
  earlier: Predecessors,
  writers: ReadonlyMap<string, readonly SystemNode[]>,
): ScheduleWarning[] {
  const turns = new Int32Array(order.length + 1);
  order.forEach((id, turn) => {
    turns[id] = turn;
  });
  const warnings: ScheduleWarning[] = [];
  for (const reader of systems) {
    for (const component of reader.reads) {
      for (const writer of writers.get(component) ?? []) {
        const isEarly = (turns[reader.id] as number) < (turns[writer.id] as number);
        if (!isEarly || runsBefore(reader, writer, earlier)) continue;
        warnings.push(earlyReadWarning(reader.name, writer.name, component));
      }
    }
  }
  return warnings;
}

function earlyReadWarning(reader: string, writer: string, component: string): ScheduleWarning {
  const sees = `"${reader}" reads ${component} before "${writer}" writes it`;
  const fix = `${afterFix(writer, reader)}; if it should, ${afterFix(reader, writer)}.`;
  const message = `${sees}, so it sees the previous tick's value. If it should not, ${fix}`;
  return Object.freeze({ event: 'read_before_write', reader, writer, component, message });
}

function afterFix(first: string, second: string): string {
  return `add "${first}" to \`after\` of "${second}"`;
}

function missingError(
  name: string,
  missing: readonly string[],
  existing: readonly string[],
): EscapementError {
  const headline = `System "${name}" is to run after a system that is not registered.`;
  return new EscapementError('SCHEDULE_INVALID', headline, {
    given: [...new Set(missing)].sort().map(printName).join(', '),
    allowed: existing.map(printName).join(', '),
    fix: `Correct \`after\` of "${name}", or register the system that it names.`,
  });
}

function cycleError(systems: readonly SystemNode[], cycle: readonly number[]): EscapementError {
  const names = [...cycle, ...cycle.slice(0, 1)].map((id) => systems[id - 1]?.name ?? '');
  const headline = 'Systems wait for each other in a cycle; each is to run before the next.';
  return new EscapementError('SCHEDULE_INVALID', headline, {
    given: names.join(' -> '),
    allowed: '`after` lists without a cycle',
    fix: 'Remove one of these names from the `after` of the system that follows it.',
  });
}

function doubleWriterError(component: string, first: string, second: string): EscapementError {
  const headline = `Systems "${first}" and "${second}" both write ${component}, in no set order.`;
  return new EscapementError('SCHEDULE_INVALID', headline, {
    allowed: 'one writer of a component, or writers ordered by `after`',
    fix: `To say which runs first, ${afterFix(first, second)} or ${afterFix(second, first)}.`,
  });
}

function staleError(scheduled: number, current: number): EscapementError {
  const headline = 'The schedule was made for another number of systems.';
  return new EscapementError('SCHEDULE_STALE', headline, {
    given: `scheduled systems ${scheduled}, current systems ${current}`,
    allowed: `a schedule of ${current} systems`,
    fix: 'Schedule the systems again, once all of them are registered.',
  });
}

/** Freezes the order and returns what is wrong with it, if anything. */
function lookInto({ order, systemCount }: SystemSchedule): EscapementError | undefined {
  if (!Array.isArray(order)) return invalidError('its order is no list', systemCount);
  Object.freeze(order);
  const seen = new Set<number>();
  // By index: a hole of a sparse list is an entry too.
  for (let turn = 0; turn < order.length; turn++) {
    const id = order[turn] as number;
    const isId = Number.isInteger(id) && id >= 1 && id <= systemCount;
    if (!isId) return invalidError(`order[${turn}] is ${String(id)}`, systemCount);
    if (seen.has(id)) return invalidError(`order[${turn}] is ${id} once more`, systemCount);
    seen.add(id);
  }
  if (seen.size === systemCount) return undefined;
  let left = 1;
  while (seen.has(left)) left++;
  return invalidError(`${seen.size} entries, system ${left} is left out`, systemCount);
}

function invalidError(given: string, systemCount: number): EscapementError {
  return new EscapementError('SCHEDULE_INVALID', 'The schedule does not run every system once.', {
    given,
    allowed: `every whole number from 1 to ${systemCount}, once`,
    fix: 'Build another one, or take the schedule that scheduling the systems returns.',
  });
}

function printName(name: string): string {
  return JSON.stringify(name);
}
