import { describe, expect, it } from 'vitest';
import {
  angle,
  createWorld,
  eulerAngles,
  linearColour,
  list,
  quaternion,
  sparse,
  tag,
  vec3,
} from '../../src/sim-worker/index.ts';

describe('a list', () => {
  it('holds its elements one behind the other, and each orientation has length 1', () => {
    const world = createWorld({
      capacity: 2,
      components: { bones: list(quaternion(), 3), joints: list(vec3(), 2) },
    });
    const entity = world.spawn({ bones: [2, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0], joints: 5 });
    const out = Array.from({ length: 12 }, () => Number.NaN);
    expect(world.get(entity, 'bones', out)).toBe(true);
    const expected = [1, 0, 0, 0, 0, 0, Math.fround(0.6), Math.fround(0.8), 0, 0, 0, 1];
    expect(out).toEqual(expected);
    expect(world.columns.joints.subarray(0, 6)).toEqual(new Float32Array(6).fill(5));
  });

  it.each([
    () => list(tag(), 3),
    () => list(sparse(vec3(), 4), 3),
    () => list(list(vec3(), 2), 2),
    () => list(quaternion(), 257),
    () => list(quaternion(), 0),
    () => list(quaternion(), 1.5),
  ])('of %s is refused', (make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'SCHEMA_INVALID' }));
  });

  it('cannot be sparse', () => {
    const components = { bones: sparse(list(quaternion(), 3), 4) };
    expect(() => createWorld({ capacity: 4, components })).toThrow('a list cannot be sparse');
  });
});

describe('specs', () => {
  it('say how they are blended', () => {
    expect(quaternion('nlerp')).toMatchObject({ width: 4, blend: 'nlerp' });
    expect(eulerAngles(360)).toMatchObject({ width: 3, blend: 'angle', period: 360 });
    expect(list(angle(), 5)).toMatchObject({ width: 5, element: 1, blend: 'angle' });
  });
});

describe('a colour code', () => {
  it.each([
    [0x000000, [0, 0, 0, 1]],
    [0xffffff, [1, 1, 1, 1]],
    // By IEC 61966-2-1; the second number lies on the straight part.
    [0x800a00, [0.2158605, 0.0030353, 0, 1]],
  ])('%i stands for linear light', (code, expected) => {
    const got = linearColour(code);
    expected.forEach((light, i) => expect(got[i]).toBeCloseTo(light, 6));
  });

  it.each([[-1], [0x1000000], [0.5], [Number.NaN]])('%d is refused', (code) => {
    expect(() => linearColour(code)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });
});
