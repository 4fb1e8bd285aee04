import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { SLOT_WORD_IDENTITY, SLOT_WORD_UNBLENDED } from '../../src/render/slot-words.ts';
import { scaled } from '../scaled.ts';
import { openStage, type Stage, type StageContext } from './stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const TICK_MS = 1000 / 60;
const SLOTS = 40;

type Verb = 'spawn' | 'end' | 'teleport' | 'hide' | 'show' | 'opt out' | 'opt in' | 'take' | 'give';

const VERBS: readonly Verb[] = [
  'spawn',
  'end',
  'teleport',
  'hide',
  'show',
  'opt out',
  'opt in',
  'take',
  'give',
];

/** Does one thing to one of the entities there ever were. */
function act({ world }: StageContext, verb: Verb, those: Entity[], pick: number): void {
  if (verb === 'spawn') {
    if (world.live().length < SLOTS) those.push(world.spawn({ position: 0, heading: 0 }));
    return;
  }
  const entity = those[pick % Math.max(1, those.length)];
  if (entity === undefined || !world.isAlive(entity)) return;
  if (verb === 'end') world.despawn(entity);
  else if (verb === 'teleport') world.teleport(entity, {});
  else if (verb === 'hide' || verb === 'show') world.setVisible(entity, verb === 'show');
  else if (verb === 'opt out' || verb === 'opt in') world.setBlended(entity, verb === 'opt in');
  else if (verb === 'take') world.remove(entity, 'position');
  else if (!world.has(entity, 'position')) world.add(entity, 'position');
}

type Deed = readonly [verb: Verb, pick: number];

const program: fc.Arbitrary<readonly (readonly Deed[])[]> = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...VERBS), fc.nat(60)), { maxLength: 4 }),
  { minLength: 1, maxLength: 15 },
);

it('words of two ticks say of every slot what the pair says of it', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (ticks) => {
      const those: Entity[] = [];
      const opened = await openStage((context) => {
        for (const [verb, pick] of ticks[context.tick] ?? []) act(context, verb, those, pick);
      });
      stage = opened;
      const view = opened.openView();
      const known = new Map<number, string>();
      for (let tick = 0; tick < ticks.length; tick++) {
        opened.advanceTo(tick * TICK_MS + 0.001);
        const frame = view.frame();
        const { pair } = frame;
        const earlier = new Uint32Array(SLOTS);
        const later = new Uint32Array(SLOTS);
        expect(pair.earlierWords('position', earlier)).toBe(pair.earlierSlotCount);
        expect(pair.laterWords('position', later)).toBe(pair.slotCount);
        for (let slot = 0; slot < SLOTS; slot++) {
          const word = later[slot] as number;
          const before = earlier[slot] as number;
          const isShown = pair.shows(slot) && pair.has(slot, 'position');
          expect([slot, word !== 0]).toEqual([slot, isShown]);
          if (!isShown) continue;
          const differs = ((word ^ before) & SLOT_WORD_IDENTITY) !== 0;
          expect([slot, differs || (word & SLOT_WORD_UNBLENDED) !== 0]).toEqual([
            slot,
            pair.snaps(slot),
          ]);
        }
        // Equal versions are equal words, whichever side they are on.
        for (const [version, words] of [
          [pair.earlierVersion, earlier],
          [pair.laterVersion, later],
        ] as const) {
          expect(known.get(version) ?? words.join()).toBe(words.join());
          known.set(version, words.join());
        }
        frame.release();
      }
      await opened.close();
      stage = undefined;
    }),
    { numRuns: scaled({ tiny: 10, normal: 60, full: 1000 }) },
  );
});
