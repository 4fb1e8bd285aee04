import { type Coded, codedExtra } from '../delivery/coded-extra.ts';
import { DeliveryMessage, type DeliveryMessageStatus } from '../delivery/delivery-message.ts';
import type { ServerDeliveryOptions } from '../delivery/delivery-options.ts';
import type { RetainedResult } from '../delivery/retained-result.ts';
import type { RetentionVerdict } from '../delivery/retention-plan.ts';
import { type AckOutcome, ServerDelivery } from '../delivery/server-delivery.ts';
import { NetError } from '../net-error.ts';
import { roomFor } from '../pipeline/columns.ts';
import { ClientReplicationState } from '../pipeline/client-state.ts';
import { Technique } from '../pipeline/definition.ts';
import type { EncodeRequest } from '../pipeline/encode-request.ts';
import type { EncodeResult, SkipReason } from '../pipeline/encode-result.ts';
import type { TickSource } from '../pipeline/tick-source.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { PackFault, UpdateOutput } from './update-output.ts';

/** How a server keeps the book on one client. */
export type UpdateSenderOptions = Omit<ServerDeliveryOptions, 'isPartial' | 'extra'>;

/** Where a client looks from and what it is to be told beside it. */
export type SendRequest = Pick<
  EncodeRequest,
  'source' | 'candidates' | 'candidateCount' | 'sizeTarget' | 'quality'
>;

/**
 * What a call of `prepare` came to. Only `prepared` leaves packets; after all others nothing is to
 * be sent and no sequence is taken.
 *
 * - `send-interval`, `aoi-source-missing`: there is no update, see `SkipReason`.
 * - `retention-pressure`, `too-large`: the result cannot be kept, see `RetentionVerdict`. What the
 *   client has acknowledged is let go, so the next update is a complete one.
 * - all others: the update is longer than its envelope or its packets may be.
 */
export type SenderStatus =
  | 'prepared'
  | SkipReason
  | Exclude<RetentionVerdict, 'accepted'>
  | PackFault;

/**
 * What a message of the client came to: what an acknowledgement did, whether a request for recovery
 * was taken, or why it is no message.
 */
export type MessageOutcome =
  | AckOutcome
  | 'recovery-begun'
  | 'recovery-ignored'
  | Exclude<DeliveryMessageStatus, 'ack' | 'recovery-request'>;

/** A request that is filled anew each time. */
type Filled<Whole> = { -readonly [Name in keyof Whole]: Whole[Name] };

const NOTHING: SendRequest = {};

/**
 * The server's end of the replication to one client: it encodes each tick against what the client
 * holds, cuts the update into packets and keeps the book on what has come. It has no clock and no
 * socket. For each tick:
 *
 * 1. `prepare(tick, nowMs, request)`. Unless `prepared` there is nothing to send.
 * 2. Send `packetAt(0)` to `packetAt(packetCount - 1)`.
 * 3. `commit(nowMs)` if all were accepted, or else `abandon()`: then it is as if nothing had been
 *    prepared.
 *
 * Once warm it allocates nothing, but for what compressing takes.
 */
