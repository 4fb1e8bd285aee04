import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openHierarchy, openSkeleton, type Skeleton } from '../../src/render/index.ts';
import { type Entity, NO_ENTITY } from '../../src/shared/entity.ts';
import { AnimationClip } from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { errorOf } from '../sim-worker/outcome.ts';
import { farthest, mapped, matrixOf, mix, repeated, times } from './matrix-model.ts';
import {
  BONES,
  type BoneTypes,
  define,
  expectedBone,
  expectedRoot,
  PARENTS,
  type Pose,
  RandomCrowd,
  REST,
  ROOT,
  TREE,
} from './random-crowd.ts';
import { openTicks, type Ticks } from './ticks.ts';

let ticks: Ticks<BoneTypes>;

afterEach(() => ticks.close());

/** Inverse bind matrices of bones that are also turned at rest. */
const INVERSE_BIND = Float32Array.from(
  PARENTS.flatMap((_, bone) => matrixOf([bone, -1, 0.5], [0, Math.SQRT1_2, 0, Math.SQRT1_2])),
);

const alphas = fc.double({ min: 0, max: 1, noNaN: true });

describe('a palette', () => {
  it('is the blended local poses, composed, times the inverse bind, in both spaces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(alphas, { minLength: 3, maxLength: 3 }),
        async (seed, shares) => {
          const crowd = new RandomCrowd(seed);
          ticks = await openTicks(define((world, tick) => crowd.tick(world, tick)));
          const skeleton = openSkeleton(ticks.view, {
            ...TREE,
            positions: 'bonePosition',
            inverseBind: INVERSE_BIND,
            root: ROOT,
          });
          const out = new Float32Array(16 * BONES * 16);
          for (const [i, share] of shares.entries()) {
            // Every other tick is seen by nobody.
            using frame = ticks.frameAt(2 * i + 1, share);
            const [before, now] = [
              crowd.history[frame.pairTick - 1],
              crowd.history[frame.pairTick],
            ];
            for (const space of ['model', 'world'] as const) {
              out.fill(9);
              expect(skeleton.paletteInto(frame, out, { space })).toBe(12);
              for (const [row, entity] of ([...frame.entities] as Entity[]).entries()) {
                const palette = out.subarray(row * BONES * 16, (row + 1) * BONES * 16);
                const later = now?.get(entity);
                const earlier = before?.get(entity);
                if (later === undefined || earlier === undefined) {
                  expect([...palette]).toEqual(repeated(0, BONES * 16));
                  continue;
                }
                for (let bone = 0; bone < BONES; bone++) {
                  const model = expectedBone(earlier, later, frame.alpha, bone);
                  const root = expectedRoot(earlier, later, frame.alpha);
                  const placed = space === 'model' ? model : times(root, model);
                  const skin = times(placed, [...INVERSE_BIND.subarray(bone * 16, bone * 16 + 16)]);
                  expect(farthest(palette.subarray(bone * 16, bone * 16 + 16), skin)).toBeLessThan(
                    1e-5,
                  );
                }
              }
            }
          }
          await ticks.close();
        },
      ),
      { numRuns: scaled({ tiny: 5, normal: 25, full: 500 }) },
    );
  });

  it('of a list of slots has their rows, in its order, zeros for who is not shown', async () => {
    const crowd = new RandomCrowd(5);
    ticks = await openTicks(define((world, tick) => crowd.tick(world, tick)));
    const skeleton = openSkeleton(ticks.view, TREE);
    const size = BONES * 16;
    using frame = ticks.frameAt(3, 0.3);
    const all = new Float32Array(12 * size);
    skeleton.paletteInto(frame, all);
    // Slot 0 has no bones, slot 14 nobody.
    const of = Uint32Array.of(9, 14, 0, 1, 9);
    const out = new Float32Array(5 * size + 1).fill(9);
    expect(skeleton.paletteInto(frame, out, { of })).toBe(5);
    const rowAt = (k: number): number[] => [...out.subarray(k * size, (k + 1) * size)];
    const expected = (slot: number): number[] => [...all.subarray(slot * size, (slot + 1) * size)];
    expect([rowAt(0), rowAt(3), rowAt(4)]).toEqual([expected(9), expected(1), expected(9)]);
    expect([...rowAt(1), ...rowAt(2)]).toEqual(repeated(0, 2 * size));
    expect(out[5 * size]).toBe(9);
    expect(expected(9).some((x) => x !== 0)).toBe(true);
    const query = { indices: (shown: typeof frame) => shown.indices.subarray(1, 2) };
    expect(skeleton.paletteInto(frame, out, { of: query })).toBe(1);
    expect(rowAt(0)).toEqual(expected(1));
  });

  it('keeps the lengths of bones at every alpha, which blended matrices would not', async () => {
    const crowd = new RandomCrowd(11);
    ticks = await openTicks(define((world, tick) => crowd.tick(world, tick)));
    const skeleton = openSkeleton(ticks.view, TREE);
    const out = new Float32Array(12 * BONES * 16);
    const lengthsAt = (alpha: number): number[] => {
      using frame = ticks.frameAt(1, alpha);
      skeleton.paletteInto(frame, out);
      return crowd.who.flatMap((entity) => {
        const row = [...frame.entities].indexOf(entity);
        const place = (bone: number): Float32Array =>
          out.subarray((row * BONES + bone) * 16 + 12, (row * BONES + bone) * 16 + 15);
        return PARENTS.flatMap((parent, bone) => {
          if (parent < 0) return [];
          const to = place(parent);
          return [Math.hypot(...[...place(bone)].map((x, i) => x - (to[i] as number)))];
        });
      });
    };
    const lengths = PARENTS.flatMap((parent, bone) =>
      parent < 0 ? [] : [Math.hypot(...REST.slice(3 * bone, 3 * bone + 3))],
    );
    const expected = crowd.who.flatMap(() => lengths);
    for (let step = 1; step <= 40; step++) {
      expect(farthest(lengthsAt(step / 40), expected)).toBeLessThan(1e-6);
    }
    // The mean of the matrices of the two ticks is what must not be shown half way.
    const [before, now] = [crowd.history[0], crowd.history[1]];
    const [entity] = crowd.who as [Entity];
    const [from, to] = [before?.get(entity), now?.get(entity)] as [Pose, Pose];
    const mean = (bone: number): number[] =>
      mix(expectedBone(from, from, 0, bone), expectedBone(to, to, 0, bone), 0.5).slice(12, 15);
    const [tip, base] = [mean(1), mean(0)];
    const shrunk = Math.hypot(...tip.map((x, i) => x - (base[i] as number)));
    expect(Math.abs(shrunk - 2)).toBeGreaterThan(0.1);
  });
});

