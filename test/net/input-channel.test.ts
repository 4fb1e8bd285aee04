import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLossyLink,
  InputChannel,
  type InputChannelOptions,
  type LinkConditions,
} from '../../src/net/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { anyConditions } from './link-model.ts';

const runs = { numRuns: scaled({ tiny: 60, normal: 300, full: 5000 }) };

/** The input of a player at a tick, as a test knows it. */
function inputOf(player: number, tick: number, words: number): Uint32Array {
  return Uint32Array.from({ length: words }, (_, word) =>
    Math.imul(tick + 1, 0x9e3779b1 + player + word),
  );
}

function encoded(channel: InputChannel): Uint8Array {
  const bytes = new Uint8Array(channel.maxPacketBytes);
  return bytes.subarray(0, channel.encode(bytes));
}

/** A channel to which `ticks` inputs of player 0 were added. */
function channelWith(ticks: number, options: InputChannelOptions): InputChannel {
  const channel = new InputChannel(options);
  for (let n = 0; n < ticks; n++) {
    channel.addLocal(inputOf(0, channel.localTick, options.wordsPerTick));
  }
  return channel;
}

/** Everything that a channel tells, so that two states can be compared. */
function stateOf(channel: InputChannel, words: number): unknown {
  const { localTick, ackedTick, remoteTick } = channel;
  const out = new Uint32Array(words);
  const remote = Array.from({ length: 300 }, (_, back) => {
    const tick = remoteTick - back;
    return channel.readRemote(tick, out) ? [tick, ...out] : [tick];
  });
  return { localTick, ackedTick, remoteTick, remote, next: [...encoded(channel)] };
}

interface Game {
  readonly channels: readonly [InputChannel, InputChannel];
  readonly read: [number, number];
}

/** Reads what is new at one end and compares it with what the other player did. */
function readNew(game: Game, at: 0 | 1, words: number): void {
  const channel = game.channels[at];
  const out = new Uint32Array(words);
  for (; game.read[at] < channel.remoteTick; game.read[at]++) {
    expect(channel.readRemote(game.read[at], out)).toBe(true);
    expect(out).toEqual(inputOf(1 - at, game.read[at], words));
  }
}

describe('two ends of an input channel', () => {
  test('have each other’s inputs, whole and in order, over any network', () => {
    const anyOptions = fc.record({
      wordsPerTick: fc.integer({ min: 1, max: 4 }),
      windowTicks: fc.constantFrom(1, 2, 8, 60),
      firstTick: fc.constantFrom(0, 7, 4_000_000_000),
    });
    const program = fc.property(
      fc.nat(),
      anyConditions,
      anyOptions,
      (seed, conditions, options) => {
        const link = createLossyLink({ seed, conditions });
        const ends = [link.a, link.b] as const;
        const { wordsPerTick, firstTick } = options;
        const game: Game = {
          channels: [new InputChannel(options), new InputChannel(options)],
          read: [firstTick, firstTick],
        };
        const turn = (isPlaying: boolean): void => {
          for (const at of [0, 1] as const) {
            const channel = game.channels[at];
            ends[at].receive((bytes) => {
              expect(channel.decode(bytes)).toMatch(/^(?:new|old|corrupt|malformed)$/);
              readNew(game, at, wordsPerTick);
            });
            if (isPlaying) channel.addLocal(inputOf(at, channel.localTick, wordsPerTick));
            ends[at].send(encoded(channel));
          }
          link.advanceTo(link.nowMs + 16);
        };
        for (let n = 0; n < 60; n++) turn(true);
        link.setConditions({});
        // What waits to leave at a low bandwidth takes minutes.
        link.advanceTo(link.nowMs + 3_600_000);
        for (let n = 0; n < 200; n++) turn(false);
        const [a, b] = game.channels;
        expect(a.remoteTick).toBe(b.localTick);
        expect(b.remoteTick).toBe(a.localTick);
        expect([a.ackedTick, b.ackedTick]).toEqual([a.localTick, b.localTick]);
        expect(game.read).toEqual([b.localTick, a.localTick]);
      },
    );
    fc.assert(program, runs);
  });

  test('do not stand still at a loss of three in ten', () => {
    const conditions: LinkConditions = { loss: 0.3, delayMs: 40, jitterMs: 20, duplicate: 0.1 };
    const link = createLossyLink({ seed: 3, conditions });
    const a = new InputChannel({ wordsPerTick: 2 });
    const b = new InputChannel({ wordsPerTick: 2 });
    let late = 0;
    for (let tick = 0; tick < 2000; tick++) {
      link.a.receive((bytes) => void a.decode(bytes));
      link.b.receive((bytes) => void b.decode(bytes));
      expect(a.addLocal(inputOf(0, tick, 2))).toBe(true);
      expect(b.addLocal(inputOf(1, tick, 2))).toBe(true);
      link.a.send(encoded(a));
      link.b.send(encoded(b));
      late = Math.max(late, a.localTick - a.remoteTick);
      link.advanceTo((tick + 1) * (1000 / 60));
    }
    expect(late).toBeLessThan(16);
  });
});

