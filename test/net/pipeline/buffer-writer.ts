import type { Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import type { UpdateWriter } from '../../../src/net/pipeline/update-writer.ts';
import { ByteBuffer } from '../../../src/net/wire/byte-buffer.ts';
import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';
import type { UpdatePlan } from '../../../src/net/wire/update-plan.ts';
import { writeUpdate } from '../../../src/net/wire/write-update.ts';

/** Writes the updates of a pipeline. */
export class BufferWriter implements UpdateWriter {
  readonly representation: UpdateWriter['representation'];
  readonly headerBytes: number = HEADER_BYTES;
  readonly #pipeline: Pipeline;
  readonly #out = new ByteBuffer();

  constructor(pipeline: Pipeline) {
    this.representation = { layout: pipeline.layout, recordBits: pipeline.recordBits };
    this.#pipeline = pipeline;
  }

  get bytes(): Uint8Array {
    return this.#out.bytes;
  }

  write(plan: UpdatePlan): number {
    writeUpdate(this.#pipeline, plan, this.#out);
    return this.#out.length;
  }
}
