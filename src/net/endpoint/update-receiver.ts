import { Decompressor, type DecompressStatus } from '../compression/decompressor.ts';
import { ClientDelivery, type ReceiveStatus } from '../delivery/client-delivery.ts';
import { type Coded, codedExtra } from '../delivery/coded-extra.ts';
import type { ClientDeliveryOptions } from '../delivery/delivery-options.ts';
import { ACK_BYTES, encodeAck, encodeRecoveryRequest } from '../delivery/delivery-message.ts';
import type { RetainedResult } from '../delivery/retained-result.ts';
import { resolvePackets } from '../packets/packet-options.ts';
import { type PacketFault, Reassembler, type ReassemblyStatus } from '../packets/reassembler.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { PrefixViews } from '../prefix-views.ts';
import { reconstructValid } from '../snapshot/reconstruct.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotUpdate } from '../snapshot/snapshot-update.ts';
import { DecodeResult, type DecodeStatus, type ReceiverState } from '../wire/decode-result.ts';
import { decodeUpdate } from '../wire/decode-update.ts';
import { type HeaderStatus, inspectHeader, type UpdateHeader } from '../wire/update-header.ts';
import { checkTransfer, type TransferOptions } from './transfer-options.ts';

/** How a client receives: what both ends agree on, and what it keeps. */
export interface UpdateReceiverOptions
  extends TransferOptions,
    Omit<ClientDeliveryOptions, 'extra'> {}

/**
 * What a packet came to; `stage` and `detail` say more.
 *
 * - `incomplete`: it was taken, and others of its update are missing.
 * - `applied`: its update was applied: `newest` is another one, and there is a message to send.
 * - `ignored`: it is late, doubled, or waits for what was asked for.
 * - `missing-baseline`: what its update builds on is not here, and there is a message to send.
 * - `refused`: it is not in order. Nothing has changed.
 */
export type ReceiveOutcome = 'incomplete' | 'applied' | 'ignored' | 'missing-baseline' | 'refused';

/** Where it was found what becomes of a packet, in the order in which one passes them. */
export type ReceiveStage = 'packet' | 'envelope' | 'header' | 'delivery' | 'decode';

/** What was found there: a status of that stage. */
export type ReceiveDetail =
  | DecompressStatus
  | ReassemblyStatus
  | PacketFault
  | HeaderStatus
  | 'group-sequence-mismatch'
  | ReceiveStatus
  | DecodeStatus;

/**
 * The client's end of the replication from a server: it puts updates together again, decodes them
 * against what they build on, and keeps the replicas. It has no clock and no socket, and never
 * throws for what comes. For each packet:
 *
 * 1. `acceptPacket(bytes, nowMs)`. If `applied`, show `newest`.
 * 2. Send what `takeMessage(out)` writes, until it writes nothing.
 *
 * Once warm it allocates nothing, but for what inflating takes.
 */