describe('an attachment', () => {
  it('to the tip of a bone holds within 1e-6 at all alphas', async () => {
    const crowd = new RandomCrowd(23);
    ticks = await openTicks(define((world, tick) => crowd.tick(world, tick)));
    const skeleton = openSkeleton(ticks.view, {
      ...TREE,
      inverseBind: INVERSE_BIND,
      root: ROOT,
    });
    const size = BONES * 16;
    const palette = new Float32Array(12 * size);
    const matrix = new Float64Array(16);
    const tipOfBone = [0, 0.5, 0.25];
    let worst = 0;
    for (let step = 0; step <= 1000; step++) {
      using frame = ticks.frameAt(
        1 + (step % 3 === 2 ? 1 : 0) + Math.floor(step / 250),
        (step % 101) / 100,
      );
      skeleton.paletteInto(frame, palette, { space: 'world' });
      const entities = [...frame.entities];
      for (const entity of crowd.who) {
        for (let bone = 0; bone < BONES; bone++) {
          expect(skeleton.boneMatrixInto(frame, entity, bone, matrix)).toBe('ok');
          // The tip as the mesh has it at rest: the skin's matrix brings it to the bone's own.
          const bind = inverseRigid(INVERSE_BIND.subarray(bone * 16, bone * 16 + 16));
          const tipOfMesh = mapped(bind, tipOfBone);
          const at = entities.indexOf(entity) * size + bone * 16;
          const drawn = mapped(palette.subarray(at, at + 16), tipOfMesh);
          worst = Math.max(worst, farthest(mapped(matrix, tipOfBone), drawn));
        }
      }
    }
    expect(worst).toBeLessThan(1e-6);
  });
});

