import { checkBytes, checkTime } from '../argument-checks.ts';
import { checkGroupId } from './group-id.ts';
import { GroupSlots } from './group-slots.ts';
import { hasPacketIdentity, PacketHeader } from './packet-header.ts';
import {
  PACKET_HEADER_BYTES,
  type PacketOptions,
  type PacketSettings,
  resolvePackets,
} from './packet-options.ts';
import type { IncompleteGroup, ReassemblyStats } from './reassembly-stats.ts';

/**
 * What a packet came to. `incomplete`: taken, and others of its group are missing. `complete`: its
 * group is whole. `duplicate`: here already. `stale`: its group is not newer than the committed
 * one. `invalid`: refused; `fault` says why. `limit-exceeded`: it would open one group too many.
 */
export type ReassemblyStatus =
  | 'incomplete'
  | 'complete'
  | 'duplicate'
  | 'stale'
  | 'invalid'
  | 'limit-exceeded';

/** Why a packet was refused. */
export type PacketFault =
  | 'none'
  | 'packet-too-short'
  | 'packet-identity-invalid'
  | 'packet-fields-out-of-bounds'
  | 'chunk-count-inconsistent'
  | 'chunk-size-inconsistent'
  | 'metadata-conflict'
  | 'duplicate-conflict'
  | 'resource-limit'
  | 'raw-payload-out-of-bounds';

/** Places in `#ids`. */
const COMMITTED = 0;
const LATEST = 1;
const COMPLETED = 2;

/** Places in `#counts`. */
const RECEIVED = 0;
const UNIQUE = 1;
const DUPLICATE = 2;
const COMPLETE = 3;
const EXPIRED = 4;
const INVALID = 5;
const STALE = 6;
const LIMIT = 7;
const LATEST_BYTES = 8;
const COUNTS = 9;

const NO_SLOT = -1;
const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Puts groups of bytes together again from the packets of one sender, which may be lost, doubled,
 * late, altered or forged. It has no clock: every call says what time it is. What it holds is
 * bounded by its options, whatever comes, and once warm it allocates nothing.
 */
export class Reassembler {
  readonly #settings: PacketSettings;
  readonly #capacity: number;
  readonly #slots: GroupSlots;
  readonly #header: PacketHeader = new PacketHeader();
  /** Bytes that a header lies on for a moment while its packet is copied. */
  readonly #covered: Uint8Array = new Uint8Array(PACKET_HEADER_BYTES);
  /** Ids as u32: the committed group, the group of the last packet, the completed group. */
  readonly #ids: Uint32Array = new Uint32Array(3);
  readonly #counts: Float64Array = new Float64Array(COUNTS);
  #fault: PacketFault = 'none';
  #completedSlot = NO_SLOT;
  #completedBytes = 0;
  #completedChunks = 0;

