import { NetError } from '../net-error.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import {
  blendDirections,
  blendRotations,
  EARLIER,
  LATER,
  lerpFloats,
  lerpWholes,
  turnFloats,
  turnWholes,
} from './field-blends.ts';
import { checkOutput } from './output-check.ts';
import { RowSources } from './row-sources.ts';
import type { Snapshot } from './snapshot.ts';
import { validateSnapshot } from './snapshot-check.ts';
import type { SnapshotFault } from './snapshot-check.ts';

/** Why an interpolation was refused. */
export type InterpolateFault =
  | 'alpha-not-finite'
  | `previous-invalid/${SnapshotFault}`
  | `current-invalid/${SnapshotFault}`;

type WholeNumbers = Int32Array | Uint32Array;

/** The row in the earlier snapshot, or -1. */
const sources = new RowSources();
const shares = new Float32Array(2);
/** The alpha of {@link interpolate}. */
const way = new Float64Array(1);

/**
 * Writes the population between two snapshots. Its tick, its ids and fields that step are those of
 * the current one; an entity that is not in the previous one is taken as it is. Other fields blend
 * as their shape says, in f32. `alpha` is held between 0 and 1. At 1 all fields are those of the
 * current snapshot, but for -0, which may become 0, and for directions and rotations, which are
 * brought to length 1 anew.
 *
 * `out` is of the same record and none of the inputs.
 *
 * @throws NetError with an {@link InterpolateFault} if alpha is not finite or a snapshot invalid,
 * `shape-mismatch` or `output-is-input` for the wrong output; `out` is as it was.
 */
export function interpolate(
  previous: Snapshot,
  current: Snapshot,
  alpha: number,
  out: Snapshot,
): void {
  checkOutput(out, previous);
  checkOutput(out, current);
  if (!Number.isFinite(alpha)) refuseAlpha(alpha);
  const previousFault = validateSnapshot(previous);
  if (previousFault !== 'ok') refuse(`previous-invalid/${previousFault}`, 'previous');
  const currentFault = validateSnapshot(current);
  if (currentFault !== 'ok') refuse(`current-invalid/${currentFault}`, 'current');
  way[0] = Math.min(1, Math.max(0, alpha));
  blendSnapshots(previous, current, way, out);
}

/**
 * Does the same as {@link interpolate} for valid snapshots of one record. The first of `alphas` is
 * alpha, in [0, 1]: a double that is handed over by itself would be boxed.
 */
export function blendSnapshots(
  previous: Snapshot,
  current: Snapshot,
  alphas: Float64Array,
  out: Snapshot,
): void {
  shares[LATER] = alphas[0] as number;
  shares[EARLIER] = 1 - (shares[LATER] as number);
  pairRows(previous, current);
  out.copyFrom(current);
  const { fields } = current.shape;
  for (let f = 0; f < fields.length; f++) {
    const earlier = (previous.columns[f] as FieldColumn).values;
    blendColumn(fields[f] as FieldShape, earlier, (out.columns[f] as FieldColumn).values);
  }
}

function blendColumn(
  field: FieldShape,
  earlier: FieldColumn['values'],
  out: FieldColumn['values'],
): void {
  const { blend, turn } = field;
  const { scalar, width } = field.codec;
  if (blend === 'step') return;
  if (scalar !== 'f32') {
    const from = earlier as WholeNumbers;
    const to = out as WholeNumbers;
    if (blend === 'circular') turnWholes(from, to, width, turn, sources, shares);
    else lerpWholes(from, to, width, sources, shares);
    return;
  }
  const from = earlier as Float32Array;
  const to = out as Float32Array;
  if (blend === 'circular') turnFloats(from, to, width, turn, sources, shares);
  else if (blend === 'direction') blendDirections(from, to, width, sources, shares);
  else if (blend === 'rotation') blendRotations(from, to, sources, shares);
  else lerpFloats(from, to, width, sources, shares);
}

/** Finds for each row of the current snapshot that of the previous one. */
function pairRows(previous: Snapshot, current: Snapshot): void {
  sources.reserve(current.count);
  sources.count = current.count;
  const { rows } = sources;
  const { ids } = previous;
  let from = 0;
  for (let row = 0; row < current.count; row++) {
    const id = current.ids[row] as number;
    while (from < previous.count && (ids[from] as number) < id) from++;
    rows[row] = from < previous.count && ids[from] === id ? from : -1;
  }
}

function refuseAlpha(alpha: number): never {
  throw new NetError<InterpolateFault>('VALUE_INVALID', 'alpha-not-finite', 'Alpha is no number.', {
    given: String(alpha),
    allowed: 'a finite number; below 0 counts as 0, above 1 as 1',
    fix: 'Check the divisor where alpha is computed.',
  });
}

function refuse(fault: InterpolateFault, which: string): never {
  throw new NetError('SNAPSHOT_INVALID', fault, `The ${which} snapshot is invalid.`, {
    given: fault,
    allowed: 'two snapshots that validateSnapshot finds ok',
    fix: 'Call validateSnapshot where the snapshot is made.',
  });
}
