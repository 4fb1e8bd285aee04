import type { PacketFault, ReassemblyStatus } from '../../../src/net/index.ts';

/** Limits of a model: all of them, and times in any unit. */
export interface Limits {
  readonly maxPayloadBytes: number;
  readonly maxGroupBytes: number;
  readonly maxChunks: number;
  readonly maxGroupsInFlight: number;
  readonly maxIncompleteBytes: number;
  readonly timeoutMs: number;
}

/** What a packet came to. */
export interface Outcome {
  readonly status: ReassemblyStatus;
  readonly fault: PacketFault;
  readonly groupId: number;
  /** Numbers of the whole group, where it is whole now. */
  readonly completed: readonly number[];
}

interface Part {
  readonly id: number;
  readonly bytes: number;
  readonly count: number;
  readonly first: number;
  readonly chunks: Map<number, readonly number[]>;
}

/** A receiver that is slow and plain: parts in a list, each with its chunks as lists of numbers. */
export class ReassemblyModel {
  committed = 0;
  parts: Part[] = [];
  readonly counts = { received: 0, unique: 0, duplicate: 0, completed: 0, latest: 0 };
  readonly refusals = { expired: 0, invalid: 0, stale: 0, limit: 0 };
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  expire(now: number): void {
    const kept = this.parts.filter((part) => now - part.first < this.#limits.timeoutMs);
    this.refusals.expired += this.parts.length - kept.length;
    this.parts = kept;
  }

  commit(id: number): void {
    if (id <= this.committed) return;
    this.committed = id;
    this.parts = this.parts.filter((part) => part.id >= id);
  }

  clear(): void {
    this.committed = 0;
    this.parts = [];
    Object.assign(this.counts, { received: 0, unique: 0, duplicate: 0, completed: 0, latest: 0 });
    Object.assign(this.refusals, { expired: 0, invalid: 0, stale: 0, limit: 0 });
  }

  accept(packet: Uint8Array, now: number): Outcome {
    this.counts.received++;
    this.expire(now);
    if (packet.length < 25) return this.#refuse('packet-too-short', 0);
    const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
    const isOurs = view.getUint32(0) === 0x534e504b && view.getUint32(4) === 0x0001_0001;
    if (!isOurs || view.getUint8(8) !== 1) return this.#refuse('packet-identity-invalid', 0);
    const id = view.getUint32(9);
    const chunk = view.getUint16(13);
    const count = view.getUint16(15);
    const bytes = view.getUint32(17);
    const payload = [...packet.subarray(25)];
    const { maxPayloadBytes, maxGroupBytes, maxChunks } = this.#limits;
    const isInBounds = [
      id > 0,
      bytes > 0 && bytes <= maxGroupBytes,
      count > 0 && count <= maxChunks,
      chunk < count,
      view.getUint32(21) === payload.length,
      packet.length <= maxPayloadBytes,
    ];
    if (isInBounds.includes(false)) return this.#refuse('packet-fields-out-of-bounds', id);
    if (id <= this.committed) {
      this.refusals.stale++;
      return { status: 'stale', fault: 'none', groupId: id, completed: [] };
    }
    const sizes = sizesOf(bytes, maxPayloadBytes - 25);
    if (count !== sizes.length) return this.#refuse('chunk-count-inconsistent', id);
    if (payload.length !== sizes[chunk]) return this.#refuse('chunk-size-inconsistent', id);
    return this.#take({ id, bytes, count, first: now, chunks: new Map() }, chunk, payload);
  }

  #take(fresh: Part, chunk: number, payload: readonly number[]): Outcome {
    const { id } = fresh;
    const known = this.parts.find((part) => part.id === id);
    const { maxGroupsInFlight, maxIncompleteBytes } = this.#limits;
    if (known === undefined) {
      const held = this.parts.reduce((sum, part) => sum + part.bytes, fresh.bytes);
      if (this.parts.length === maxGroupsInFlight || held > maxIncompleteBytes) {
        this.refusals.limit++;
        return { status: 'limit-exceeded', fault: 'resource-limit', groupId: id, completed: [] };
      }
      this.parts.push(fresh);
    }
    const part = known ?? fresh;
    if (part.bytes !== fresh.bytes) return this.#refuse('metadata-conflict', id);
    const here = part.chunks.get(chunk);
    if (here !== undefined) {
      if (here.join() !== payload.join()) return this.#refuse('duplicate-conflict', id);
      this.counts.duplicate++;
      return { status: 'duplicate', fault: 'none', groupId: id, completed: [] };
    }
    part.chunks.set(chunk, payload);
    this.counts.unique++;
    if (part.chunks.size < part.count) {
      return { status: 'incomplete', fault: 'none', groupId: id, completed: [] };
    }
    this.parts = this.parts.filter((other) => other !== part);
    this.counts.completed++;
    this.counts.latest = part.bytes;
    const order = [...part.chunks.keys()].toSorted((a, b) => a - b);
    const completed = order.flatMap((index) => part.chunks.get(index) ?? []);
    return { status: 'complete', fault: 'none', groupId: id, completed };
  }

  #refuse(fault: PacketFault, id: number): Outcome {
    this.parts = this.parts.filter((part) => part.id !== id);
    this.refusals.invalid++;
    return { status: 'invalid', fault, groupId: id, completed: [] };
  }
}

function sizesOf(bytes: number, capacity: number): number[] {
  const sizes: number[] = [];
  for (let left = bytes; left > 0; left -= capacity) sizes.push(Math.min(left, capacity));
  return sizes;
}
