import { describe, expect, it } from 'vitest';
import { readReplay } from '../../../src/shared/replay/replay-reader.ts';
import { RECORD_TYPE } from '../../../src/shared/replay/format.ts';
import type { ReplayHeader } from '../../../src/shared/replay/replay.ts';
import { shapeOf } from '../../../src/shared/replay/header.ts';
import { bytesLeft } from '../../heap-growth.ts';
import {
  contentsOf,
  fileOf,
  HEADER,
  headerRecord,
  type RecordParts,
  recordsOf,
  refusalOf,
  repairChecksums,
  SCHEMA,
  writeStage,
} from './replay-stage.ts';

const utf8 = new TextEncoder();
const FIRST = headerRecord(HEADER);

/** The fixed part of a chunk, then bytes. */
function chunk(
  after: number,
  through: number,
  inputs: number,
  hashes: number,
  ...rest: number[]
): RecordParts {
  const payload = new Uint8Array(24 + rest.length);
  const view = new DataView(payload.buffer);
  view.setBigUint64(0, BigInt(after), true);
  view.setBigUint64(8, BigInt(through), true);
  view.setUint32(16, inputs, true);
  view.setUint32(20, hashes, true);
  payload.set(rest, 24);
  return [RECORD_TYPE.chunk, 0, payload];
}

const { worldBytes, stateWords } = shapeOf(SCHEMA);

/** A keyframe with as many bytes of state as are given. */
function keyframe(
  tick: number,
  flags: number,
  stored: number,
  sizes: readonly [number, number, number] = [worldBytes, stateWords, 0],
): RecordParts {
  const payload = new Uint8Array(24 + stored);
  const view = new DataView(payload.buffer);
  view.setBigUint64(0, BigInt(tick), true);
  sizes.forEach((size, index) => view.setUint32(8 + 4 * index, size, true));
  return [RECORD_TYPE.keyframe, flags, payload];
}

const whyOf = (...records: RecordParts[]): string | undefined =>
  readReplay(fileOf(FIRST, ...records)).truncated?.why;

describe('a file without a whole header', () => {
  it('is refused, wherever it is cut off', async () => {
    const bytes = await writeStage();
    const headerEnd = recordsOf(bytes)[0]?.end ?? 0;
    expect(refusalOf(bytes.subarray(0, headerEnd))).toBe(undefined);
    for (let length = 0; length < headerEnd; length++) {
      expect(refusalOf(bytes.subarray(0, length))).toContain('REPLAY_INVALID');
    }
    expect(refusalOf(bytes.subarray(0, 12))).toBe(
      'REPLAY_INVALID: This replay file ends before its header. 12 bytes | ' +
        'at least 16 bytes and a header',
    );
    expect(refusalOf(bytes.subarray(0, 40))).toContain('the record is cut off: 24 of');
  });

  it('is refused if any byte of it is another', async () => {
    const bytes = await writeStage();
    const headerEnd = recordsOf(bytes)[0]?.end ?? 0;
    for (let at = 0; at < headerEnd; at++) {
      const other = bytes.slice(0, headerEnd);
      other[at] = (other[at] as number) ^ 0x10;
      expect(refusalOf(other)).toContain('REPLAY_INVALID');
    }
  });

  it('says what it is instead', () => {
    expect(refusalOf(utf8.encode('PK'))).toBe(
      'REPLAY_INVALID: This is no replay file. a file that begins with 50 4b | ' +
        'one that begins with 89 45 53 43 52 50 0d 0a',
    );
    const newer = fileOf(FIRST);
    newer[8] = 2;
    expect(refusalOf(newer)).toBe(
      'REPLAY_INVALID: This replay file is of a version that is not known here. ' +
        'version 2 | version 1',
    );
    expect(refusalOf(fileOf(chunk(0, 1, 0, 0)))).toContain('a record of type 2 and flags 0');
    expect(refusalOf(fileOf([1, 4, FIRST[2]]))).toContain('a record of type 1 and flags 4');
  });
});

