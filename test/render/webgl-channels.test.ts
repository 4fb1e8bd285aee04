import { describe, expect, it } from 'vitest';
import { describeChannel, writeColumnsGlsl } from '../../src/render/webgl/channel-glsl.ts';
import { EscapementError } from '../../src/shared/error.ts';
import {
  angle,
  type ComponentSpec,
  fixed,
  list,
  quaternion,
  reference,
  scalar,
  step,
  tag,
  vec2,
} from '../../src/sim-worker/index.ts';

function codeOf(name: string, spec: ComponentSpec): string {
  try {
    describeChannel(name, spec);
    return 'none';
  } catch (cause) {
    return cause instanceof EscapementError ? cause.code : String(cause);
  }
}

describe('a channel in a shader', () => {
  it.each<[string, ComponentSpec, string]>([
    ['single', scalar(), 'in float earlierSingle;'],
    ['heading', angle(360), 'in float laterHeading;'],
    ['turn', quaternion(), 'in vec4 laterTurn;'],
    ['floats', step('f32', 2), 'in vec2 earlierFloats;'],
    ['signed', step('i32', 3), 'in ivec3 earlierSigned;'],
    ['friend', reference(), 'in uint earlierFriend;'],
    ['bytes', step('u8', 4), 'in uvec4 laterBytes;'],
    ['exact', fixed(2), 'in ivec2 earlierExact;'],
  ])('named %s has attributes of its own type', (name, spec, declaration) => {
    expect(writeColumnsGlsl([describeChannel(name, spec)])).toContain(declaration);
  });

  it('comes from its function as it is published, but fixed numbers in units', () => {
    const glsl = writeColumnsGlsl([
      describeChannel('friend', reference()),
      describeChannel('exact', fixed(2)),
      describeChannel('heading', angle(360)),
    ]);
    expect(glsl).toContain('uint blendedFriend()');
    expect(glsl).toContain('vec2 blendedExact()');
    expect(glsl).toContain('blendAngle(earlierHeading, laterHeading, blendAlpha, 3.6e+2)');
  });

  it.each<[string, ComponentSpec]>([
    ['64-bit numbers', vec2('f64')],
    ['a list', list(quaternion(), 2)],
    ['a tag', tag()],
  ])('is refused as %s', (_, spec) => {
    expect(codeOf('channel', spec)).toBe('OPTION_INVALID');
  });

  it.each(['$x', 'a__b', '_x'])('is refused under the name %s, which GLSL lacks', (name) => {
    expect(codeOf(name, scalar())).toBe('OPTION_INVALID');
    expect(codeOf('a_b9', scalar())).toBe('none');
  });
});
