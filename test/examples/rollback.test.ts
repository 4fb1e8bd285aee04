import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { LinkConditions } from '../../src/net/index.ts';
import { formatFigures, gather } from '../../examples/rollback/figures.ts';
import { Match } from '../../examples/rollback/match.ts';
import { readOptions, UsageError } from '../../examples/rollback/options.ts';
import { HEIGHT, WIDTH } from '../../examples/rollback/paddles.sim.ts';
import { drawPlayer } from '../../examples/rollback/screen.ts';
import { scaled } from '../scaled.ts';
import { matchOver, playMatch, straightHashes } from './played-match.ts';

const SEEDS = Array.from({ length: scaled({ tiny: 1, normal: 3, full: 40 }) }, (_, k) => k + 1);

const NETWORKS: Readonly<Record<string, LinkConditions>> = {
  'a perfect network': {},
  'a loss of 5 %': { loss: 0.05, delayMs: 40, jitterMs: 10 },
  'a loss of 30 %': { loss: 0.3, delayMs: 60, jitterMs: 20 },
  'a delay of 200 ms': { delayMs: 200, jitterMs: 30, loss: 0.05 },
  'many second copies': { duplicate: 0.5, delayMs: 50, jitterMs: 50 },
  'packets that overtake each other': { reorder: 0.3, reorderMs: 80, delayMs: 30, jitterMs: 40 },
  'bits that are altered': { corrupt: 0.2, delayMs: 30, jitterMs: 5 },
  'losses in runs': { burstLoss: { enter: 0.02, leave: 0.1 }, delayMs: 40 },
};

const BAD: LinkConditions = {
  loss: 0.2,
  delayMs: 80,
  jitterMs: 40,
  duplicate: 0.1,
  reorder: 0.1,
  corrupt: 0.05,
};

describe('two players with rollback', () => {
  test.each(Object.entries(NETWORKS))('see the same game over %s', async (_, conditions) => {
    for (const seed of SEEDS) {
      for (const inputDelayTicks of [0, 3]) {
        const options = matchOver(conditions, { seed, inputDelayTicks });
        const { match, moves, hashes } = await playMatch(options);
        expect(match.status).toBe('over');
        expect(moves.map(({ length }) => length)).toEqual(
          [0, 0].map(() => options.ticks + inputDelayTicks),
        );
        expect(hashes[0]).toEqual(await straightHashes(options, moves));
        expect(hashes[1]).toEqual(hashes[0]);
        match.close();
      }
    }
  });

  test('say in which tick their games drift apart, whatever the network', async () => {
    for (const [at, conditions] of [{}, BAD, NETWORKS['a delay of 200 ms'] ?? {}].entries()) {
      for (const flawTick of [1, 60 + at, 299, 300]) {
        const { match, hashes } = await playMatch(matchOver(conditions, { flawTick }));
        expect(match.status).toBe('desync');
        const told = match.players.map(({ desyncTick }) => desyncTick).filter((tick) => tick);
        expect(new Set(told)).toEqual(new Set([flawTick]));
        expect(hashes[0].slice(0, flawTick - 1)).toEqual(hashes[1].slice(0, flawTick - 1));
        expect(formatFigures(gather(match))).toContain(`differ from tick ${flawTick} on`);
        match.close();
      }
    }
  });

  test('are never further ahead of what they know than they can go back', async () => {
    for (const keepTicks of [1, 2, 4, 6]) {
      const { match } = await playMatch(matchOver(BAD, { keepTicks }), ({ players }) => {
        for (const { run, confirmedTick, deepest } of players) {
          expect(run.tick - confirmedTick).toBeLessThanOrEqual(keepTicks);
          expect(deepest).toBeLessThanOrEqual(keepTicks);
        }
      });
      expect(match.status).toBe('over');
      expect(match.players.map(({ stalls }) => stalls > 0)).toEqual([true, true]);
      match.close();
    }
  });

  test('wait while the network is cut, and go on afterwards', async () => {
    const options = matchOver({ delayMs: 30 });
    const { match, moves, hashes } = await playMatch(options, ({ turns, link }) => {
      if (turns === 100) link.setConditions({ loss: 1 });
      if (turns === 400) link.setConditions({ delayMs: 30 });
    });
    expect(match.status).toBe('over');
    for (const { stalls } of match.players) expect(stalls).toBeGreaterThan(250);
    expect(hashes[0]).toEqual(await straightHashes(options, moves));
    expect(hashes[1]).toEqual(hashes[0]);
    match.close();
  });

  test('give up once nothing has come for ten seconds', async () => {
    const { match } = await playMatch(matchOver({ loss: 1 }));
    expect(match.status).toBe('cut');
    expect(match.turns).toBe(600);
    expect(formatFigures(gather(match))).toContain('known to both is that of tick 0');
    match.close();
  });

  test('make no tick again whose input was guessed', async () => {
    // The right one plays second: over a perfect network the other’s input is always there.
    const { match, moves } = await playMatch(matchOver({}));
    const [left, right] = match.players;
    expect([right.rollbacks, right.ticksAgain]).toEqual([0, 0]);
    // The left one guesses one tick, and is wrong just where the right one turns.
    const turns = moves[1].filter((move, at) => move !== (moves[1][at - 1] ?? 0)).length;
    expect([left.rollbacks, left.ticksAgain]).toEqual([turns, turns]);
    match.close();
  });

  test('are the same match for the same seed, down to the figures', async () => {
    const options = matchOver(BAD, { seed: 5 });
    const [one, two] = [await playMatch(options), await playMatch(options)];
    expect(gather(one.match)).toEqual(gather(two.match));
    const other = await playMatch({ ...options, seed: 6 });
    expect(gather(other.match).packets).not.toEqual(gather(one.match).packets);
    for (const { match } of [one, two, other]) match.close();
  });
});

describe('what the example shows', () => {
  test('is a field for each player, as wide as it says', async () => {
    const match = await Match.open(matchOver({ delayMs: 100 }, { ticks: 120 }));
    for (let turn = 0; turn < 100; turn++) match.turn();
    for (const player of match.players) {
      const lines = drawPlayer(player);
      const bare = lines.map((line) => stripVTControlCharacters(line));
      expect(bare.map((line) => line.length)).toEqual(bare.map(() => WIDTH));
      expect(lines.length).toBe(HEIGHT / 2 + 2);
      expect(bare[0]).toContain(`${player.side}  0 : 0  tick 100`);
      // The ball, both paddles, and the other one’s in the colour of what is guessed.
      for (const colour of [231, 243]) expect(lines.join('')).toContain(`;5;${colour}`);
    }
    match.close();
  });

  test('is what the command line asks for', () => {
    expect(readOptions(['--help'])).toBe('help');
    expect(readOptions(['--loss', '0.3', '--delay=200', '--seed', '7', '--watch'])).toMatchObject({
      seed: 7,
      ticks: 3600,
      conditions: { loss: 0.3, delayMs: 200 },
      watch: true,
    });
    const faults = ['--loss=2', '--ticks=0', '--seed=x', '--keep=61', '--delay=', '--jump'];
    for (const fault of [...faults, '--input-delay=16']) {
      expect(() => readOptions([fault])).toThrow(UsageError);
    }
  });
});