  /** Throws a `NetError` with code OPTION_INVALID whose `fault` names the broken rule. */
  constructor(options: PacketOptions = {}) {
    this.#settings = resolvePackets(options);
    const { maxPayloadBytes, maxGroupsInFlight, maxChunks, maxIncompleteBytes } = this.#settings;
    this.#capacity = maxPayloadBytes - PACKET_HEADER_BYTES;
    // One slot more than groups in flight: the completed group keeps its own until the next packet.
    this.#slots = new GroupSlots(
      maxGroupsInFlight + 1,
      maxChunks,
      maxIncompleteBytes,
      PACKET_HEADER_BYTES,
    );
  }

  /** The newest group that was committed; 0 while none is. */
  get committedGroupId(): number {
    return this.#ids[COMMITTED] as number;
  }

  /** The group that the last packet named; 0 if its header could not be read, or it has none. */
  get groupId(): number {
    return this.#ids[LATEST] as number;
  }

  /** Why the last packet was refused; `none` if it was not. */
  get fault(): PacketFault {
    return this.#fault;
  }

  /** The group that the last packet completed; 0 if it completed none, or has no header. */
  get completedGroupId(): number {
    return this.#ids[COMPLETED] as number;
  }

  /** Bytes of the group that the last packet completed; 0 if it completed none. */
  get completedBytes(): number {
    return this.#completedBytes;
  }

  /** Packets that the completed group came in; 0 if there is none. */
  get completedChunks(): number {
    return this.#completedChunks;
  }

  /** Bytes of these packets, headers included; 0 if there is none. */
  get completedPacketBytes(): number {
    const headers = this.#settings.enabled ? this.#completedChunks * PACKET_HEADER_BYTES : 0;
    return this.#completedBytes + headers;
  }

  /**
   * Memory that begins with the bytes of the completed group: `completedBytes` of them count. Good
   * until the next `accept` or `clear`.
   */
  get completedBuffer(): Uint8Array {
    const slot = this.#completedSlot;
    return slot === NO_SLOT ? NOTHING : (this.#slots.buffers[slot] as Uint8Array);
  }

  /** Returns just the bytes of the completed group, by a view made anew; good for as long. */
  completed(): Uint8Array {
    return this.completedBuffer.subarray(0, this.#completedBytes);
  }

  /**
   * Takes a packet that came at `nowMs`, in milliseconds of a clock that only grows. Groups whose
   * time is up go first. The bytes are copied. Throws VALUE_INVALID for anything but bytes and a
   * finite time, and never for what the bytes hold.
   */
  accept(packet: Uint8Array, nowMs: number): ReassemblyStatus {
    checkBytes(packet);
    this.expire(nowMs);
    this.#releaseCompleted();
    this.#add(RECEIVED);
    this.#fault = 'none';
    this.#ids[LATEST] = 0;
    if (!this.#settings.enabled) return this.#acceptRaw(packet);
    if (packet.length < PACKET_HEADER_BYTES) return this.#refuse('packet-too-short');
    if (!hasPacketIdentity(packet)) return this.#refuse('packet-identity-invalid');
    const header = this.#header;
    header.read(packet);
    this.#ids[LATEST] = header.groupId;
    if (!this.#isInBounds(packet)) return this.#refuseGroup('packet-fields-out-of-bounds');
    if (header.groupId <= this.committedGroupId) {
      this.#add(STALE);
      return 'stale';
    }
    const { chunk, chunkCount, groupBytes } = header;
    const capacity = this.#capacity;
    if (chunkCount !== Math.ceil(groupBytes / capacity)) {
      return this.#refuseGroup('chunk-count-inconsistent');
    }
    if (header.chunkBytes !== Math.min(capacity, groupBytes - chunk * capacity)) {
      return this.#refuseGroup('chunk-size-inconsistent');
    }
    return this.#acceptChunk(packet, nowMs);
  }

  /**
   * Says that a group is applied: older ones are dropped, and their packets and its own are stale
   * from now on. Does nothing for one that is not newer than the committed one. Throws
   * VALUE_INVALID for anything but a u32.
   */
  commit(groupId: number): void {
    checkGroupId(groupId);
    if (groupId <= this.committedGroupId) return;
    this.#ids[COMMITTED] = groupId;
    const slots = this.#slots;
    for (let at = slots.count - 1; at >= 0; at--) {
      if ((slots.ids[slots.order[at] as number] as number) < groupId) this.#dropGroup(at);
    }
  }

  /**
   * Drops groups whose first packet came `timeoutMs` ago or earlier. `accept` does it as well.
   * While the clock is behind a first packet, that group stays. Throws VALUE_INVALID for a time
   * that is not finite.
   */
  expire(nowMs: number): void {
    checkTime(nowMs);
    const slots = this.#slots;
    const { timeoutMs } = this.#settings;
    for (let at = slots.count - 1; at >= 0; at--) {
      if (nowMs - (slots.firstMs[slots.order[at] as number] as number) < timeoutMs) continue;
      this.#dropGroup(at);
      this.#add(EXPIRED);
    }
  }

  /** Forgets everything, for a new sender: groups, the committed one, and all counts. */
  clear(): void {
    this.#releaseCompleted();
    for (let at = this.#slots.count - 1; at >= 0; at--) this.#dropGroup(at);
    this.#ids.fill(0);
    this.#counts.fill(0);
    this.#fault = 'none';
  }

  /** Returns what was counted since it was made or cleared. */
  stats(): ReassemblyStats {
    const counts = this.#counts;
    return {
      received: counts[RECEIVED] as number,
      unique: counts[UNIQUE] as number,
      duplicate: counts[DUPLICATE] as number,
      incompleteGroups: this.#slots.count,
      incompleteBytes: this.#slots.incompleteBytes,
      latestCompletedBytes: counts[LATEST_BYTES] as number,
      completed: counts[COMPLETE] as number,
      expired: counts[EXPIRED] as number,
      invalid: counts[INVALID] as number,
      stale: counts[STALE] as number,
      limitExceeded: counts[LIMIT] as number,
      bufferBytes: this.#slots.bufferBytes,
      maxBufferBytes: this.#slots.maxBufferBytes,
    };
  }

  /** Returns the groups of which a part is here, in the order of their first packets. */
  incompleteGroups(): IncompleteGroup[] {
    const { order, count, ids, bytes, chunks, received, firstMs } = this.#slots;
    return Array.from(order.subarray(0, count), (slot) => ({
      groupId: ids[slot] as number,
      bytes: bytes[slot] as number,
      chunks: chunks[slot] as number,
      received: received[slot] as number,
      firstMs: firstMs[slot] as number,
    }));
  }

  #isInBounds(packet: Uint8Array): boolean {
    const { groupId, groupBytes, chunk, chunkCount, chunkBytes } = this.#header;
    const { maxPayloadBytes, maxGroupBytes, maxChunks } = this.#settings;
    if (groupId === 0 || groupBytes === 0 || groupBytes > maxGroupBytes) return false;
    if (chunkCount === 0 || chunkCount > maxChunks || chunk >= chunkCount) return false;
    const { length } = packet;
    return chunkBytes === length - PACKET_HEADER_BYTES && length <= maxPayloadBytes;
  }

  /** Takes a packet whose header is right by itself. */
  #acceptChunk(packet: Uint8Array, nowMs: number): ReassemblyStatus {
    const slots = this.#slots;
    const { groupId, groupBytes, chunk, chunkCount } = this.#header;
    let at = slots.find(groupId);
    if (at < 0) {
      const { maxGroupsInFlight, maxIncompleteBytes } = this.#settings;
      const bytes = slots.incompleteBytes + groupBytes;
      if (slots.count >= maxGroupsInFlight || bytes > maxIncompleteBytes) {
        this.#add(LIMIT);
        this.#fault = 'resource-limit';
        return 'limit-exceeded';
      }
      slots.open(groupId, groupBytes, chunkCount, nowMs);
      at = slots.count - 1;
    }
    const slot = slots.order[at] as number;
    if (slots.bytes[slot] !== groupBytes) return this.#refuseGroup('metadata-conflict');
    const begin = chunk * this.#capacity;
    if (slots.has(slot, chunk)) {
      if (!this.#isSame(packet, slot, begin)) return this.#refuseGroup('duplicate-conflict');
      this.#add(DUPLICATE);
      return 'duplicate';
    }
    this.#copy(packet, slot, begin);
    slots.mark(slot, chunk);
    this.#add(UNIQUE);
    if (slots.received[slot] !== chunkCount) return 'incomplete';
    slots.remove(at);
    const buffer = slots.buffers[slot] as Uint8Array;
    buffer.copyWithin(0, PACKET_HEADER_BYTES, PACKET_HEADER_BYTES + groupBytes);
    this.#complete(slot, groupBytes, chunkCount);
    return 'complete';
  }

  #acceptRaw(packet: Uint8Array): ReassemblyStatus {
    const { length } = packet;
    const { maxPayloadBytes, maxGroupBytes } = this.#settings;
    if (length === 0 || length > maxPayloadBytes || length > maxGroupBytes) {
      return this.#refuse('raw-payload-out-of-bounds');
    }
    const slot = this.#slots.take(length);
    (this.#slots.buffers[slot] as Uint8Array).set(packet);
    this.#add(UNIQUE);
    this.#complete(slot, length, 1);
    return 'complete';
  }

  /**
   * Copies all of a packet, since a view of its payload would be one more object for each packet.
   * Its header comes to lie on the bytes before the payload, which are put back.
   */
  #copy(packet: Uint8Array, slot: number, begin: number): void {
    const buffer = this.#slots.buffers[slot] as Uint8Array;
    const covered = this.#covered;
    for (let i = 0; i < PACKET_HEADER_BYTES; i++) covered[i] = buffer[begin + i] as number;
    buffer.set(packet, begin);
    for (let i = 0; i < PACKET_HEADER_BYTES; i++) buffer[begin + i] = covered[i] as number;
  }

  #isSame(packet: Uint8Array, slot: number, begin: number): boolean {
    const buffer = this.#slots.buffers[slot] as Uint8Array;
    for (let i = PACKET_HEADER_BYTES; i < packet.length; i++) {
      if (buffer[begin + i] !== packet[i]) return false;
    }
    return true;
  }

  #complete(slot: number, bytes: number, chunks: number): void {
    this.#completedSlot = slot;
    this.#completedBytes = bytes;
    this.#completedChunks = chunks;
    this.#ids[COMPLETED] = this.#ids[LATEST] as number;
    this.#counts[LATEST_BYTES] = bytes;
    this.#add(COMPLETE);
  }

  #releaseCompleted(): void {
    if (this.#completedSlot === NO_SLOT) return;
    this.#slots.free(this.#completedSlot);
    this.#completedSlot = NO_SLOT;
    this.#completedBytes = 0;
    this.#completedChunks = 0;
    this.#ids[COMPLETED] = 0;
  }

  #refuse(fault: PacketFault): ReassemblyStatus {
    this.#fault = fault;
    this.#add(INVALID);
    return 'invalid';
  }

  /** Refuses a packet and drops what is here of the group that it names. */
  #refuseGroup(fault: PacketFault): ReassemblyStatus {
    const at = this.#slots.find(this.#header.groupId);
    if (at >= 0) this.#dropGroup(at);
    return this.#refuse(fault);
  }

  #dropGroup(at: number): void {
    this.#slots.free(this.#slots.remove(at));
  }

  #add(count: number): void {
    this.#counts[count] = (this.#counts[count] as number) + 1;
  }
}
