import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { decodeTokens, encodeTokens } from '../../../src/net/snapshot/snapshot-tokens.ts';
import { TokenTable } from '../../../src/net/record/token-table.ts';
import type { InterestSource } from '../../../src/net/index.ts';
import type { Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { rowsOf } from '../wire/populations.ts';

/** How far from the origin a place may be, in whole numbers. */
const EXTENT = 60;

/** A population that lives: entities are born, change and die. */
export class World {
  readonly snapshot: Snapshot;
  readonly #pipeline: Pipeline;
  readonly #chance: () => number;
  /** The numbers of each field of each entity. */
  readonly #rows: Map<number, number[][]> = new Map();

  constructor(pipeline: Pipeline, chance: () => number, count: number) {
    this.#pipeline = pipeline;
    this.#chance = chance;
    this.snapshot = new Snapshot(pipeline.shape);
    for (let id = 1; id <= count; id++) this.toggle(id);
  }

  /** Lets an entity be born, or die. */
  toggle(id: number): void {
    if (this.#rows.delete(id)) return;
    const row = this.#pipeline.shape.fields.map(({ index }) => this.#values(index));
    this.#rows.set(id, row);
  }

  /** Changes some of the fields of an entity. */
  change(id: number): void {
    const row = this.#rows.get(id);
    row?.forEach((_, field) => {
      if (this.#chance() % 2 === 0) row[field] = this.#values(field);
    });
  }

  /** Writes the population of a tick into `snapshot`. */
  write(tick: number): Snapshot {
    const { snapshot } = this;
    const ids = [...this.#rows.keys()].sort((a, b) => a - b);
    snapshot.reserve(ids.length);
    snapshot.count = ids.length;
    snapshot.tick = tick;
    snapshot.ids.set(ids);
    ids.forEach((id, row) => {
      for (const { index, codec } of snapshot.shape.fields) {
        const values = this.#rows.get(id)?.[index] ?? [];
        snapshot.columns[index]?.values.set(values, row * codec.width);
      }
    });
    return snapshot;
  }

  /** Lists the rows of those that are within a client's area, as the client should see them. */
  seenFrom(source: InterestSource): number[][] {
    const { snapshot } = this;
    const table = new TokenTable(snapshot.shape.lanes.length);
    const canonical = new Snapshot(snapshot.shape);
    encodeTokens(snapshot, table);
    decodeTokens(table, canonical);
    return rowsOf(canonical).filter((_, row) => this.#isSeen(row, source));
  }

  /**
   * Whole numbers and these angles make the test exact: no place lies on the edge of a cone of 120
   * degrees about an axis, since 3 is no sum of two squares.
   */
  #isSeen(row: number, source: InterestSource): boolean {
    const { shape, definition } = this.#pipeline;
    const { mode, radius, fovDegrees } = definition.areaOfInterest;
    if (mode === 'none' || this.snapshot.ids[row] === source.self) return true;
    const width = shape.fields[shape.position]?.codec.width ?? 0;
    const values = this.snapshot.columns[shape.position]?.values ?? [];
    const way = Array.from(
      { length: width },
      (_, k) => (values[row * width + k] as number) - (source.position[k] as number),
    );
    const squares = way.reduce((sum, part) => sum + part * part, 0);
    if (squares > radius * radius) return false;
    if (mode === 'radius' || squares === 0) return true;
    const ahead = (width === 2 ? way[0] : way[2]) ?? 0;
    return ahead >= 0 && (fovDegrees === 180 || 4 * ahead * ahead >= squares);
  }

  #values(field: number): number[] {
    const { shape } = this.#pipeline;
    const { codec, check } = shape.fields[field] as (typeof shape.fields)[number];
    const chance = this.#chance;
    const values = Array.from({ length: codec.width }, () => {
      if (field === shape.position) return (chance() % (2 * EXTENT + 1)) - EXTENT;
      if (codec.scalar === 'f32') return (chance() / 2 ** 32 - 0.5) * 500;
      return check === 'nonzero' ? 1 + (chance() % 255) : chance() % 300;
    });
    if (check !== 'unit') return values;
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  }
}