describe('a record that is not what it should be', () => {
  it('is the first that does not count, at every byte where a file is cut off', async () => {
    const bytes = await writeStage();
    const records = recordsOf(bytes);
    const headerEnd = records[0]?.end ?? 0;
    for (let length = headerEnd; length < bytes.length; length++) {
      const replay = readReplay(bytes.subarray(0, length));
      const whole = records.filter(({ end }) => end <= length);
      const offset = whole.at(-1)?.end ?? 0;
      expect([replay.end, replay.truncated?.offset]).toEqual([undefined, offset]);
      expect(replay.lastTick).toBe(10 * whole.filter(({ type }) => type === 2).length);
    }
  });

  it('is the first that does not count, wherever a byte is another', async () => {
    const bytes = await writeStage();
    for (const { begin, end } of recordsOf(bytes).slice(1)) {
      for (let at = begin; at < end; at++) {
        const other = bytes.slice();
        other[at] = (other[at] as number) ^ 0x01;
        expect(readReplay(other).truncated?.offset).toBe(begin);
      }
    }
  });

  it('is refused as a chunk', () => {
    const input = 'an input of a chunk is cut off, out of order or out of range';
    const hash = 'a hash of a chunk is cut off, out of order or out of range';
    const eight = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(whyOf([2, 0, new Uint8Array(23)])).toBe('a chunk is shorter than its fixed part');
    expect(whyOf([2, 1, chunk(0, 1, 0, 0)[2]])).toContain('flags that version 1 does not know');
    expect(whyOf(chunk(1, 2, 0, 0))).toContain('does not continue');
    expect(whyOf(chunk(0, 0, 0, 0))).toBe('a chunk does not go forward');
    expect(whyOf(chunk(0, 2 ** 54, 0, 0))).toBe('a chunk does not go forward');
    expect(whyOf(chunk(0, 9, 1, 0, 0, 2))).toBe(input);
    expect(whyOf(chunk(0, 9, 1, 0, 10, 2))).toBe(input);
    expect(whyOf(chunk(0, 9, 2, 0, 5, 2))).toBe(input);
    expect(whyOf(chunk(0, 9, 0xffff_ffff, 0))).toBe(input);
    expect(whyOf(chunk(0, 9, 1, 0, 0x85, 0, 2))).toBe(input);
    expect(whyOf(chunk(0, 9, 1, 0, 5, 3))).toBe('an input of a chunk is none of the schema');
    expect(whyOf(chunk(0, 9, 1, 0, 5, 1, 0, 0, 0))).toContain('words of an input');
    expect(whyOf(chunk(0, 9, 0, 2, 3, ...eight, 0, ...eight))).toBe(hash);
    expect(whyOf(chunk(0, 9, 0, 1, 10, ...eight))).toBe(hash);
    expect(whyOf(chunk(0, 9, 0, 1, 5, ...eight.slice(1)))).toBe(hash);
    expect(whyOf(chunk(0, 9, 0, 2, 5, ...eight, 0, ...eight))).toBe(hash);
    expect(whyOf(chunk(0, 9, 0, 0xffff_ffff))).toBe(hash);
    expect(whyOf(chunk(0, 9, 0, 0, 1))).toContain('more than its inputs and hashes');
    const half = readReplay(fileOf(FIRST, chunk(0, 9, 0, 2, 5, ...eight, 0, ...eight)));
    expect([half.hashCount, half.lastTick]).toEqual([0, 0]);
  });

  it('is refused as a keyframe', () => {
    const raw = worldBytes + 4 * stateWords;
    const size = 'of another size than the schema';
    expect(whyOf([3, 0, new Uint8Array(23)])).toContain('shorter than its fixed part');
    expect(whyOf(keyframe(0, 4, raw))).toContain('flags that version 1 does not know');
    expect(whyOf(keyframe(2 ** 53, 0, raw))).toBe('a keyframe has no tick');
    expect(whyOf(keyframe(0, 0, raw, [worldBytes + 1, stateWords, 0]))).toContain(size);
    expect(whyOf(keyframe(0, 0, raw, [worldBytes, stateWords + 1, 0]))).toContain(size);
    expect(whyOf(keyframe(0, 0, raw, [worldBytes, stateWords, 1]))).toContain('says it has none');
    expect(whyOf(keyframe(0, 0, raw - 1))).toContain('cannot become');
    expect(whyOf(keyframe(0, 1, raw))).toContain('cannot become');
    expect(whyOf(keyframe(0, 1, 0))).toContain('cannot become');
    // 4 GiB of foreign state in a few bytes: more than DEFLATE can make of them.
    const bomb = keyframe(0, 3, 1000, [worldBytes, stateWords, 0xffff_ffff]);
    expect(whyOf(bomb)).toContain('cannot become');
    const dirty = keyframe(0, 0, raw);
    dirty[2][20] = 1;
    expect(whyOf(dirty)).toContain('bits that version 1 does not know');
    expect(whyOf(keyframe(0, 0, raw), keyframe(0, 0, raw))).toContain('does not come after');
    const late = fileOf(headerRecord({ ...HEADER, firstTick: 5 }), keyframe(4, 0, raw));
    expect(readReplay(late).truncated?.why).toContain('does not come after');
  });

  it('is refused as another header, an unknown type, an end of another file', async () => {
    expect(whyOf(FIRST)).toBe('version 1 has no record of type 1 here');
    expect(whyOf([5, 0, new Uint8Array(0)])).toBe('version 1 has no record of type 5 here');
    const bytes = await writeStage();
    const end = recordsOf(bytes).at(-1)?.begin ?? 0;
    for (const at of [0, 8, 16, 24, 28, 32, 36]) {
      const other = bytes.slice();
      other[end + 8 + at] = 77;
      const replay = readReplay(repairChecksums(other));
      expect([replay.end, replay.truncated?.offset, replay.lastTick]).toEqual([undefined, end, 40]);
    }
    const reserved = bytes.slice();
    reserved[end + 2] = 1;
    expect(readReplay(repairChecksums(reserved)).truncated?.why).toContain('has bits');
    const longer = readReplay(new Uint8Array([...bytes, 0]));
    expect([longer.end?.reason, longer.truncated]).toEqual([
      'stopped',
      { offset: bytes.length, why: 'bytes follow the last record' },
    ]);
  });

  it('is passed over if its type says that it may be', () => {
    const replay = readReplay(
      fileOf(FIRST, [200, 9, utf8.encode('later')], chunk(0, 7, 1, 0, 5, 2)),
    );
    expect([replay.lastTick, replay.inputCount]).toEqual([7, 1]);
  });
});

