import { Technique } from '../../../src/net/pipeline/definition.ts';
import { mix32 } from '../../../src/net/pipeline/phase.ts';
import type { SelectionSettings } from '../../../src/net/pipeline/selection-settings.ts';

/** An entity of the model: its canonical values as one text, and its distance from the source. */
export interface PlainEntity {
  readonly id: number;
  readonly fields: readonly string[];
  readonly distance: number;
}

/** What the model says of an update. */
export interface PlainUpdate {
  readonly kind: 'patch' | 'full';
  readonly upserts: readonly number[];
  readonly deletes: readonly number[];
  /** By upsert: fields that differ, or `new`. Only with delta. */
  readonly fields: readonly string[];
  readonly held: ReadonlyMap<number, readonly string[]>;
  readonly recovered: number;
}

/** What is asked of the model. */
export interface PlainRequest {
  readonly tick: number;
  readonly own: number;
  readonly recovery: readonly number[];
  readonly force: boolean;
  /** What the client holds; null: nothing is known. */
  readonly held: ReadonlyMap<number, readonly string[]> | null;
}

interface Due {
  readonly band: number;
  readonly tick: number;
  readonly pending: boolean;
}

/** What a pipeline selects, said with sets and maps: slow, and short enough to be read. */
export class PlainSelection {
  readonly #settings: SelectionSettings;
  cursor = 0;
  seeded = false;
  due: ReadonlyMap<number, Due> = new Map();

  constructor(settings: SelectionSettings) {
    this.#settings = settings;
  }

  /** Selects and moves on, as if all bytes had been accepted. */
  select(population: readonly PlainEntity[], request: PlainRequest): PlainUpdate {
    const { areaOfInterest: area, levelOfDetail: lod } = this.#settings;
    const isLod = lod.mode !== 'none';
    const inside = population.filter(
      ({ id, distance }) => area.mode === 'none' || id === request.own || distance <= area.radius,
    );
    const isSeeding = (isLod || this.#isInTurn) && !this.seeded;
    const held = isSeeding || request.force ? null : request.held;
    const ids = inside.map(({ id }) => id);
    let chosen = new Set(ids);
    const isScheduled = held !== null && (isLod || this.#has(Technique.Incremental));
    if (isLod) chosen = this.#byDistance(inside, request, held === null);
    else if (isScheduled) chosen = this.#inTurn(ids, new Set(ids), 0);
    const recovered = isScheduled
      ? request.recovery.filter((id) => ids.includes(id) && !chosen.has(id))
      : [];
    for (const id of recovered) chosen.add(id);
    this.seeded = true;
    return this.#compare(inside, chosen, held, recovered.length);
  }

  get #isInTurn(): boolean {
    return this.#has(Technique.Incremental) && !this.#has(Technique.Delta);
  }

  #has(technique: number): boolean {
    return (this.#settings.techniques & technique) !== 0;
  }

  /** The next ones of those that may be chosen, from the cursor on. */
  #inTurn(ids: readonly number[], ready: ReadonlySet<number>, own: number): Set<number> {
    const chosen = new Set<number>();
    if (ids.length === 0) this.cursor = 0;
    const cap = this.#settings.maxEntitiesPerUpdate;
    const first = this.cursor;
    for (let i = 0; i < ids.length && chosen.size < cap; i++) {
      const place = (first + i) % ids.length;
      const id = ids[place] as number;
      if (id === own || !ready.has(id)) continue;
      chosen.add(id);
      this.cursor = (place + 1) % ids.length;
    }
    return chosen;
  }

  #byDistance(
    inside: readonly PlainEntity[],
    { tick, own }: PlainRequest,
    isFull: boolean,
  ): Set<number> {
    const { near, medium, mediumIntervalTicks, farIntervalTicks } = this.#settings.levelOfDetail;
    const next = new Map<number, Due>();
    for (const { id, distance } of inside) {
      const band = id === own || distance <= near ? 0 : distance <= medium ? 1 : 2;
      const old = this.due.get(id);
      const isDue = old === undefined || old.pending || tick >= old.tick || band < old.band;
      next.set(id, { band, tick: old?.tick ?? tick, pending: isDue || isFull });
    }
    const ids = [...next.keys()];
    const ready = new Set(ids.filter((id) => next.get(id)?.pending === true));
    let chosen = ready;
    if (!isFull && this.#has(Technique.Incremental)) chosen = this.#inTurn(ids, ready, own);
    if (next.has(own)) chosen.add(own);
    for (const id of chosen) {
      const { band } = next.get(id) as Due;
      const interval = [1, mediumIntervalTicks, farIntervalTicks][band] as number;
      let due = tick + 1;
      while (due % interval !== mix32(id) % interval) due++;
      next.set(id, { band, tick: due, pending: false });
    }
    this.due = next;
    return chosen;
  }

  #compare(
    inside: readonly PlainEntity[],
    chosen: ReadonlySet<number>,
    held: ReadonlyMap<number, readonly string[]> | null,
    recovered: number,
  ): PlainUpdate {
    const ids = inside.map(({ id }) => id);
    if (held === null) {
      const after = new Map(inside.map(({ id, fields }) => [id, fields]));
      return { kind: 'full', upserts: ids, deletes: [], fields: [], held: after, recovered };
    }
    const changes = inside
      .filter(({ id }) => chosen.has(id))
      .map(({ id, fields }) => ({ id, fields, change: changeOf(fields, held.get(id)) }))
      .filter(({ change }) => !this.#has(Technique.Delta) || change !== '');
    const after = new Map(
      inside.flatMap(({ id }): [number, readonly string[]][] => {
        const now = changes.find((change) => change.id === id)?.fields ?? held.get(id);
        return now === undefined ? [] : [[id, now]];
      }),
    );
    return {
      kind: 'patch',
      upserts: changes.map(({ id }) => id),
      deletes: [...held.keys()].filter((id) => !ids.includes(id)),
      fields: this.#has(Technique.Delta) ? changes.map(({ change }) => change) : [],
      held: after,
      recovered,
    };
  }
}

function changeOf(now: readonly string[], before: readonly string[] | undefined): string {
  if (before === undefined) return 'new';
  return now.flatMap((text, field) => (text === before[field] ? [] : [field])).join(',');
}