describe('what a channel sends', () => {
  test('has these bytes', () => {
    const channel = new InputChannel({ wordsPerTick: 1, firstTick: 258, match: 0xcafe });
    channel.addLocal(Uint32Array.of(0x01020304));
    channel.addLocal(Uint32Array.of(5));
    expect(Buffer.from(encoded(channel)).toString('hex')).toBe(
      '49010102' + 'feca0000' + '02010000' + '02010000' + '04030201' + '05000000' + 'dd5c02ed',
    );
  });

  test('stops at the window until the other end has acknowledged', () => {
    const options = { wordsPerTick: 1, windowTicks: 3 };
    const a = channelWith(3, options);
    const b = new InputChannel(options);
    expect(a.addLocal(Uint32Array.of(1))).toBe(false);
    expect(a.localTick).toBe(3);
    expect(b.decode(encoded(a))).toBe('new');
    expect(a.decode(encoded(b))).toBe('new');
    expect(a.decode(encoded(b))).toBe('old');
    expect(a.addLocal(Uint32Array.of(1))).toBe(true);
    expect(encoded(a).length).toBe(24);
  });

  test('is the oldest inputs where the buffer is short, and both windows stay readable', () => {
    const options = { wordsPerTick: 2, windowTicks: 4 };
    const a = channelWith(4, options);
    const b = new InputChannel(options);
    const short = new Uint8Array(20 + 2 * 8 + 7);
    expect(b.decode(short.subarray(0, a.encode(short)))).toBe('new');
    expect(b.remoteTick).toBe(2);
    a.decode(encoded(b));
    for (let n = 0; n < 2; n++) a.addLocal(inputOf(0, a.localTick, 2));
    b.decode(encoded(a));
    const out = new Uint32Array(3);
    expect(b.readRemote(0, out, 1)).toBe(true);
    expect(out).toEqual(Uint32Array.of(0, ...inputOf(0, 0, 2)));
    expect(a.readLocal(5, out)).toBe(true);
    expect(out.subarray(0, 2)).toEqual(inputOf(0, 5, 2));
    for (const tick of [-1, 6, 0.5, Number.NaN]) expect(b.readRemote(tick, out)).toBe(false);
  });
});

