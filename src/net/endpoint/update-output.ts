import { Compressor, type CompressFault } from '../compression/compressor.ts';
import { NetError } from '../net-error.ts';
import { resolvePackets } from '../packets/packet-options.ts';
import { Packetizer, type PrepareStatus } from '../packets/packetizer.ts';
import type { EncodeResult } from '../pipeline/encode-result.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { UpdateEncoder } from '../pipeline/update-encoder.ts';
import { PrefixViews } from '../prefix-views.ts';
import { checkTransfer, type TransferOptions } from './transfer-options.ts';

/** Why an update does not become packets. */
export type PackFault = CompressFault | Exclude<PrepareStatus, 'prepared'>;

/**
 * What turns updates into packets: an encoder, a packetizer and, where they are asked for, what
 * compresses. It holds memory and nothing of a client, so one serves all senders of a thread. It
 * has the packets of one update at a time.
 */
export class UpdateOutput {
  readonly pipeline: Pipeline;
  readonly encoder: UpdateEncoder;
  readonly #packetizer: Packetizer;
  readonly #updateCompressor: Compressor | undefined;
  readonly #packetCompressor: Compressor | undefined;
  readonly #views: PrefixViews = new PrefixViews();
  #holder: object | null = null;

  /** Throws PIPELINE_INVALID for a pipeline that cannot encode, and OPTION_INVALID. */
  constructor(pipeline: Pipeline, options: TransferOptions = {}) {
    checkTransfer(options);
    const { zstd, level, packets = {} } = options;
    const { maxGroupBytes, maxPayloadBytes } = resolvePackets(packets);
    this.pipeline = pipeline;
    this.encoder = new UpdateEncoder(pipeline);
    this.#packetizer = new Packetizer(packets);
    if (options.compressUpdates === true) {
      const maxOutputBytes = maxGroupBytes;
      this.#updateCompressor = new Compressor({ policy: 'always', zstd, level, maxOutputBytes });
    }
    if (options.compressPackets === true) {
      const limits = { maxUncompressedBytes: maxPayloadBytes, maxOutputBytes: maxPayloadBytes };
      const policy = 'only-when-smaller';
      this.#packetCompressor = new Compressor({ policy, zstd, level, ...limits });
    }
  }

  /** Makes packets of an update, in place of those before. @internal */
  pack(holder: object, { bytes, byteCount, plan }: EncodeResult): 'packed' | PackFault {
    this.#holder = holder;
    const compressor = this.#updateCompressor;
    let status: PackFault | 'prepared';
    if (compressor === undefined) {
      status = this.#packetizer.prepare(plan.sequence, bytes, byteCount);
    } else {
      const compressed = compressor.compress(this.#views.of(bytes, byteCount));
      if (!isDone(compressed)) return compressed;
      status = this.#packetizer.prepare(plan.sequence, compressor.output);
    }
    return status === 'prepared' ? 'packed' : status;
  }

  /** How many packets the update of a holder has. @internal */
  packetCount(holder: object): number {
    this.#check(holder);
    return this.#packetizer.packetCount;
  }

  /** Returns a packet of the update of a holder; good until the next call. @internal */
  packetAt(holder: object, index: number): Uint8Array {
    this.#check(holder);
    const packet = this.#packetizer.packetAt(index);
    const compressor = this.#packetCompressor;
    if (compressor === undefined) return packet;
    return isDone(compressor.compress(packet)) ? compressor.output : packet;
  }

  #check(holder: object): void {
    if (holder === this.#holder) return;
    throw new NetError('STATE_INVALID', 'packets-overwritten', 'These packets are gone.', {
      given: 'a sender that another one has followed on the same output',
      allowed: 'the sender that prepared an update last',
      fix: 'Send all packets of a client before you prepare the update of the next one.',
    });
  }
}

function isDone(status: string): status is 'raw' | 'zstd' | 'original' {
  return status === 'raw' || status === 'zstd' || status === 'original';
}
