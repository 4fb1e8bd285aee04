import { type LinkConditions, resolveConditions } from '../../src/net/link-options.ts';
import { PacketFate } from '../../src/net/packet-fate.ts';
import type { Received } from './link-model.ts';

interface Datagram {
  readonly dueMs: number;
  readonly bytes: number[];
}

interface Message {
  /** When it is sent next; Infinity once it got through. */
  attemptMs: number;
  attempts: number;
  arrivesMs: number;
  readonly bytes: number[];
}

/** One direction of a link as lists that are sorted and searched anew at each step. */
export class PlainDirection {
  readonly #given: ReturnType<typeof resolveConditions>;
  readonly #datagramFate: PacketFate;
  readonly #messageFate: PacketFate;
  #datagrams: Datagram[] = [];
  readonly #messages: Message[] = [];
  readonly #numbers: Map<Datagram | Message, number> = new Map();
  #freeMs = 0;
  #shownMs = 0;
  #nowMs = 0;

  constructor(seed: number, substreamId: number, conditions: LinkConditions) {
    this.#given = resolveConditions(conditions);
    this.#datagramFate = new PacketFate([0, seed], substreamId);
    this.#messageFate = new PacketFate([0, seed], substreamId + 1);
  }

  sendDatagram(bytes: Uint8Array): void {
    const given = this.#given;
    const fate = this.#datagramFate;
    const isLost = fate.nextIsLost(given);
    const rate = given.bandwidthBytesPerS;
    if (rate < Infinity) {
      const waiting = (Math.max(0, this.#freeMs - this.#nowMs) * rate) / 1000;
      if (Math.round(waiting) + bytes.length > given.maxQueuedBytes) return;
    }
    const leftMs = this.#leave(this.#nowMs, bytes.length);
    if (isLost) return;
    const altered = Uint8Array.from(bytes);
    if (bytes.length > 0 && fate.isCorrupted(given)) fate.corrupt(altered);
    const heldMs = fate.isReordered(given) ? given.reorderMs : 0;
    const own = { dueMs: this.#arrive(fate, leftMs, false) + heldMs, bytes: [...altered] };
    this.#number(own);
    this.#datagrams.push(own);
    if (!fate.isDuplicated(given)) return;
    const copy = { dueMs: this.#arrive(fate, leftMs, true), bytes: [...bytes] };
    this.#number(copy);
    this.#datagrams.push(copy);
  }

  sendMessage(bytes: Uint8Array): void {
    const message = { attemptMs: this.#nowMs, attempts: 0, arrivesMs: Infinity, bytes: [...bytes] };
    this.#number(message);
    this.#messages.push(message);
    this.#attempt(message);
  }

  advanceTo(ms: number): void {
    for (;;) {
      const next = this.#messages.reduce<Message | undefined>(
        (best, it) => (it.attemptMs < (best?.attemptMs ?? Infinity) ? it : best),
        undefined,
      );
      if (next === undefined || next.attemptMs > ms) break;
      this.#attempt(next);
    }
    this.#nowMs = ms;
  }

  receive(): Received[] {
    const shown: { ms: number; number: number; received: Received }[] = [];
    for (const datagram of this.#datagrams.filter(({ dueMs }) => dueMs <= this.#nowMs)) {
      const received = { bytes: datagram.bytes, delivery: 'unreliable' };
      shown.push({ ms: datagram.dueMs, number: this.#numberOf(datagram), received });
    }
    this.#datagrams = this.#datagrams.filter(({ dueMs }) => dueMs > this.#nowMs);
    for (let message = this.#messages[0]; message !== undefined; message = this.#messages[0]) {
      const ms = Math.max(message.arrivesMs, this.#shownMs);
      if (ms > this.#nowMs) break;
      this.#shownMs = ms;
      this.#messages.shift();
      const received = { bytes: message.bytes, delivery: 'reliable' };
      shown.push({ ms, number: this.#numberOf(message), received });
    }
    return shown
      .toSorted((x, y) => x.ms - y.ms || x.number - y.number)
      .map(({ received }) => received);
  }

  #attempt(message: Message): void {
    const leftMs = this.#leave(message.attemptMs, message.bytes.length);
    const firstMs = this.#given.retransmitMs;
    const waitMs = Math.min(firstMs * 2 ** message.attempts++, Math.max(firstMs, 60_000));
    if (this.#messageFate.nextIsLost(this.#given)) {
      message.attemptMs = leftMs + waitMs;
      return;
    }
    message.attemptMs = Infinity;
    message.arrivesMs = this.#arrive(this.#messageFate, leftMs, false);
  }

  #leave(fromMs: number, length: number): number {
    const rate = this.#given.bandwidthBytesPerS;
    this.#freeMs = Math.max(fromMs, this.#freeMs) + (length * 1000) / rate;
    return this.#freeMs;
  }

  #arrive(fate: PacketFate, leftMs: number, isCopy: boolean): number {
    const ms = Float64Array.of(leftMs);
    fate.addDelay(this.#given, isCopy, ms, 0);
    return ms[0] ?? Number.NaN;
  }

  #number(packet: Datagram | Message): void {
    this.#numbers.set(packet, this.#numbers.size);
  }

  #numberOf(packet: Datagram | Message): number {
    return this.#numbers.get(packet) ?? Number.NaN;
  }
}
