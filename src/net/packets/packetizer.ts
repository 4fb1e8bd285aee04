import { checkBytes } from '../argument-checks.ts';
import { NetError } from '../net-error.ts';
import { checkGroupId } from './group-id.ts';
import { writePacketHeader } from './packet-header.ts';
import {
  PACKET_HEADER_BYTES,
  type PacketOptions,
  type PacketSettings,
  resolvePackets,
} from './packet-options.ts';

/** What {@link Packetizer.prepare} came to: only `prepared` leaves packets. */
export type PrepareStatus =
  | 'prepared'
  | 'group-id-zero'
  | 'group-size-out-of-bounds'
  | 'raw-payload-too-large';

/** Views of last packets that are kept at most, one for each length that came. */
const LAST_VIEWS_MAX = 4096;

/** How much longer than its group a source may be to be copied as a whole. */
const COPY_SURPLUS_MAX = 8;

const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Cuts groups of bytes, such as encoded updates, into packets of a bounded length. It keeps nothing
 * from group to group but memory, so one serves all clients of a thread. Once warm it allocates
 * nothing.
 */
export class Packetizer {
  readonly #settings: PacketSettings;
  /**
   * The last packet stands in front, where its view depends on nothing but its length; the full
   * ones follow in order.
   */
  #buffer: Uint8Array = NOTHING;
  #fullViews: Uint8Array[] = [];
  readonly #lastViews: Map<number, Uint8Array> = new Map();
  #lastBytes = 0;
  #packetCount = 0;
  #groupBytes = 0;
  #headerBytes = 0;

  /** Throws a `NetError` with code OPTION_INVALID whose `fault` names the broken rule. */
  constructor(options: PacketOptions = {}) {
    this.#settings = resolvePackets(options);
  }

  /** Packets of the group prepared last; 0 if it was refused. */
  get packetCount(): number {
    return this.#packetCount;
  }

  /** Bytes of the group prepared last; 0 if it was refused for its id or by the group limit. */
  get groupBytes(): number {
    return this.#groupBytes;
  }

  /** Bytes of all headers of the group prepared last; 0 if it was refused. */
  get headerBytes(): number {
    return this.#headerBytes;
  }

  /** Bytes of all packets of the group prepared last; 0 if it was refused. */
  get packetBytes(): number {
    return this.#packetCount === 0 ? 0 : this.#groupBytes + this.#headerBytes;
  }

  /**
   * Copies the first `length` of `bytes` into packets, in place of those prepared before. `groupId`
   * is the sequence of the update, 1 to 2^32 - 1; the receiver expects it to grow. Throws
   * VALUE_INVALID for an id or a length that is no number of theirs.
   */
  prepare(groupId: number, bytes: Uint8Array, length: number = bytes.length): PrepareStatus {
    checkBytes(bytes);
    checkGroupId(groupId);
    checkLength(length, bytes);
    const { enabled, maxPayloadBytes, maxGroupBytes } = this.#settings;
    this.#packetCount = 0;
    this.#headerBytes = 0;
    this.#groupBytes = 0;
    if (groupId === 0) return 'group-id-zero';
    if (length === 0 || length > maxGroupBytes) return 'group-size-out-of-bounds';
    this.#groupBytes = length;
    if (enabled) this.#cut(groupId, bytes, length, maxPayloadBytes - PACKET_HEADER_BYTES);
    else if (length > maxPayloadBytes) return 'raw-payload-too-large';
    else {
      const copied = copiedBytes(bytes, length);
      this.#reserve(copied);
      copy(bytes, copied, this.#buffer, 0);
      this.#packetCount = 1;
      this.#lastBytes = length;
    }
    return 'prepared';
  }

  /**
   * Returns a packet of the group prepared last, from 0. It is a view of reused memory: good until
   * the next `prepare`. Throws VALUE_INVALID where there is no such packet.
   */
  packetAt(index: number): Uint8Array {
    const last = this.#packetCount - 1;
    if (!(Number.isInteger(index) && index >= 0 && index <= last)) {
      throw new NetError('VALUE_INVALID', 'packet-index-range', 'There is no such packet.', {
        given: String(index),
        allowed: last < 0 ? 'none: no group is prepared' : `0 to ${last}`,
        fix: 'Count from 0 to packetCount - 1.',
      });
    }
    return index === last ? this.#lastView() : this.#fullView(index);
  }

  #cut(groupId: number, bytes: Uint8Array, length: number, capacity: number): void {
    const count = Math.ceil(length / capacity);
    const last = count - 1;
    const lastBytes = length - last * capacity;
    // Where all of the group is put first, so that it is closed up against the end: each chunk
    // moves towards the front, on to bytes that are read already.
    const stride = PACKET_HEADER_BYTES + capacity;
    const begin = last === 0 ? PACKET_HEADER_BYTES : stride + last * PACKET_HEADER_BYTES;
    const copied = copiedBytes(bytes, length);
    this.#reserve(begin + copied);
    const buffer = this.#buffer;
    copy(bytes, copied, buffer, begin);
    for (let chunk = 0; chunk < last; chunk++) {
      const at = (chunk + 1) * stride;
      const from = begin + chunk * capacity;
      buffer.copyWithin(at + PACKET_HEADER_BYTES, from, from + capacity);
      writePacketHeader(buffer, at, groupId, chunk, count, length, capacity);
    }
    if (last > 0) buffer.copyWithin(PACKET_HEADER_BYTES, begin + last * capacity, begin + length);
    writePacketHeader(buffer, 0, groupId, last, count, length, lastBytes);
    this.#packetCount = count;
    this.#headerBytes = count * PACKET_HEADER_BYTES;
    this.#lastBytes = PACKET_HEADER_BYTES + lastBytes;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    this.#buffer = new Uint8Array(Math.max(bytes, 2 * this.#buffer.length));
    this.#fullViews = [];
    this.#lastViews.clear();
  }

  #fullView(index: number): Uint8Array {
    const known = this.#fullViews[index];
    if (known !== undefined) return known;
    const stride = this.#settings.maxPayloadBytes;
    for (let next = this.#fullViews.length; next <= index; next++) {
      this.#fullViews.push(this.#buffer.subarray((next + 1) * stride, (next + 2) * stride));
    }
    return this.#fullViews[index] as Uint8Array;
  }

  #lastView(): Uint8Array {
    const known = this.#lastViews.get(this.#lastBytes);
    if (known !== undefined) return known;
    if (this.#lastViews.size === LAST_VIEWS_MAX) this.#lastViews.clear();
    const view = this.#buffer.subarray(0, this.#lastBytes);
    this.#lastViews.set(this.#lastBytes, view);
    return view;
  }
}

/**
 * Says how many bytes to copy for the first `length` of a source: all of it, which `set` does at
 * once, unless most of that would be for nothing.
 */
function copiedBytes(bytes: Uint8Array, length: number): number {
  return bytes.length <= COPY_SURPLUS_MAX * length ? bytes.length : length;
}

/** A part of a source is copied byte by byte: `set` would need a view of it, an object a group. */
function copy(bytes: Uint8Array, length: number, into: Uint8Array, at: number): void {
  if (length === bytes.length) into.set(bytes, at);
  else for (let i = 0; i < length; i++) into[at + i] = bytes[i] as number;
}

function checkLength(length: number, bytes: Uint8Array): void {
  if (Number.isInteger(length) && length >= 0 && length <= bytes.length) return;
  throw new NetError('VALUE_INVALID', 'group-length-range', 'A group is not that long.', {
    given: String(length),
    allowed: `0 to ${bytes.length}, the bytes given`,
    fix: 'Leave it out for all of them.',
  });
}
