import { EscapementError } from '../shared/error.ts';
import {
  type Delivery,
  LinkDirection,
  type PacketVisitor,
  type SendStatus,
} from './link-direction.ts';
import {
  type LinkConditions,
  type LossyLinkOptions,
  resolveConditions,
  resolveLink,
} from './link-options.ts';
import type { LinkStats } from './link-stats.ts';

/** The latest time of a link, in milliseconds: some 31 years, in steps far below a microsecond. */
const TIME_MAX_MS = 1e12;

/** One end of a link: sends to the other end, and receives what that has sent. */
export interface LinkEnd {
  /**
   * Sends a packet, as a datagram unless told otherwise. The bytes are copied: the caller may use
   * the buffer again. Throws VALUE_INVALID for anything but bytes.
   */
  send(bytes: Uint8Array, delivery?: Delivery): SendStatus;
  /**
   * Shows every packet that has arrived and was not shown yet, in order of arrival, and returns
   * how many. Bytes are good until the visitor returns. If it throws, that packet is gone and the
   * rest is kept.
   */
  receive(visit: PacketVisitor): number;
}

/** The names of the directions of a link. */
export type LinkDirectionName = 'aToB' | 'bToA';

/** Two ends in memory with a bad network between them. Time stands still but for `advanceTo`. */
export interface LossyLink {
  /** The end that sends from a to b. */
  readonly a: LinkEnd;
  /** The end that sends from b to a. */
  readonly b: LinkEnd;
  /** The time of the link in milliseconds, 0 at first. */
  readonly nowMs: number;
  /**
   * The time in milliseconds at which a packet arrives next, or is sent again; Infinity while
   * nothing is on its way. What has arrived and was not received yet counts.
   */
  readonly nextDueMs: number;
  /** Goes on to a time in milliseconds. Throws VALUE_INVALID for one before `nowMs`. */
  advanceTo(ms: number): void;
  /**
   * Sets all the conditions of one direction, or of both, for what is sent from now on; what is
   * left out has its default. Throws OPTION_INVALID and changes nothing for what is out of range.
   */
  setConditions(conditions: LinkConditions, direction?: LinkDirectionName): void;
  /** Returns what was counted so far. */
  stats(): Readonly<Record<LinkDirectionName, LinkStats>>;
}

/**
 * Makes a link between two ends of one thread that loses, delays, doubles, reorders and alters what
 * is sent, by a seed: the same seed and the same calls give the same deliveries on every engine.
 * Each direction, and each kind of delivery in it, has generators of its own. For tests and
 * examples of what must work over a network; it has no clock and no timer, and once warm it
 * allocates nothing. Throws OPTION_INVALID.
 */
export function createLossyLink(options: LossyLinkOptions = {}): LossyLink {
  const { seed, aToB, bToA, bounds } = resolveLink(options);
  const nowMs = new Float64Array(1);
  return new SeededLink(
    new LinkDirection(aToB, bounds, seed, 0, nowMs),
    new LinkDirection(bToA, bounds, seed, 2, nowMs),
    nowMs,
  );
}

class SeededLink implements LossyLink {
  readonly a: LinkEnd;
  readonly b: LinkEnd;
  readonly #aToB: LinkDirection;
  readonly #bToA: LinkDirection;
  readonly #nowMs: Float64Array;

  constructor(aToB: LinkDirection, bToA: LinkDirection, nowMs: Float64Array) {
    this.a = new SeededEnd(aToB, bToA);
    this.b = new SeededEnd(bToA, aToB);
    this.#aToB = aToB;
    this.#bToA = bToA;
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs[0] as number;
  }

  get nextDueMs(): number {
    return Math.min(this.#aToB.nextDueMs(), this.#bToA.nextDueMs());
  }

  advanceTo(ms: number): void {
    const now = this.#nowMs[0] as number;
    if (!(typeof ms === 'number' && ms >= now && ms <= TIME_MAX_MS)) {
      throw new EscapementError('VALUE_INVALID', 'A link cannot go on to that time.', {
        given: String(ms),
        allowed: `milliseconds from ${now}, where it stands, to ${TIME_MAX_MS}`,
        fix: 'Give a time that only grows, such as tick * 1000 / tickRateHz.',
      });
    }
    this.#aToB.resendDue(ms);
    this.#bToA.resendDue(ms);
    this.#nowMs[0] = ms;
  }

  setConditions(conditions: LinkConditions, direction?: LinkDirectionName): void {
    if (direction !== undefined && direction !== 'aToB' && direction !== 'bToA') {
      throw new EscapementError('OPTION_INVALID', 'A link has no such direction.', {
        given: String(direction),
        allowed: 'aToB, bToA',
        fix: 'Leave it out for both.',
      });
    }
    const resolved = resolveConditions(conditions);
    if (direction !== 'bToA') this.#aToB.conditions = resolved;
    if (direction !== 'aToB') this.#bToA.conditions = resolved;
  }

  stats(): Readonly<Record<LinkDirectionName, LinkStats>> {
    return { aToB: this.#aToB.stats(), bToA: this.#bToA.stats() };
  }
}

class SeededEnd implements LinkEnd {
  readonly #outgoing: LinkDirection;
  readonly #incoming: LinkDirection;

  constructor(outgoing: LinkDirection, incoming: LinkDirection) {
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  send(bytes: Uint8Array, delivery: Delivery = 'unreliable'): SendStatus {
    return this.#outgoing.send(bytes, delivery);
  }

  receive(visit: PacketVisitor): number {
    return this.#incoming.receive(visit);
  }
}