/** Inverts a turn and a shift: the turn's rows become columns. */
function inverseRigid(m: ArrayLike<number>): number[] {
  const at = (i: number): number => m[i] as number;
  const dot = (i: number): number => at(i) * at(12) + at(i + 1) * at(13) + at(i + 2) * at(14);
  const turn = [0, 1, 2].flatMap((i) => [at(i), at(4 + i), at(8 + i), 0]);
  return [...turn, -dot(0), -dot(4), -dot(8), 1];
}

describe('the matrix of a bone', () => {
  it('is by the definition, with a root of channels, of a hierarchy, and with none', async () => {
    const crowd = new RandomCrowd(31);
    ticks = await openTicks(
      define((world, tick) => {
        crowd.tick(world, tick);
        const [first, second] = crowd.who as [Entity, Entity];
        if (tick === 0) world.add(second, 'parent', first);
        world.columns.parent[world.indexOf(second)] = first;
      }),
    );
    const hierarchy = openHierarchy(ticks.view, { ...ROOT, parent: 'parent' });
    const open = (root: object): Skeleton<BoneTypes> =>
      openSkeleton(ticks.view, { ...TREE, positions: 'bonePosition', ...root });
    const [free, placed, hung] = [{}, { root: ROOT }, { root: hierarchy }].map(open);
    const [first, rider] = crowd.who as [Entity, Entity];
    const out = new Float64Array(16);
    const size = BONES * 16;
    const palette = new Float32Array(12 * size);
    for (const alpha of [0.01, 0.4, 0.99]) {
      using frame = ticks.frameAt(4, alpha);
      const pose = (entity: Entity): [Pose, Pose] =>
        [3, 4].map((tick) => crowd.history[tick]?.get(entity)) as [Pose, Pose];
      for (let bone = 0; bone < BONES; bone++) {
        const model = expectedBone(...pose(rider), frame.alpha, bone);
        const root = expectedRoot(...pose(rider), frame.alpha);
        const above = expectedRoot(...pose(first), frame.alpha);
        const worlds = [model, times(root, model), times(above, times(root, model))];
        for (const [i, skeleton] of [free, placed, hung].entries()) {
          expect(skeleton?.boneMatrixInto(frame, rider, bone, out)).toBe('ok');
          expect(farthest(out, worlds[i] ?? [])).toBeLessThan(1e-5);
        }
        hung?.paletteInto(frame, palette, { space: 'world' });
        const at = [...frame.entities].indexOf(rider) * size + bone * 16;
        expect(farthest(palette.subarray(at, at + 16), out)).toBeLessThan(1e-6);
      }
    }
  });

  it('says what became of the entity, and leaves the array alone', async () => {
    const who: Entity[] = [];
    const whole = { position: 0, boneRotation: 0 };
    ticks = await openTicks(
      define((world, tick) => {
        if (tick === 0) {
          for (let i = 0; i < 4; i++) who.push(world.spawn(whole));
          who.push(world.spawn({ position: 0 }), world.spawn({ boneRotation: 0 }));
        }
        if (tick === 2) world.despawn(who[0] as Entity);
        if (tick === 2) world.setVisible(who[1] as Entity, false);
        if (tick === 2) world.teleport(who[2] as Entity, { position: 5 });
      }),
    );
    const skeleton = openSkeleton(ticks.view, { ...TREE, root: { position: 'position' } });
    const statuses = (): string[] => {
      using frame = ticks.frameAt(2, 0.5);
      return who.map((entity) => {
        const out = new Float32Array(16).fill(7);
        const status = skeleton.boneMatrixInto(frame, entity, 3, out);
        const isWritten = status === 'ok' || status === 'snapped';
        expect(out[15]).toBe(isWritten ? 1 : 7);
        return status;
      });
    };
    const expected = ['stale', 'hidden', 'snapped', 'ok', 'no-component', 'no-component'];
    expect(statuses()).toEqual(expected);
  });

  it('and a palette snap with their entity: no bone lies between two poses', async () => {
    let entity = NO_ENTITY;
    const turns = [
      [0, 0, 0, 1],
      [0, 0, Math.SQRT1_2, Math.SQRT1_2],
    ];
    ticks = await openTicks(
      define((world, tick) => {
        if (tick === 0) entity = world.spawn({ position: 0, boneRotation: 0 });
        const turn = turns[tick >= 2 ? 1 : 0] as number[];
        for (let bone = 0; bone < BONES; bone++) world.columns.boneRotation.set(turn, bone * 4);
        if (tick === 2) world.teleport(entity, { position: 1 });
      }),
    );
    const skeleton = openSkeleton(ticks.view, { ...TREE, root: { position: 'position' } });
    const out = new Float32Array(BONES * 16);
    const bone = new Float32Array(16);
    for (const alpha of [0.01, 0.5, 0.99]) {
      using frame = ticks.frameAt(2, alpha);
      skeleton.paletteInto(frame, out, { space: 'world' });
      // A quarter turn about z brings the x axis to y.
      expect(farthest(out.subarray(32, 36), [0, 1, 0, 0])).toBeLessThan(1e-6);
      expect(skeleton.boneMatrixInto(frame, entity, 2, bone)).toBe('snapped');
      expect(bone).toEqual(out.subarray(32, 48));
    }
  });

  it('is there again after a restart', async () => {
    let who = NO_ENTITY;
    let runs = 0;
    ticks = await openTicks(
      define((world, tick) => {
        if (tick === 0) who = world.spawn({ position: ++runs, boneRotation: 0 });
      }),
    );
    const skeleton = openSkeleton(ticks.view, { ...TREE, root: { position: 'position' } });
    const out = new Float32Array(16);
    const xAt = (tick: number): number | undefined => {
      using frame = ticks.frameAt(tick, 0.5);
      expect(['ok', 'snapped']).toContain(skeleton.boneMatrixInto(frame, who, 4, out));
      return out[12];
    };
    expect(xAt(2)).toBe(4);
    await ticks.restart();
    expect(xAt(2)).toBe(5);
  });
});

