import { EscapementError } from '../shared/error.ts';
import {
  InputPacket,
  isSameInput,
  PACKET_OVERHEAD_BYTES,
  readInput,
  sealPacket,
  writeInput,
} from './input-packet.ts';
import { InputRing } from './input-ring.ts';

/** Options of an input channel. Both ends have the same. */
export interface InputChannelOptions {
  /** Words of u32 that one player's input of one tick takes, 1 to 64. */
  readonly wordsPerTick: number;
  /** Ticks that may be ahead of what the other end has acknowledged, 1 to 255. Default 64. */
  readonly windowTicks?: number | undefined;
  /** The first tick that has an input, a u32. Default 0. */
  readonly firstTick?: number | undefined;
  /** A u32 that tells this match from the one before. Packets of another are refused. Default 0. */
  readonly match?: number | undefined;
}

/** What {@link InputChannel.decode} made of a packet. All but the first two changed nothing. */
export type InputPacketStatus =
  /** It brought inputs or an acknowledgement that were not known. */
  | 'new'
  /** It is in order, and everything in it was known. */
  | 'old'
  /** It is no packet of a channel with these options. */
  | 'malformed'
  /** It was altered on the way: its checksum is another. */
  | 'corrupt'
  /** It belongs to another match. */
  | 'other-match'
  /** It leaves a gap, or has or acknowledges ticks that never were. */
  | 'out-of-range'
  /** It has another input for a tick than came before. */
  | 'conflict';

const TICK_MAX = 2 ** 32 - 1;
const WORDS_MAX = 64;
const WINDOW_MAX = 255;

/**
 * Carries the inputs of two players to each other, tick by tick, over a network that loses and
 * reorders, as rollback and lockstep need it. One end a player: it adds its own input of each tick
 * and reads the other's. Each packet carries every input that the other end has not acknowledged,
 * so that a lost one needs no sending again, and acknowledges what is here. It knows no socket and
 * no clock: the caller sends what {@link encode} wrote, once a tick or so, as a datagram, and hands
 * to {@link decode} what came. Nothing that comes makes it throw; it allocates nothing.
 */
export class InputChannel {
  /** Bytes that the longest packet can have. */
  readonly maxPacketBytes: number;
  readonly #wordsPerTick: number;
  readonly #windowTicks: number;
  readonly #match: number;
  readonly #firstTick: number;
  readonly #local: InputRing;
  readonly #remote: InputRing;
  /** In an array: a u32 in a field may be boxed. */
  readonly #acked: Uint32Array;
  readonly #packet: InputPacket = new InputPacket();

  /** Throws OPTION_INVALID for options out of range. */
  constructor(options: InputChannelOptions) {
    const { wordsPerTick, windowTicks = 64, firstTick = 0, match = 0 } = options;
    this.#wordsPerTick = checkWhole('wordsPerTick', wordsPerTick, 1, WORDS_MAX);
    this.#windowTicks = checkWhole('windowTicks', windowTicks, 1, WINDOW_MAX);
    this.#firstTick = checkWhole('firstTick', firstTick, 0, TICK_MAX);
    this.#match = checkWhole('match', match, 0, TICK_MAX);
    this.#local = new InputRing(wordsPerTick, 2 * windowTicks, firstTick);
    this.#remote = new InputRing(wordsPerTick, 2 * windowTicks, firstTick);
    this.#acked = Uint32Array.of(firstTick);
    this.maxPacketBytes = PACKET_OVERHEAD_BYTES + windowTicks * wordsPerTick * 4;
  }

  /** The tick whose own input is added next. */
  get localTick(): number {
    return this.#local.next;
  }

  /** The other end has this player's inputs of every tick before this one. */
  get ackedTick(): number {
    return this.#acked[0] as number;
  }

  /** The other player's inputs of every tick before this one are here. */
  get remoteTick(): number {
    return this.#remote.next;
  }

