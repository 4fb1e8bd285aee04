import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape, RecordShape } from '../record/record-shape.ts';
import type { QualityReport } from './reports.ts';
import type { TickSource } from './tick-source.ts';

const fround = Math.fround;
const DEGREES = 180 / Math.PI;

/** Measures how far the canonical values of rows are from those of the source. */
export class QualityMeter {
  readonly #position: FieldShape | undefined;
  readonly #heading: FieldShape | undefined;

  /** `heading` is the index of the field that holds a direction; -1: none. */
  constructor(shape: RecordShape, heading: number) {
    this.#position = lossyField(shape, shape.position);
    this.#heading = lossyField(shape, heading);
  }

  /** Adds the rows of an update to a report. */
  measure(source: TickSource, rows: Uint32Array, count: number, report: QualityReport): void {
    report.active = true;
    report.samples += count;
    if (this.#position !== undefined) measurePlaces(source, this.#position, rows, count, report);
    if (this.#heading !== undefined) measureHeadings(source, this.#heading, rows, count, report);
  }
}

/** The field, unless its tokens are its bits: then there is no error to be measured. */
function lossyField(shape: RecordShape, index: number): FieldShape | undefined {
  const field = shape.fields[index];
  if (field === undefined) return undefined;
  const exact = field.codec.lanes.every(({ kind, bits }) => kind === 'opaque' && bits === 32);
  return exact ? undefined : field;
}

function measurePlaces(
  source: TickSource,
  field: FieldShape,
  rows: Uint32Array,
  count: number,
  report: QualityReport,
): void {
  const { width } = field.codec;
  const { values } = source.source.columns[field.index] as FieldColumn;
  const canonical = (source.canonical.columns[field.index] as FieldColumn).values;
  for (let i = 0; i < count; i++) {
    const at = (rows[i] as number) * width;
    let square = 0;
    for (let k = 0; k < width; k++) {
      const error = (canonical[at + k] as number) - (values[at + k] as number);
      square += error * error;
    }
    const distance = Math.sqrt(square);
    report.positionSum += distance;
    if (distance > report.positionMax) report.positionMax = distance;
  }
}

function measureHeadings(
  source: TickSource,
  field: FieldShape,
  rows: Uint32Array,
  count: number,
  report: QualityReport,
): void {
  const { values } = source.source.columns[field.index] as FieldColumn;
  const canonical = (source.canonical.columns[field.index] as FieldColumn).values;
  for (let i = 0; i < count; i++) {
    const at = (rows[i] as number) * 3;
    const angle = angleBetween(values, canonical, at);
    report.headingSum += angle;
    if (angle > report.headingMax) report.headingMax = angle;
  }
}

/** Degrees between two directions of any length; all but the angle is that of 32-bit floats. */
function angleBetween(left: ArrayLike<number>, right: ArrayLike<number>, at: number): number {
  const leftLength = lengthOf(left, at);
  const rightLength = lengthOf(right, at);
  let cosine = 0;
  for (let k = 0; k < 3; k++) {
    const one = fround((left[at + k] as number) / leftLength);
    const other = fround((right[at + k] as number) / rightLength);
    cosine = fround(cosine + fround(one * other));
  }
  return Math.acos(Math.min(1, Math.max(-1, cosine))) * DEGREES;
}

function lengthOf(vector: ArrayLike<number>, at: number): number {
  const x = vector[at] as number;
  const y = vector[at + 1] as number;
  const z = vector[at + 2] as number;
  return fround(Math.sqrt(fround(fround(fround(x * x) + fround(y * y)) + fround(z * z))));
}
