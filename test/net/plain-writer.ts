import type { UpdateWriter } from '../../src/net/pipeline/update-writer.ts';
import type { RecordShape } from '../../src/net/record/record-shape.ts';
import { SnapshotKind } from '../../src/net/snapshot/snapshot-update.ts';
import { SPAWN_MASK } from '../../src/net/wire/update-plan.ts';
import type { UpdatePlan } from '../../src/net/wire/update-plan.ts';

const HEADER_BYTES = 45;

/** Writes updates of the reference record byte by byte: plain to read, and slow. */
export class PlainWriter implements UpdateWriter {
  readonly representation: UpdateWriter['representation'];
  readonly headerBytes: number = HEADER_BYTES;
  bytes: Uint8Array = new Uint8Array(0);
  readonly #shape: RecordShape;
  readonly #signature: string;
  readonly #hasMasks: boolean;

  constructor(shape: RecordShape, signature: string, layout: string, hasMasks: boolean) {
    const recordBits = 32 + shape.lanes.reduce((sum, { bits }) => sum + bits, 0);
    this.representation = { layout, recordBits };
    this.#shape = shape;
    this.#signature = signature;
    this.#hasMasks = hasMasks;
  }

  write(plan: UpdatePlan): number {
    const payload: number[] = [];
    for (let i = 0; i < plan.deleteCount; i++) push(payload, plan.deletes[i] as number, 4);
    for (let i = 0; i < plan.rowCount; i++) this.#writeRecord(payload, plan, i);
    const bytes: number[] = [];
    push(bytes, 0x534e_504c, 4);
    push(bytes, 1, 2);
    push(bytes, this.#hasMasks ? 6 : 5, 2);
    push(bytes, Number.parseInt(this.#signature.slice(0, 8), 16), 4);
    push(bytes, Number.parseInt(this.#signature.slice(8), 16), 4);
    push(bytes, plan.kind, 1);
    push(bytes, plan.tickHigh, 4);
    push(bytes, plan.tickLow, 4);
    push(bytes, plan.sequence, 4);
    push(bytes, plan.baselineSequence, 4);
    push(bytes, plan.rowCount, 4);
    push(bytes, plan.deleteCount, 4);
    push(bytes, payload.length, 4);
    this.bytes = Uint8Array.from([...bytes, ...payload]);
    return this.bytes.length;
  }

  #writeRecord(payload: number[], plan: UpdatePlan, index: number): void {
    const row = plan.rows[index] as number;
    const { table } = plan;
    push(payload, table.ids[row] as number, 4);
    let mask = ~0;
    if (this.#hasMasks && plan.kind === SnapshotKind.Patch) {
      const given = plan.masks[index] as number;
      push(payload, given === SPAWN_MASK ? 0x80 : given, 1);
      if (given !== SPAWN_MASK) mask = given;
    }
    for (const [lane, { field, bits }] of this.#shape.lanes.entries()) {
      if ((mask & (1 << field)) === 0) continue;
      push(payload, table.tokens[row * table.laneCount + lane] as number, bits / 8);
    }
  }
}

function push(bytes: number[], value: number, count: number): void {
  for (let byte = count - 1; byte >= 0; byte--) bytes.push((value >>> (8 * byte)) & 0xff);
}