describe('what is read', () => {
  it('leaves out keyframes whose inputs are lost', () => {
    const raw = worldBytes + 4 * stateWords;
    const replay = readReplay(
      fileOf(FIRST, keyframe(3, 0, raw), keyframe(9, 0, raw), chunk(0, 5, 0, 0)),
    );
    expect(replay.keyframes.map(({ tick }) => tick)).toEqual([3]);
    expect(replay.loadKeyframe(0).world.length).toBe(worldBytes);
  });

  it('refuses a keyframe whose state does not inflate, and loads the others', () => {
    const raw = worldBytes + 4 * stateWords;
    const replay = readReplay(
      fileOf(FIRST, keyframe(1, 0, raw), keyframe(2, 1, 99), chunk(0, 2, 0, 0)),
    );
    expect(replay.loadKeyframe(0).tick).toBe(1);
    expect(() => replay.loadKeyframe(1)).toThrow(
      `REPLAY_INVALID: The keyframe of tick 2 cannot be loaded. Given: 99 bytes that do not ` +
        `inflate to ${raw}.`,
    );
    for (const k of [-1, 2, 0.5, Number.NaN]) {
      expect(() => replay.loadKeyframe(k)).toThrow('VALUE_INVALID');
      expect(() => replay.hashAt(k)).toThrow('VALUE_INVALID');
    }
  });

  it('has no inputs and hashes at ticks that are none of it', async () => {
    const replay = readReplay(await writeStage());
    const out = new Uint32Array(2);
    for (const tick of [-1, 0, 41, 2.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(replay.inputsOf(tick, () => expect.fail('no input'))).toBe(0);
      expect(replay.findHash(tick, out)).toBe(false);
    }
  });

  it('is found in any order, from within a visit, and after one that threw', async () => {
    const replay = readReplay(await writeStage());
    const ascending = contentsOf(replay).inputs;
    const seen: number[][] = [];
    replay.inputsOf(5, (input, words) => {
      seen.push([5, input, words[0] as number]);
      replay.inputsOf(25, (other, source) => void seen.push([25, other, source[0] as number]));
    });
    const inner = '25 0 25, 25 1 25000000';
    const text = seen.map((entry) => entry.join(' ')).join(', ');
    expect(text).toBe(`5 0 5, ${inner}, 5 1 5000000, ${inner}`);
    const thrown = new Error('mine');
    expect(() =>
      replay.inputsOf(5, () => {
        throw thrown;
      }),
    ).toThrow(thrown);
    expect(replay.inputsOf(5, () => {})).toBe(2);
    expect(replay.inputsOf(5, () => {})).toBe(2);
    expect(contentsOf(replay).inputs).toEqual(ascending);
  });

  it('leaves nothing on the heap as inputs and hashes are looked for', async () => {
    const replay = readReplay(await writeStage());
    const out = new Uint32Array(2);
    let sum = 0;
    const visit = (input: number): void => {
      sum = (sum + input) | 0;
    };
    let tick = 0;
    const left = bytesLeft(1000, () => {
      tick = (tick % 40) + 1;
      replay.inputsOf(tick, visit);
      replay.findHash(tick, out);
    });
    expect([left, sum > 0]).toEqual([0, true]);
  });

  it('takes no more than four times the memory of its file, however small its records', () => {
    const header: ReplayHeader = {
      ...HEADER,
      schema: { ...SCHEMA, capacity: 0, components: [], inputs: [], changes: false },
    };
    const count = 40_000;
    const hashes = new Uint8Array(9 * count).map((_, at) => (at % 9 === 0 ? 1 : at));
    const hashChunk = Buffer.concat([chunk(0, count, 0, count)[2], hashes]);
    const small = shapeOf(header.schema).worldBytes;
    const files = [
      fileOf(
        headerRecord(header),
        ...Array.from({ length: count }, (_, k) => chunk(k, k + 1, 0, 0)),
      ),
      fileOf(headerRecord(header), [RECORD_TYPE.chunk, 0, hashChunk]),
      fileOf(
        headerRecord(header),
        ...Array.from({ length: count }, (_, k) => keyframe(2 ** 40 + k, 1, 1, [small, 0, 0])),
        chunk(0, 2 ** 50, 0, 0),
      ),
    ];
    const collect = (globalThis as { gc?: () => void }).gc as () => void;
    for (const bytes of files) {
      // Once before, so that what the engine itself takes for the code is not counted.
      readReplay(bytes);
      collect();
      const before = process.memoryUsage();
      const replay = readReplay(bytes);
      const after = process.memoryUsage();
      expect([replay.truncated?.offset, replay.byteLength]).toEqual([bytes.length, bytes.length]);
      const taken = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      expect(taken).toBeLessThan(4 * bytes.length + 2 ** 20);
    }
  });
});
