import { roomFor } from './columns.ts';

/** Cells for each entity, at most: beyond that the cells are made larger. */
const CELLS_PER_ENTITY = 4;
const LEAST_CELLS = 4096;
/**
 * How much larger than the sphere the box of a query is. The exact test rounds to 32 bits, so it
 * keeps entities that are a little farther off; the second number stands for squares that
 * underflow.
 */
const WIDEN = 1 + 1e-6;
const UNDERFLOW = 1e-18;

const axisMinimum = 0;
const axisScale = 3;

/**
 * A population in cells of one size, for one tick: which entities may be near a place. The box that
 * holds all of them is cut into cells; far outliers make the cells larger, never more. It never
 * leaves out an entity that the exact test would keep.
 */
export class UniformGrid {
  /** World units. */
  readonly cellSize: number;
  #count = 0;
  #finite = true;
  /** The least of each axis, then cells per world unit of each axis. */
  readonly #numbers = new Float64Array(6);
  readonly #sizes = new Int32Array(3);
  /** First and last cell of a query, on each axis. */
  readonly #box = new Int32Array(6);
  /** The first place in `#rows` of each cell, and one more. */
  #starts: Uint32Array = new Uint32Array(0);
  #cells: Uint32Array = new Uint32Array(0);
  #rows: Uint32Array = new Uint32Array(0);
  #marks: Uint32Array = new Uint32Array(0);

  constructor(cellSize: number) {
    this.cellSize = cellSize;
  }

  /** Takes the places of a population: three numbers a row. */
  fill(positions: Float32Array, count: number): void {
    this.#count = count;
    this.#rows = roomFor(this.#rows, count);
    this.#cells = roomFor(this.#cells, count);
    this.#marks = roomFor(this.#marks, (count >>> 5) + 1);
    this.#layOut(positions, count);
    const sizes = this.#sizes;
    const cellCount = (sizes[0] as number) * (sizes[1] as number) * (sizes[2] as number);
    this.#starts = roomFor(this.#starts, cellCount + 2);
    this.#sort(positions, count, cellCount);
  }

