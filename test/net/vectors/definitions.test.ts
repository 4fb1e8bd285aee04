import { expect, test } from 'vitest';
import { schemaVersionOf } from '../../../src/net/pipeline/decode-signature.ts';
import type { PipelineDefinition } from '../../../src/net/pipeline/definition.ts';
import { compilePipeline, tryCompilePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { definitionError } from '../../../src/net/pipeline/validate-definition.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { inspectHeader, UpdateHeader } from '../../../src/net/wire/update-header.ts';
import { definitionOf, type VectorDefinition } from './definition.ts';
import { hexOfWordList } from './hex.ts';
import { kebab, readVectors, report } from './read-vectors.ts';

interface Line {
  readonly t: string;
  readonly def: VectorDefinition;
  readonly result: 'ok' | 'error';
  readonly error?: string;
  readonly signature?: string;
  readonly schema?: number;
  readonly decode_empty: string;
  readonly inspect_empty: string;
}

const nothing = new Uint8Array(0);

/** What decoding no bytes says; what it throws before is told as the vectors do. */
function decodeNothing(definition: PipelineDefinition): string {
  try {
    const pipeline = compilePipeline(definition);
    const state = { latestRemoteSequence: 0 };
    return decodeUpdate(pipeline, state, nothing, undefined, new DecodeResult(pipeline));
  } catch (error) {
    return `throws ${(error as { fault: string }).fault}`;
  }
}

function signatureOf(definition: PipelineDefinition): string {
  const { signatureHigh, signatureLow } = compilePipeline(definition);
  return hexOfWordList([signatureHigh, signatureLow]);
}

test('definitions are valid, signed and refused as the vectors say', () => {
  let checked = 0;
  for (const { at, record } of readVectors()) {
    const entry = record as unknown as Line;
    if (entry.t !== 'definition') continue;
    checked++;
    const definition = definitionOf(entry.def);
    const isValid = entry.result === 'ok';
    const found = {
      at,
      result: definitionError(definition)?.fault ?? 'ok',
      signature: isValid ? signatureOf(definition) : undefined,
      schema: isValid ? schemaVersionOf(definition) : undefined,
      decode: decodeNothing(definition),
      inspect: inspectHeader(tryCompilePipeline(definition), nothing, 0, new UpdateHeader()),
    };
    expect(found).toEqual({
      at,
      result: entry.error === undefined ? 'ok' : kebab(entry.error),
      signature: entry.signature,
      schema: entry.schema,
      decode: kebab(entry.decode_empty),
      inspect: kebab(entry.inspect_empty),
    });
  }
  report('definitions', checked);
});