  /**
   * Adds this player's input of tick `localTick`: `words[begin]` and on. Returns false, and adds
   * nothing, while as many ticks as the window has are not acknowledged: the game has to wait. So
   * it does once there are no more ticks in a u32. Throws VALUE_INVALID where words are missing.
   */
  addLocal(words: Uint32Array, begin = 0): boolean {
    this.#checkWords(words, begin);
    const ring = this.#local;
    if (ring.next - this.ackedTick >= this.#windowTicks || ring.next === TICK_MAX) return false;
    const at = ring.at(ring.next);
    for (let word = 0; word < this.#wordsPerTick; word++) {
      ring.words[at + word] = words[begin + word] as number;
    }
    ring.advance();
    return true;
  }

  /**
   * Copies this player's input of a tick to `out[begin]` and on. Returns false, and copies nothing,
   * unless it was added and is one of the newest 2 x `windowTicks`.
   */
  readLocal(tick: number, out: Uint32Array, begin = 0): boolean {
    return this.#copy(this.#local, tick, out, begin);
  }

  /**
   * Copies the other player's input of a tick to `out[begin]` and on. Returns false, and copies
   * nothing, unless it is here and one of the newest 2 x `windowTicks`.
   */
  readRemote(tick: number, out: Uint32Array, begin = 0): boolean {
    return this.#copy(this.#remote, tick, out, begin);
  }

  /**
   * Writes a packet to the beginning of `out` and returns its length. It carries the inputs that
   * are not acknowledged, the oldest of them where `out` is shorter than {@link maxPacketBytes},
   * and always an acknowledgement. Throws VALUE_INVALID where not even that fits.
   */
  encode(out: Uint8Array): number {
    const wordsPerTick = this.#wordsPerTick;
    const room = Math.floor((out.length - PACKET_OVERHEAD_BYTES) / (4 * wordsPerTick));
    if (room < 0) {
      throw new EscapementError('VALUE_INVALID', 'A packet of inputs does not fit.', {
        given: `${out.length} bytes`,
        allowed: `${PACKET_OVERHEAD_BYTES} or more; ${this.maxPacketBytes} for the longest`,
        fix: 'Make the buffer once, with `maxPacketBytes`.',
      });
    }
    const ring = this.#local;
    const firstTick = this.ackedTick;
    const count = Math.min(ring.next - firstTick, room);
    for (let index = 0; index < count; index++) {
      writeInput(out, index, ring.words, ring.at(firstTick + index), wordsPerTick);
    }
    return sealPacket(out, wordsPerTick, count, this.#match, this.remoteTick, firstTick);
  }

  /** Takes in a packet that came from the other end, whatever it holds. Never throws for bytes. */
  decode(bytes: Uint8Array): InputPacketStatus {
    const packet = this.#packet;
    const wordsPerTick = this.#wordsPerTick;
    const form = packet.read(bytes, wordsPerTick);
    if (form !== 'ok') return form;
    if (packet.match !== this.#match) return 'other-match';
    const { count, firstTick, ackTick } = packet;
    const ring = this.#remote;
    if (count > this.#windowTicks || firstTick + count > TICK_MAX) return 'out-of-range';
    if (firstTick > ring.next || ackTick > this.#local.next) return 'out-of-range';
    if (firstTick < this.#firstTick || ackTick < this.#firstTick) return 'out-of-range';
    for (let index = 0; index < count; index++) {
      const tick = firstTick + index;
      if (!ring.has(tick)) continue;
      if (!isSameInput(bytes, index, ring.words, ring.at(tick), wordsPerTick)) return 'conflict';
    }
    let isNew = false;
    for (let index = Math.max(0, ring.next - firstTick); index < count; index++) {
      readInput(bytes, index, ring.words, ring.at(ring.next), wordsPerTick);
      ring.advance();
      isNew = true;
    }
    if (ackTick > this.ackedTick) {
      this.#acked[0] = ackTick;
      isNew = true;
    }
    return isNew ? 'new' : 'old';
  }

  #copy(ring: InputRing, tick: number, out: Uint32Array, begin: number): boolean {
    this.#checkWords(out, begin);
    if (!ring.has(tick) || !Number.isInteger(tick)) return false;
    const at = ring.at(tick);
    for (let word = 0; word < this.#wordsPerTick; word++) {
      out[begin + word] = ring.words[at + word] as number;
    }
    return true;
  }

  #checkWords(words: Uint32Array, begin: number): void {
    const isInside =
      Number.isSafeInteger(begin) && begin >= 0 && begin + this.#wordsPerTick <= words.length;
    if (words instanceof Uint32Array && isInside) return;
    const count = words instanceof Uint32Array ? words.length : 'no';
    throw new EscapementError('VALUE_INVALID', 'The words of an input do not lie in the view.', {
      given: `offset ${String(begin)} in ${count} words`,
      allowed: `a Uint32Array with ${this.#wordsPerTick} words from the offset on`,
      fix: 'Make it with `wordsPerTick` words.',
    });
  }
}

function checkWhole(name: string, value: number, low: number, high: number): number {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return value;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` of an input channel is out of range.`, {
    given: String(value),
    allowed: `a whole number from ${low} to ${high}`,
    fix: 'Give both ends the same options.',
  });
}
