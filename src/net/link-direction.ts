import { EscapementError } from '../shared/error.ts';
import { Bottleneck } from './bottleneck.ts';
import { FlightTable } from './flight-table.ts';
import type { LinkBounds, ResolvedConditions } from './link-options.ts';
import { createLinkCounts, type LinkCounts, type LinkStats } from './link-stats.ts';
import { PacketFate } from './packet-fate.ts';
import { SlotHeap } from './slot-heap.ts';

/**
 * How a packet travels. `unreliable`: a datagram, which may be lost, doubled, overtaken and
 * altered. `reliable`: each message once, as it was, in the order of sending; what is lost is sent
 * again, and what was sent after it waits.
 */
export type Delivery = 'unreliable' | 'reliable';

/** What became of a call of `send`. */
export type SendStatus =
  /** It is the link's from here on. A datagram may still be lost: no sender is told. */
  | 'sent'
  /** It is longer than a datagram or a message may be. Nothing was sent. */
  | 'too-large'
  /** So much is on its way that no more is taken on. Nothing was sent; try again later. */
  | 'full';

/** Is shown a packet that arrived. The bytes are the link's again once it returns. */
export type PacketVisitor = (bytes: Uint8Array, delivery: Delivery) => void;

/** The longest wait before a message is sent again, unless the first one is longer. */
const RETRANSMIT_MAX_MS = 60_000;

/** One direction of a lossy link: what is on its way from one end to the other. */
export class LinkDirection {
  conditions: ResolvedConditions;
  readonly #bounds: LinkBounds;
  readonly #table: FlightTable;
  readonly #bottleneck: Bottleneck = new Bottleneck();
  /** Each kind has its own, so that messages do not change which datagrams are lost. */
  readonly #datagramFate: PacketFate;
  readonly #messageFate: PacketFate;
  /** Datagrams by when they arrive, and messages by when they are sent again. */
  readonly #arrivals: SlotHeap;
  readonly #retries: SlotHeap;
  /** Messages in order of sending: a ring of slots. */
  readonly #messages: Int32Array;
  #messageBegin = 0;
  #messageCount = 0;
  readonly #nowMs: Float64Array;
  readonly #counts: LinkCounts = createLinkCounts();

  /** `nowMs[0]` is the time; the owner moves it on, after {@link resendDue}. */
  constructor(
    conditions: ResolvedConditions,
    bounds: LinkBounds,
    seed: readonly [high: number, low: number],
    substreamId: number,
    nowMs: Float64Array,
  ) {
    this.conditions = conditions;
    this.#bounds = bounds;
    this.#table = new FlightTable(bounds.maxInFlight, bounds.maxInFlightBytes);
    this.#datagramFate = new PacketFate(seed, substreamId);
    this.#messageFate = new PacketFate(seed, substreamId + 1);
    this.#arrivals = new SlotHeap(this.#table, bounds.maxInFlight);
    this.#retries = new SlotHeap(this.#table, bounds.maxInFlight);
    this.#messages = new Int32Array(bounds.maxInFlight);
    this.#nowMs = nowMs;
  }

  /** Takes a packet on, copied. Throws VALUE_INVALID for what is no packet or no delivery. */
  send(bytes: Uint8Array, delivery: Delivery): SendStatus {
    checkPacket(bytes, delivery);
    const isMessage = delivery === 'reliable';
    const { maxMessageBytes, maxDatagramBytes } = this.#bounds;
    const { length } = bytes;
    const counts = this.#counts;
    if (length > (isMessage ? maxMessageBytes : maxDatagramBytes)) {
      counts.tooLarge++;
      return 'too-large';
    }
    if (!this.#table.hasRoom(length)) {
      counts.full++;
      return 'full';
    }
    counts.sent++;
    counts.sentBytes += length;
    if (isMessage) this.#sendMessage(bytes);
    else this.#sendDatagram(bytes);
    return 'sent';
  }

  /** When something happens next: the time of an arrival, or of sending again; else Infinity. */
  nextDueMs(): number {
    const { dueMs, landed } = this.#table;
    let next = Infinity;
    const arrival = this.#arrivals.first;
    if (arrival >= 0) next = dueMs[arrival] as number;
    const retry = this.#retries.first;
    if (retry >= 0) next = Math.min(next, dueMs[retry] as number);
    const message = this.#firstMessage();
    if (message >= 0 && landed[message] === 1) next = Math.min(next, dueMs[message] as number);
    return next;
  }

  /** Sends again whatever falls due up to `untilMs`, in order of time. */
  resendDue(untilMs: number): void {
    const { dueMs } = this.#table;
    for (let slot = this.#retries.first; slot >= 0; slot = this.#retries.first) {
      if ((dueMs[slot] as number) > untilMs) return;
      this.#retries.removeFirst();
      this.#counts.retransmitted++;
      this.#attempt(slot);
    }
  }