describe('a packet that is not in order is refused and changes nothing', () => {
  const options = { wordsPerTick: 2, windowTicks: 8, match: 9 };

  /** An end that has sent 5 ticks, of which 2 are acknowledged, and has 4 of the other's. */
  function midGame(): InputChannel {
    const other = channelWith(4, options);
    const channel = channelWith(2, options);
    other.decode(encoded(channel));
    channel.decode(encoded(other));
    for (let n = 0; n < 3; n++) channel.addLocal(inputOf(0, channel.localTick, 2));
    return channel;
  }

  function expectRefused(packet: Uint8Array, status: string): void {
    const channel = midGame();
    const before = stateOf(channel, 2);
    expect(channel.decode(packet)).toBe(status);
    expect(stateOf(channel, 2)).toEqual(before);
  }

  test('a mid-game packet is taken in', () => {
    expect(midGame().decode(encoded(channelWith(5, options)))).toBe('new');
    expect(midGame().decode(encoded(channelWith(3, options)))).toBe('old');
  });

  test('with another match', () => {
    expectRefused(encoded(channelWith(5, { ...options, match: 8 })), 'other-match');
  });

  test('with other inputs than came before', () => {
    const liar = new InputChannel(options);
    for (let tick = 0; tick < 5; tick++) liar.addLocal(inputOf(tick === 3 ? 1 : 0, tick, 2));
    expectRefused(encoded(liar), 'conflict');
  });

  test('with a gap, with ticks before the first, and with too many', () => {
    expectRefused(encoded(channelWith(1, { ...options, firstTick: 5 })), 'out-of-range');
    expectRefused(encoded(channelWith(9, { ...options, windowTicks: 9 })), 'out-of-range');
    const late = new InputChannel({ ...options, firstTick: 3 });
    expect(late.decode(encoded(channelWith(5, options)))).toBe('out-of-range');
    const last = new InputChannel({ ...options, firstTick: 2 ** 32 - 1 });
    expect(last.addLocal(new Uint32Array(2))).toBe(false);
  });

  test('with an acknowledgement of what was never sent', () => {
    const ahead = channelWith(0, options);
    ahead.decode(encoded(channelWith(6, options)));
    expectRefused(encoded(ahead), 'out-of-range');
  });

  test('whatever single byte is another, and whatever length it has', () => {
    const good = encoded(channelWith(6, options));
    for (let at = 0; at < good.length; at++) {
      for (const mask of [1, 0x80, 0xff]) {
        const bad = Uint8Array.from(good);
        bad[at] = (bad[at] ?? 0) ^ mask;
        expectRefused(bad, at < 4 ? 'malformed' : 'corrupt');
      }
      expectRefused(good.subarray(0, at), 'malformed');
    }
    expectRefused(Uint8Array.of(...good, 0), 'malformed');
  });

  test('never throws for any bytes, and keeps its state for what it refuses', () => {
    const good = encoded(channelWith(6, options));
    const mutated = fc
      .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 })
      .map((changes) => {
        const bytes = Uint8Array.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes;
      });
    const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), mutated);
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const channel = midGame();
        const before = stateOf(channel, 2);
        const status = channel.decode(bytes);
        if (status === 'new') expect(bytes).toEqual(good);
        else expect(stateOf(channel, 2)).toEqual(before);
      }),
      { numRuns: scaled({ tiny: 200, normal: 1000, full: 50_000 }) },
    );
  });
});

test('a channel leaves nothing on the heap', () => {
  const a = new InputChannel({ wordsPerTick: 2 });
  const b = new InputChannel({ wordsPerTick: 2 });
  const packet = new Uint8Array(a.maxPacketBytes);
  const views = [0, 1, 2].map((count) => packet.subarray(0, 20 + 8 * count));
  const words = new Uint32Array(2);
  const pass = (from: InputChannel, to: InputChannel): void => {
    const length = from.encode(packet);
    to.decode(views[(length - 20) >>> 3] as Uint8Array);
  };
  const work = (): void => {
    words[0] = (words[0] as number) + 1;
    a.addLocal(words);
    b.addLocal(words);
    pass(a, b);
    pass(b, a);
    b.readRemote(b.remoteTick - 1, words);
  };
  expect(bytesLeft(10_000, work)).toBe(0);
  expect(b.remoteTick).toBeGreaterThan(10_000);
});

describe('what is given to a channel is checked', () => {
  test.each([
    ['wordsPerTick', { wordsPerTick: 0 }],
    ['wordsPerTick', { wordsPerTick: 65 }],
    ['windowTicks', { wordsPerTick: 1, windowTicks: 256 }],
    ['firstTick', { wordsPerTick: 1, firstTick: -1 }],
    ['match', { wordsPerTick: 1, match: 2 ** 32 }],
  ])('%s out of range is refused by name', (name, options) => {
    expect(() => new InputChannel(options)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(name) }),
    );
  });

  test('words and buffers that are too short are refused', () => {
    const channel = new InputChannel({ wordsPerTick: 2 });
    const wrong = expect.objectContaining({ code: 'VALUE_INVALID' });
    expect(() => channel.addLocal(new Uint32Array(1))).toThrow(wrong);
    expect(() => channel.addLocal(new Uint32Array(4), 3)).toThrow(wrong);
    expect(() => channel.addLocal([1, 2] as never)).toThrow(wrong);
    expect(() => channel.readRemote(0, new Uint32Array(2), -1)).toThrow(wrong);
    expect(() => channel.encode(new Uint8Array(19))).toThrow(wrong);
    expect(channel.localTick).toBe(0);
  });
});
