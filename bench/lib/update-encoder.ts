import { ByteBuffer } from '#dist/net/wire/byte-buffer.js';
import type { UpdatePlan } from '#dist/net/wire/update-plan.js';
import { HEADER_BYTES } from '#dist/net/wire/update-header.js';
import { writeUpdate } from '#dist/net/wire/write-update.js';
import { type Pipeline, UpdateEncoder, type UpdateWriter } from 'escapement/net';

/** Turns plans into the bytes of a pipeline without an entropy stage. */
class PipelineWriter implements UpdateWriter {
  readonly representation: UpdateWriter['representation'];
  readonly headerBytes: number = HEADER_BYTES;
  readonly #pipeline: Pipeline;
  readonly #out = new ByteBuffer();

  constructor(pipeline: Pipeline) {
    const { layout, recordBits } = pipeline;
    this.representation = { layout, recordBits };
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

/** Makes what encodes the updates of a pipeline. */
export function createUpdateEncoder(pipeline: Pipeline): UpdateEncoder {
  const { definition: settings, shape } = pipeline;
  return new UpdateEncoder({ settings, shape, writer: new PipelineWriter(pipeline) });
}