  /**
   * Writes the rows that may lie within a sphere (x, y, z, radius), in ascending order; returns how
   * many. `rows` has room for all of the population.
   */
  query(sphere: Float32Array, rows: Uint32Array): number {
    const radius = sphere[3] as number;
    if (!this.#finite || !Number.isFinite(Math.fround(radius * radius))) return this.#all(rows);
    this.#cutBox(sphere);
    const box = this.#box;
    const firstX = box[0] as number;
    const firstY = box[1] as number;
    const firstZ = box[2] as number;
    const lastX = box[3] as number;
    const lastY = box[4] as number;
    const lastZ = box[5] as number;
    const columns = this.#sizes[0] as number;
    const layers = this.#sizes[1] as number;
    const starts = this.#starts;
    const sorted = this.#rows;
    const marks = this.#marks;
    const words = (this.#count >>> 5) + 1;
    marks.fill(0, 0, words);
    for (let cellZ = firstZ; cellZ <= lastZ; cellZ++) {
      for (let cellY = firstY; cellY <= lastY; cellY++) {
        const line = (cellZ * layers + cellY) * columns;
        // The cells of a line are neighbours in the order too.
        const end = starts[line + lastX + 1] as number;
        for (let at = starts[line + firstX] as number; at < end; at++) {
          const row = sorted[at] as number;
          marks[row >>> 5] = (marks[row >>> 5] as number) | (1 << (row & 31));
        }
      }
    }
    return listBits(marks, words, rows);
  }

  #all(rows: Uint32Array): number {
    for (let row = 0; row < this.#count; row++) rows[row] = row;
    return this.#count;
  }

  /** Finds the cells around a sphere. Rounding keeps the order of places, so none is missed. */
  #cutBox(sphere: Float32Array): void {
    const numbers = this.#numbers;
    const box = this.#box;
    const reach = (sphere[3] as number) * WIDEN + UNDERFLOW;
    for (let axis = 0; axis < 3; axis++) {
      const center = sphere[axis] as number;
      const least = numbers[axisMinimum + axis] as number;
      const scale = numbers[axisScale + axis] as number;
      const end = (this.#sizes[axis] as number) - 1;
      const first = (center - reach - least) * scale;
      const last = (center + reach - least) * scale;
      box[axis] = first > 0 ? Math.min(Math.floor(first), end) : 0;
      box[axis + 3] = last > 0 ? Math.min(Math.floor(last), end) : 0;
    }
  }

  #layOut(positions: Float32Array, count: number): void {
    const numbers = this.#numbers;
    const sizes = this.#sizes;
    let cells = 1;
    this.#finite = true;
    for (let axis = 0; axis < 3; axis++) {
      let least = Number.POSITIVE_INFINITY;
      let most = Number.NEGATIVE_INFINITY;
      for (let i = 0, at = axis; i < count; i++, at += 3) {
        const value = positions[at] as number;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      const extent = count === 0 ? 0 : most - least;
      if (!Number.isFinite(extent)) this.#finite = false;
      numbers[axisMinimum + axis] = count === 0 ? 0 : least;
      numbers[axisScale + axis] = 1 / this.cellSize;
      // As a fraction first: the whole number may be beyond what an integer holds.
      const size = Math.floor(extent / this.cellSize) + 1;
      sizes[axis] = Math.min(size, 2 ** 20);
      if (size > 2 ** 20) numbers[axisScale + axis] = (2 ** 20 - 1) / extent;
      cells *= sizes[axis] as number;
    }
    const limit = Math.max(LEAST_CELLS, CELLS_PER_ENTITY * count);
    while (cells > limit) {
      let longest = 0;
      for (let axis = 1; axis < 3; axis++)
        if ((sizes[axis] as number) > (sizes[longest] as number)) longest = axis;
      const size = sizes[longest] as number;
      const half = (size + 1) >>> 1;
      sizes[longest] = half;
      numbers[axisScale + longest] = (numbers[axisScale + longest] as number) / 2;
      cells = (cells / size) * half;
    }
  }

  #sort(positions: Float32Array, count: number, cellCount: number): void {
    const numbers = this.#numbers;
    const leastX = numbers[axisMinimum] as number;
    const leastY = numbers[axisMinimum + 1] as number;
    const leastZ = numbers[axisMinimum + 2] as number;
    const scaleX = numbers[axisScale] as number;
    const scaleY = numbers[axisScale + 1] as number;
    const scaleZ = numbers[axisScale + 2] as number;
    const columns = this.#sizes[0] as number;
    const layers = this.#sizes[1] as number;
    const lastX = columns - 1;
    const lastY = layers - 1;
    const lastZ = (this.#sizes[2] as number) - 1;
    const starts = this.#starts;
    const cells = this.#cells;
    const rows = this.#rows;
    starts.fill(0, 0, cellCount + 2);
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      const x = Math.floor(((positions[at] as number) - leastX) * scaleX);
      const y = Math.floor(((positions[at + 1] as number) - leastY) * scaleY);
      const z = Math.floor(((positions[at + 2] as number) - leastZ) * scaleZ);
      const cell =
        ((z < lastZ ? z : lastZ) * layers + (y < lastY ? y : lastY)) * columns +
        (x < lastX ? x : lastX);
      cells[i] = cell;
      starts[cell + 2] = (starts[cell + 2] as number) + 1;
    }
    for (let cell = 2; cell <= cellCount; cell++)
      starts[cell] = (starts[cell] as number) + (starts[cell - 1] as number);
    // One place to the right while the rows are put in: so each start is in its place afterwards.
    for (let i = 0; i < count; i++) {
      const cell = (cells[i] as number) + 1;
      const place = starts[cell] as number;
      rows[place] = i;
      starts[cell] = place + 1;
    }
  }
}

/** Writes the places of the bits that are set, in ascending order; returns how many. */
function listBits(marks: Uint32Array, words: number, rows: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < words; word++) {
    let left = marks[word] as number;
    while (left !== 0) {
      const bit = 31 - Math.clz32(left & -left);
      rows[count++] = (word << 5) + bit;
      left &= left - 1;
    }
  }
  return count;
}