export class UpdateSender {
  /** The client's place in the pipeline. Read only. */
  readonly state: ClientReplicationState = new ClientReplicationState();
  /** The book on the client. Read only. */
  readonly delivery: ServerDelivery<Coded>;
  readonly #output: UpdateOutput;
  readonly #message = new DeliveryMessage();
  readonly #allowsPatch: boolean;
  readonly #takesReplica: boolean;
  readonly #isPartial: boolean;
  readonly #held = {
    sequence: 0,
    snapshot: null as RetainedResult['snapshot'] | null,
    trusted: true,
    coded: undefined as Coded,
  };
  readonly #request: Filled<EncodeRequest> = {
    baseline: null,
    replica: null,
    source: undefined,
    candidates: undefined,
    candidateCount: undefined,
    recovery: null,
    recoveryCount: 0,
    forceFullReplace: false,
    sizeTarget: undefined,
    quality: undefined,
    result: null,
    resultCoded: undefined,
  };
  #update: EncodeResult | undefined;
  #ids: Uint32Array = new Uint32Array(0);
  #isPrepared = false;

  /**
   * Takes an output that others may share. Throws OPTION_INVALID for bounds that are none.
   */
  constructor(output: UpdateOutput, options: UpdateSenderOptions = {}) {
    const { definition, shape, allowsPatch } = output.pipeline;
    const { techniques, levelOfDetail } = definition;
    const hasBands = levelOfDetail.mode !== 'none';
    const isInTurn = (techniques & Technique.Incremental) !== 0;
    const isReliable = options.delivery === 'reliable';
    this.#output = output;
    this.#allowsPatch = allowsPatch;
    this.#takesReplica = isInTurn && !hasBands && (techniques & Technique.Delta) === 0;
    this.#isPartial = (isInTurn || hasBands) && !isReliable;
    const extra = codedExtra(output.pipeline);
    this.delivery = new ServerDelivery(shape, { ...options, isPartial: this.#isPartial, extra });
  }

  /**
   * What the last call of `prepare` encoded, with its reports; undefined before the first. Good
   * until the next one of any sender of the same output. It is committed by the sender alone.
   */
  get update(): EncodeResult | undefined {
    return this.#update;
  }

  /** Packets of the prepared update; 0 if none is. */
  get packetCount(): number {
    return this.#isPrepared ? this.#output.packetCount(this) : 0;
  }

  /**
   * Makes the packets of what the client is told of a tick. An earlier update that was not
   * committed is abandoned. Throws a `NetError` for a request that breaks a rule, VALUE_INVALID for
   * a time that is none, and SEQUENCE_EXHAUSTED; then nothing is prepared.
   */
  prepare(tick: TickSource, nowMs: number, request: SendRequest = NOTHING): SenderStatus {
    this.abandon();
    const { delivery, state } = this;
    delivery.prepare(nowMs);
    this.#ask(request);
    const update = this.#output.encoder.encode(tick, state, this.#request);
    this.#update = update;
    if (update.skipped !== null) return update.skipped;
    const { plan } = update;
    const { draft } = delivery;
    draft.sequence = plan.sequence;
    draft.kind = plan.kind;
    const isRecovered = this.#isPartial && plan.kind === SnapshotKind.Patch;
    const idCount = isRecovered ? this.#takeIds(plan) : 0;
    const verdict = delivery.plan(this.#ids, idCount);
    if (verdict !== 'accepted') {
      state.discard();
      delivery.discard();
      return verdict;
    }
    const packed = this.#output.pack(this, update);
    this.#isPrepared = packed === 'packed';
    if (packed === 'packed') return 'prepared';
    this.abandon();
    return packed;
  }

  /**
   * Returns a packet of the prepared update, from 0. It is a view of reused memory: good until the
   * next call. Throws a `NetError` where there is none, and `packets-overwritten` when another
   * sender of the same output has prepared an update since.
   */
  packetAt(index: number): Uint8Array {
    this.#checkPrepared('send');
    return this.#output.packetAt(this, index);
  }

  /**
   * Says that all bytes of all packets were accepted for sending. Throws a `NetError`,
   * `nothing-to-commit` or of a time that is none.
   */
  commit(nowMs: number): void {
    this.#checkPrepared('commit');
    this.delivery.commit(nowMs);
    this.state.commit();
    this.delivery.checkStall();
    this.#isPrepared = false;
  }

  /**
   * Says that they were not, or not all: the update never happened. A connection that refuses a
   * part of an update should be closed all the same, where its packets come in order.
   */
  abandon(): void {
    this.#isPrepared = false;
    this.state.discard();
    this.delivery.abandon();
  }

  /**
   * Takes a message of the client. It never throws for what is in it, and what is not in order
   * changes nothing. Throws VALUE_INVALID for a time that is none.
   */
  acceptMessage(bytes: Uint8Array, nowMs: number): MessageOutcome {
    const { delivery } = this;
    delivery.expire(nowMs);
    const message = this.#message;
    const status = message.read(bytes);
    if (status === 'ack') return delivery.acknowledge(message.sequence);
    if (status !== 'recovery-request') return status;
    const isBegun = delivery.requestRecovery(message.rejected, message.missing);
    return isBegun ? 'recovery-begun' : 'recovery-ignored';
  }

  #ask({ source, candidates, candidateCount, sizeTarget, quality }: SendRequest): void {
    const { delivery } = this;
    const request = this.#request;
    const held = this.#hold();
    request.source = source;
    request.candidates = candidates;
    request.candidateCount = candidateCount;
    request.sizeTarget = sizeTarget;
    request.quality = quality;
    request.forceFullReplace = held === null;
    request.baseline = this.#takesReplica ? null : held;
    request.replica = this.#takesReplica ? held : null;
    const recovers = held !== null && this.#isPartial;
    request.recovery = recovers ? delivery.recoveryRows.ids : null;
    request.recoveryCount = recovers ? delivery.recoveryRows.count : 0;
    request.result = delivery.draft.snapshot;
    request.resultCoded = delivery.draft.extra;
  }

  /** What the next update is a change of; null: it is a complete one. */
  #hold(): Filled<NonNullable<EncodeRequest['baseline']>> | null {
    const { baseline } = this.delivery;
    if (!this.#allowsPatch || baseline === undefined) return null;
    const held = this.#held;
    held.sequence = baseline.sequence;
    held.snapshot = baseline.snapshot;
    held.coded = baseline.extra;
    return held;
  }

  #takeIds({ table, rows, rowCount }: UpdatePlan): number {
    const ids = roomFor(this.#ids, rowCount);
    for (let at = 0; at < rowCount; at++) ids[at] = table.ids[rows[at] as number] as number;
    this.#ids = ids;
    return rowCount;
  }

  #checkPrepared(verb: string): void {
    if (this.#isPrepared) return;
    throw new NetError('STATE_INVALID', `nothing-to-${verb}`, `There is no update to ${verb}.`, {
      given: 'no update, or one that was committed or abandoned',
      allowed: `${verb} after prepare() has returned prepared`,
      fix: 'Look at what prepare() returns.',
    });
  }
}