describe('a skeleton', () => {
  it('shows what clips wrote in a system, blended between two ticks', async () => {
    const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
    const clip = new AnimationClip({
      durationSeconds: 1,
      loop: true,
      bones: BONES,
      tracks: [{ bone: 2, times: [0, 1], rotations: [0, 0, 0, 1, ...quarter] }],
    });
    let entity = NO_ENTITY;
    ticks = await openTicks(
      define((world, tick) => {
        if (tick === 0) entity = world.spawn({ boneRotation: 0 });
        clip.poseInto(tick / 60, world.columns.boneRotation, 0);
      }),
    );
    const skeleton = openSkeleton(ticks.view, TREE);
    const out = new Float64Array(16);
    for (const alpha of [0.25, 0.5, 0.75]) {
      using frame = ticks.frameAt(30, alpha);
      expect(skeleton.boneMatrixInto(frame, entity, 2, out)).toBe('ok');
      const angle = ((29 + frame.alpha) / 60) * (Math.PI / 2);
      expect(out[0]).toBeCloseTo(Math.cos(angle), 6);
      expect(out[1]).toBeCloseTo(Math.sin(angle), 6);
    }
  });

  it('is refused where its parts do not fit, and says which', async () => {
    ticks = await openTicks(define(() => undefined));
    const refusal = (options: object): string => {
      const error = errorOf(() => openSkeleton(ticks.view, { ...TREE, ...options }));
      return `${error.code}: ${error.message}`;
    };
    expect(refusal({ parents: [] })).toContain('1 to 256 bones');
    expect(refusal({ parents: [2, 0, 1, 2, -1] })).toContain('their own ancestors');
    expect(refusal({ parents: [2, 0, -1, 5, -1] })).toContain('The parent of bone 3');
    expect(refusal({ parents: [2, 0, -1, 0.5, -1] })).toContain('The parent of bone 3');
    expect(refusal({ parents: [-1, 0], rest: [0, 0, 0, 1, 0, 0] })).toContain(
      'list(quaternion(), 2)',
    );
    expect(refusal({ rest: [0, 1] })).toContain('`rest` has the wrong length');
    expect(refusal({ rest: REST.map(() => Number.NaN) })).toContain('`rest[0]` is no number');
    expect(refusal({ rest: undefined })).toContain('Nothing says where the bones are');
    expect(refusal({ inverseBind: [1] })).toContain('`inverseBind` has the wrong length');
    expect(refusal({ inverseBind: new Float32Array(80) })).toContain('no affine matrix');
    expect(refusal({ rotations: 'orientation' })).toContain('list(quaternion(), 5)');
    expect(refusal({ positions: 'boneRotation' })).toContain('list(vec3(), 5)');
    expect(refusal({ rotations: 'nothing' })).toContain('NAME_UNKNOWN');
    using frame = ticks.frameAt(1, 0.5);
    const skeleton = openSkeleton(ticks.view, TREE);
    const at = (bone: number): string =>
      errorOf(() => skeleton.boneMatrixInto(frame, NO_ENTITY, bone, [])).message;
    expect([at(-1), at(5), at(1.5)]).toEqual(
      Array.from({ length: 3 }, (): unknown => expect.stringContaining('0 to 4')),
    );
    const world = errorOf(() =>
      skeleton.paletteInto(frame, new Float32Array(0), { space: 'world' }),
    );
    expect(world.message).toContain('no root in the world');
  });

  it('refuses an array that is too short for its palettes, and names the length', async () => {
    ticks = await openTicks(
      define((world, tick) => tick === 0 && world.spawn({ boneRotation: 0 })),
    );
    const skeleton = openSkeleton(ticks.view, TREE);
    using frame = ticks.frameAt(1, 0.5);
    const error = errorOf(() => skeleton.paletteInto(frame, new Float32Array(79)));
    expect(error.message).toContain('80 for 1 rows of 5 bones');
  });

  it('blends by the channel: a straight blend is as rigid', async () => {
    ticks = await openTicks(
      define((world, tick) => {
        if (tick === 0) world.spawn({ straight: 0 });
        world.columns.straight.set(tick % 2 === 0 ? [0, 0, 0, 1] : [1, 0, 0, 0], 8);
      }),
    );
    const skeleton = openSkeleton(ticks.view, { ...TREE, rotations: 'straight' });
    const out = new Float32Array(BONES * 16);
    using frame = ticks.frameAt(1, 0.25);
    skeleton.paletteInto(frame, out);
    expect(Math.hypot(out[36] as number, out[37] as number, out[38] as number)).toBeCloseTo(1, 6);
  });

  it('leaves nothing on the heap from frame to frame', async () => {
    const crowd = new RandomCrowd(3);
    ticks = await openTicks(define((world, tick) => crowd.tick(world, tick)));
    const skeleton = openSkeleton(ticks.view, {
      ...TREE,
      positions: 'bonePosition',
      inverseBind: INVERSE_BIND,
      root: ROOT,
    });
    const out = new Float32Array(12 * BONES * 16);
    const options = { space: 'world', of: Uint32Array.of(1, 3, 5) } as const;
    using frame = ticks.frameAt(1, 0.5);
    const left = bytesLeft(scaled({ tiny: 1000, normal: 3000, full: 3000 }), () => {
      skeleton.paletteInto(frame, out);
      skeleton.paletteInto(frame, out, options);
    });
    expect(left).toBe(0);
  });
});