  /** Shows what has arrived, in order of arrival, and returns how many. */
  receive(visit: PacketVisitor): number {
    // What the visitor sends with no delay arrives at once, and is left for the next call.
    const endOrder = this.#table.nextOrder;
    let count = 0;
    for (let slot = this.#takeArrived(endOrder); slot >= 0; slot = this.#takeArrived(endOrder)) {
      const payload = this.#table.payload(slot);
      count++;
      try {
        visit(payload, this.#table.attempts[slot] === 0 ? 'unreliable' : 'reliable');
      } finally {
        this.#counts.delivered++;
        this.#counts.deliveredBytes += payload.length;
        this.#table.remove(slot);
      }
    }
    return count;
  }

  /** Returns what was counted so far. */
  stats(): LinkStats {
    const { count, bytes } = this.#table;
    return Object.freeze({ ...this.#counts, inFlight: count, inFlightBytes: bytes });
  }

  #sendDatagram(bytes: Uint8Array): void {
    const { conditions } = this;
    const fate = this.#datagramFate;
    const counts = this.#counts;
    const isLost = fate.nextIsLost(conditions);
    if (!this.#bottleneck.hasRoom(conditions, this.#nowMs, bytes.length)) {
      counts.overflowed++;
      return;
    }
    const slot = this.#table.add(bytes);
    const { dueMs } = this.#table;
    dueMs[slot] = this.#nowMs[0] as number;
    this.#bottleneck.send(conditions, bytes.length, dueMs, slot);
    if (isLost) {
      counts.lost++;
      this.#table.remove(slot);
      return;
    }
    if (fate.isDuplicated(conditions)) this.#copy(bytes, slot);
    fate.addDelay(conditions, false, dueMs, slot);
    if (fate.isReordered(conditions)) {
      counts.reordered++;
      dueMs[slot] = (dueMs[slot] as number) + conditions.reorderMs;
    }
    if (bytes.length > 0 && fate.isCorrupted(conditions)) {
      counts.corrupted++;
      fate.corrupt(this.#table.payload(slot));
    }
    this.#arrivals.push(slot);
  }

  /** A second copy of the datagram that has just left the bottleneck; none if there is no room. */
  #copy(bytes: Uint8Array, original: number): void {
    if (!this.#table.hasRoom(bytes.length)) return;
    const copy = this.#table.add(bytes);
    this.#counts.duplicated++;
    const { dueMs } = this.#table;
    dueMs[copy] = dueMs[original] as number;
    this.#datagramFate.addDelay(this.conditions, true, dueMs, copy);
    this.#arrivals.push(copy);
  }

  #sendMessage(bytes: Uint8Array): void {
    const slot = this.#table.add(bytes);
    this.#table.dueMs[slot] = this.#nowMs[0] as number;
    this.#messages[(this.#messageBegin + this.#messageCount++) % this.#messages.length] = slot;
    this.#attempt(slot);
  }

  /** Sends a message at its due time: it becomes due when it arrives, or is to be sent again. */
  #attempt(slot: number): void {
    const { conditions } = this;
    const { dueMs, attempts, landed } = this.#table;
    const { length } = this.#table.payload(slot);
    this.#bottleneck.send(conditions, length, dueMs, slot);
    const tried = attempts[slot] as number;
    attempts[slot] = tried + 1;
    if (this.#messageFate.nextIsLost(conditions)) {
      const firstMs = conditions.retransmitMs;
      const waitMs = Math.min(firstMs * 2 ** tried, Math.max(firstMs, RETRANSMIT_MAX_MS));
      dueMs[slot] = (dueMs[slot] as number) + waitMs;
      this.#retries.push(slot);
      return;
    }
    landed[slot] = 1;
    this.#messageFate.addDelay(conditions, false, dueMs, slot);
  }

  #firstMessage(): number {
    return this.#messageCount === 0 ? -1 : (this.#messages[this.#messageBegin] as number);
  }

  #isDue(slot: number, endOrder: number): boolean {
    if (slot < 0) return false;
    const { dueMs, order } = this.#table;
    return (
      (dueMs[slot] as number) <= (this.#nowMs[0] as number) && (order[slot] as number) < endOrder
    );
  }

  /** Takes out the slot that arrived first of those before `endOrder`; -1 where there is none. */
  #takeArrived(endOrder: number): number {
    const { dueMs, landed } = this.#table;
    const message = this.#firstMessage();
    const isMessage = this.#isDue(message, endOrder) && landed[message] === 1;
    const datagram = this.#arrivals.first;
    if (
      this.#isDue(datagram, endOrder) &&
      !(isMessage && this.#table.isBefore(message, datagram))
    ) {
      this.#arrivals.removeFirst();
      return datagram;
    }
    if (!isMessage) return -1;
    this.#messageBegin = (this.#messageBegin + 1) % this.#messages.length;
    this.#messageCount--;
    const next = this.#firstMessage();
    // It came earlier, but waited for this one.
    if (next >= 0 && landed[next] === 1) {
      dueMs[next] = Math.max(dueMs[next] as number, dueMs[message] as number);
    }
    return message;
  }
}

function checkPacket(bytes: Uint8Array, delivery: Delivery): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new EscapementError('VALUE_INVALID', 'A link sends bytes and nothing else.', {
      given: Object.prototype.toString.call(bytes),
      allowed: 'a Uint8Array',
      fix: 'Encode the value first.',
    });
  }
  if (delivery === 'unreliable' || delivery === 'reliable') return;
  throw new EscapementError('VALUE_INVALID', 'A link has no such delivery.', {
    given: String(delivery),
    allowed: 'unreliable, reliable',
    fix: 'Leave it out for a datagram.',
  });
}
