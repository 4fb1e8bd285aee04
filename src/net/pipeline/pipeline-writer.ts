import type { CodedReplica } from '../entropy/coded-replica.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { CodedRecords } from '../wire/coded-records.ts';
import { HEADER_BYTES } from '../wire/update-header.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import { writeCodedUpdate, writeUpdate } from '../wire/write-update.ts';
import type { Pipeline } from './pipeline.ts';
import type { Representation } from './reports.ts';
import type { UpdateWriter } from './update-writer.ts';

/** Writes the updates of a pipeline, into bytes that are used again. */
export class PipelineWriter implements UpdateWriter {
  readonly representation: Representation;
  readonly headerBytes: number = HEADER_BYTES;
  readonly coding: CodedRecords | undefined;
  readonly #pipeline: Pipeline;
  readonly #out = new ByteBuffer();

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
    this.representation = { layout: pipeline.layout, recordBits: pipeline.recordBits };
    this.coding = CodedRecords.of(pipeline);
  }

  get bytes(): Uint8Array {
    return this.#out.bytes;
  }

  write(
    plan: UpdatePlan,
    held: CodedReplica | null = null,
    result: CodedReplica | null = null,
  ): number {
    const { coding } = this;
    if (coding === undefined || result === null) writeUpdate(this.#pipeline, plan, this.#out);
    else writeCodedUpdate(this.#pipeline, coding, plan, held, result, this.#out);
    return this.#out.length;
  }
}