export class UpdateReceiver {
  /** The book of what was applied. Read only. */
  readonly delivery: ClientDelivery<Coded>;
  readonly #pipeline: Pipeline;
  readonly #reassembler: Reassembler;
  readonly #hasGroups: boolean;
  readonly #packetDecompressor: Decompressor | undefined;
  readonly #updateDecompressor: Decompressor | undefined;
  readonly #views: PrefixViews = new PrefixViews();
  readonly #result: DecodeResult;
  /** A copy of what a decoding changes, so that one that is not applied changes nothing. */
  readonly #trial: ReceiverState = { latestRemoteSequence: 0 };
  readonly #held = {
    sequence: 0,
    snapshot: undefined as Snapshot | undefined,
    isTrusted: true,
    coded: undefined as Coded,
  };
  #stage: ReceiveStage = 'packet';
  #detail: ReceiveDetail = 'incomplete';
  #appliesDirectly = false;
  #hasAck = false;
  /** The rejected and the missing sequence of a request to send; zeros for none. */
  readonly #request: Uint32Array = new Uint32Array(2);

  /** Throws OPTION_INVALID. The pipeline may be one that is good for decoding only. */
  constructor(pipeline: Pipeline, options: UpdateReceiverOptions = {}) {
    checkTransfer(options);
    const { packets = {}, zstd } = options;
    const { enabled, maxPayloadBytes, maxGroupBytes } = resolvePackets(packets);
    this.#pipeline = pipeline;
    this.#reassembler = new Reassembler(packets);
    this.#hasGroups = enabled;
    this.#result = new DecodeResult(pipeline);
    this.delivery = new ClientDelivery(pipeline.shape, { ...options, extra: codedExtra(pipeline) });
    if (options.compressUpdates === true) {
      this.#updateDecompressor = new Decompressor({ zstd, maxOutputBytes: maxGroupBytes });
    }
    if (options.compressPackets === true) {
      const limits = { maxUncompressedBytes: maxPayloadBytes, maxOutputBytes: maxPayloadBytes };
      this.#packetDecompressor = new Decompressor({ zstd, ...limits });
    }
  }

  /** The newest replica; undefined before the first. Good until updates have replaced it. */
  get newest(): Snapshot | undefined {
    return this.delivery.newest?.snapshot;
  }

  /** The sequence of the newest replica; 0 before the first. */
  get newestSequence(): number {
    return this.delivery.latestApplied;
  }

  /** After `applied`: what the update said. Good until the next packet. */
  get update(): SnapshotUpdate {
    return this.#result.update;
  }

  /** The header of the update that a packet completed last, as it stands in the bytes. */
  get header(): UpdateHeader {
    return this.#result.header;
  }

  /**
   * After `applied`: whether `update` is a change of what was the newest replica before, so that
   * it can be applied to what is shown. Otherwise `newest` replaces all that is shown.
   */
  get appliesDirectly(): boolean {
    return this.#appliesDirectly;
  }

  /** Where it was found what became of the last packet. */
  get stage(): ReceiveStage {
    return this.#stage;
  }

  /** What was found there. */
  get detail(): ReceiveDetail {
    return this.#detail;
  }

  /**
   * Takes a packet that came at `nowMs`, in milliseconds of a clock that only grows. The bytes are
   * copied. Throws VALUE_INVALID for anything but bytes and a finite time.
   */
  acceptPacket(bytes: Uint8Array, nowMs: number): ReceiveOutcome {
    let packet = bytes;
    const decompressor = this.#packetDecompressor;
    if (decompressor !== undefined) {
      const unwrapped = decompressor.unwrapPacket(bytes);
      if (unwrapped !== 'original' && unwrapped !== 'zstd') {
        return this.#end('refused', 'packet', unwrapped);
      }
      packet = decompressor.output;
    }
    const status = this.#reassembler.accept(packet, nowMs);
    switch (status) {
      case 'complete':
        return this.#acceptGroup();
      case 'incomplete':
        return this.#end('incomplete', 'packet', status);
      case 'duplicate':
      case 'stale':
        return this.#end('ignored', 'packet', status);
      case 'invalid':
        return this.#end('refused', 'packet', this.#reassembler.fault);
      case 'limit-exceeded':
        return this.#end('refused', 'packet', status);
    }
  }

  /**
   * Writes the next message to the server at the begin of `out` and returns its bytes; 0: there is
   * none. That it was written counts as sent: what is lost does no harm but to take time. Throws
   * VALUE_INVALID if there is a message and `out` has less than `RECOVERY_REQUEST_BYTES`.
   */
  takeMessage(out: Uint8Array): number {
    if (this.#hasAck) {
      encodeAck(out, this.delivery.latestApplied);
      this.#hasAck = false;
      return ACK_BYTES;
    }
    const request = this.#request;
    if (request[0] === 0) return 0;
    const length = encodeRecoveryRequest(out, request[0] as number, request[1] as number);
    request[0] = 0;
    return length;
  }

  #acceptGroup(): ReceiveOutcome {
    const { completedBuffer, completedBytes } = this.#reassembler;
    let bytes = this.#views.of(completedBuffer, completedBytes);
    const decompressor = this.#updateDecompressor;
    if (decompressor !== undefined) {
      const taken = decompressor.decompress(bytes);
      if (taken !== 'raw' && taken !== 'zstd') return this.#end('refused', 'envelope', taken);
      bytes = decompressor.output;
    }
    const { delivery } = this;
    const { header } = this.#result;
    const found = inspectHeader(this.#pipeline, bytes, delivery.latestApplied, header);
    if (found === 'stale-sequence') return this.#end('ignored', 'delivery', delivery.begin(header));
    if (found !== 'ok') return this.#end('refused', 'header', found);
    if (this.#hasGroups && this.#reassembler.completedGroupId !== header.sequence) {
      return this.#end('refused', 'header', 'group-sequence-mismatch');
    }
    return this.#acceptUpdate(bytes);
  }

  #acceptUpdate(bytes: Uint8Array): ReceiveOutcome {
    const { delivery } = this;
    const { header } = this.#result;
    const begun = delivery.begin(header);
    switch (begun) {
      case 'ready':
        return this.#apply(bytes);
      case 'missing-baseline':
        this.#request[0] = header.sequence;
        this.#request[1] = header.baselineSequence;
        return this.#end('missing-baseline', 'delivery', begun);
      case 'duplicate':
      case 'late':
      case 'awaiting-recovery':
        return this.#end('ignored', 'delivery', begun);
      case 'tick-earlier':
      case 'invalid-header':
        return this.#end('refused', 'delivery', begun);
    }
  }

  #apply(bytes: Uint8Array): ReceiveOutcome {
    const { delivery } = this;
    const { baseline, draft, latestApplied } = delivery;
    const result = this.#result;
    this.#trial.latestRemoteSequence = latestApplied;
    result.coded = draft.extra;
    const held = baseline === undefined ? undefined : this.#hold(baseline);
    const decoded = decodeUpdate(this.#pipeline, this.#trial, bytes, held, result);
    if (decoded !== 'ok') {
      delivery.abandon();
      return this.#end('refused', 'decode', decoded);
    }
    reconstructValid(baseline?.snapshot ?? null, result.update, draft.snapshot);
    this.#appliesDirectly = delivery.appliesDirectly;
    delivery.commit();
    if (this.#hasGroups) this.#reassembler.commit(result.header.sequence);
    this.#hasAck = true;
    this.#request[0] = 0;
    return this.#end('applied', 'decode', decoded);
  }

  #hold(baseline: RetainedResult<Coded>): NonNullable<Parameters<typeof decodeUpdate>[3]> {
    const held = this.#held;
    held.sequence = baseline.sequence;
    held.snapshot = baseline.snapshot;
    held.coded = baseline.extra;
    return held;
  }

  #end(outcome: ReceiveOutcome, stage: ReceiveStage, detail: ReceiveDetail): ReceiveOutcome {
    this.#stage = stage;
    this.#detail = detail;
    return outcome;
  }
}
