import { expect, test } from 'vitest';
import { type IncompleteGroup, Packetizer, Reassembler } from '../../../src/net/index.ts';
import { Random, STATE_WORDS } from '../../../src/shared/math/random.ts';
import { scaled } from '../../scaled.ts';

const packets = scaled({ tiny: 20_000, normal: 300_000, full: 10_000_000 });
const seed = Number(process.env.FUZZ_SEED ?? 20_241);

const limits = {
  maxPayloadBytes: 60,
  maxGroupBytes: 2000,
  maxChunks: 100,
  maxGroupsInFlight: 4,
  maxIncompleteBytes: 3000,
  timeoutMs: 200,
};

/** Offsets and widths of a header's members. */
const MEMBERS = [
  [0, 4],
  [4, 2],
  [6, 2],
  [8, 1],
  [9, 4],
  [13, 2],
  [15, 2],
  [17, 4],
  [21, 4],
] as const;

const EXTREMES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff];

/** A sender whose packets are altered on the way, by somebody who knows the format. */
class Forger {
  readonly #random: Random;
  readonly #packetizer = new Packetizer(limits);
  readonly #group = new Uint8Array(limits.maxGroupBytes);
  readonly #buffer = new Uint8Array(400);
  readonly #offset = 13;
  #id = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The newest group that was sent. */
  get groupId(): number {
    return this.#id;
  }

  below(end: number): number {
    return this.#random.nextRange(0, end);
  }

  /** Returns the next packet, a view within a longer buffer. */
  next(): Uint8Array {
    if (this.#id === 0 || this.below(12) === 0) this.#prepare();
    const packet = this.#packetizer.packetAt(this.below(this.#packetizer.packetCount));
    this.#buffer.set(packet, this.#offset);
    let length = packet.length;
    for (let changes = this.below(4) === 0 ? 1 + this.below(3) : 0; changes > 0; changes--) {
      length = this.#change(length);
    }
    return this.#buffer.subarray(this.#offset, this.#offset + length);
  }

  #prepare(): void {
    this.#id += 1 + this.below(2);
    const length = 1 + (this.below(3) === 0 ? this.below(limits.maxGroupBytes) : this.below(300));
    for (let i = 0; i < length; i++) this.#group[i] = this.#id + i;
    this.#packetizer.prepare(this.#id, this.#group, length);
  }

  #change(length: number): number {
    const at = this.#offset + this.below(Math.max(1, length));
    switch (this.below(6)) {
      case 0:
        this.#buffer[at] = (this.#buffer[at] as number) ^ (1 << this.below(8));
        return length;
      case 1:
        this.#buffer[at] = this.below(256);
        return length;
      case 2:
        return this.below(length + 1);
      case 3:
        return Math.min(length + 1 + this.below(40), 300);
      case 4:
        this.#setMember(EXTREMES[this.below(EXTREMES.length)] as number, false);
        return length;
      default:
        this.#setMember(this.below(9) - 4, true);
        return length;
    }
  }

  #setMember(value: number, isAdded: boolean): void {
    const [at, width] = MEMBERS[this.below(MEMBERS.length)] ?? [0, 4];
    let carried = value;
    for (let i = width - 1; i >= 0; i--) {
      const place = this.#offset + at + i;
      const sum = (isAdded ? (this.#buffer[place] as number) : 0) + (carried & 0xff);
      this.#buffer[place] = sum;
      carried = (carried >> 8) + (isAdded ? sum >> 8 : 0);
    }
  }
}

/** Says whether the groups are the same, but for the one that a refused packet named. */
function isSameBut(
  groupId: number,
  before: readonly IncompleteGroup[],
  after: readonly IncompleteGroup[],
): boolean {
  let at = 0;
  for (const was of before) {
    if (was.groupId === groupId) {
      if (after[at]?.groupId === groupId) at++;
      continue;
    }
    const is = after[at++];
    if (is === undefined || is.groupId !== was.groupId || is.received !== was.received)
      return false;
    if (is.firstMs !== was.firstMs || is.bytes !== was.bytes) return false;
  }
  return at === after.length;
}

test('packets altered at will are refused by a status, and touch nothing else', () => {
  process.stdout.write(`packet fuzz: FUZZ_SEED=${seed}, ${packets} packets\n`);
  const forger = new Forger(Random.seed(new Uint32Array(STATE_WORDS), 0, 0, seed, 0));
  const reassembler = new Reassembler(limits);
  const seen = new Map<string, number>();
  let broken = 0;
  for (let n = 0; n < packets; n++) {
    const nowMs = n * 2;
    const packet = forger.next();
    reassembler.expire(nowMs);
    const before = reassembler.incompleteGroups();
    const committed = reassembler.committedGroupId;
    const status = reassembler.accept(packet, nowMs);
    const kind = `${status} ${reassembler.fault}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const { groupId } = reassembler;
    if (status !== 'complete' && status !== 'incomplete') {
      if (!isSameBut(groupId, before, reassembler.incompleteGroups())) broken++;
    }
    if (status !== 'complete') {
      if (committed !== reassembler.committedGroupId || reassembler.completedBytes > 0) broken++;
    }
    const stats = reassembler.stats();
    if (stats.bufferBytes > stats.maxBufferBytes || stats.incompleteGroups > 4) broken++;
    if (stats.incompleteBytes > limits.maxIncompleteBytes) broken++;
    if (reassembler.completedBytes > limits.maxGroupBytes) broken++;
    if (status === 'complete' && forger.below(2) === 0 && groupId <= forger.groupId) {
      reassembler.commit(groupId);
    }
  }
  expect(broken).toBe(0);
  expect([...seen.keys()].toSorted()).toEqual([
    'complete none',
    'duplicate none',
    'incomplete none',
    'invalid chunk-count-inconsistent',
    'invalid chunk-size-inconsistent',
    'invalid duplicate-conflict',
    'invalid metadata-conflict',
    'invalid packet-fields-out-of-bounds',
    'invalid packet-identity-invalid',
    'invalid packet-too-short',
    'limit-exceeded resource-limit',
    'stale none',
  ]);
});
