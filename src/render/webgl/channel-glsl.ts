import { EscapementError } from '../../shared/error.ts';
import type { ComponentSpec } from '../../shared/schema.ts';
import { BLEND_GLSL, glslType } from './blend-glsl.ts';

/** One channel as a shader sees it. */
export interface ShaderChannel {
  readonly name: string;
  readonly spec: ComponentSpec;
  /** Names of its two attributes, and of the function that blends them. */
  readonly earlier: string;
  readonly later: string;
  readonly blended: string;
  /** Whether the attributes are integers. */
  readonly isInteger: boolean;
}

/** Names of what every shader of blended columns declares. */
export const EARLIER_WORD = 'slotWordEarlier';
export const LATER_WORD = 'slotWordLater';
export const ALPHA = 'blendAlpha';

/** Describes a channel for a shader. Throws OPTION_INVALID for what no shader can blend. */
export function describeChannel(name: string, spec: ComponentSpec): ShaderChannel {
  if (spec.width > 4 || spec.width === 0 || spec.scalar === 'f64') {
    throw new EscapementError('OPTION_INVALID', `The channel "${name}" cannot be an attribute.`, {
      given: `${spec.width} numbers of ${spec.scalar}`,
      allowed: '1 to 4 numbers, of any type but f64',
      fix: 'Blend it on this thread with frame.blend, or publish an f32 component beside it.',
    });
  }
  if (!/^[A-Za-z]\w*$/.test(name) || name.includes('__')) {
    throw new EscapementError('OPTION_INVALID', 'The name of a channel is no name in GLSL.', {
      given: JSON.stringify(name),
      allowed: 'a letter, then letters, digits and single underscores',
      fix: 'Give the component another name.',
    });
  }
  const stem = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    name,
    spec,
    earlier: `earlier${stem}`,
    later: `later${stem}`,
    blended: `blended${stem}`,
    isInteger: spec.scalar !== 'f32' && (spec.blend === 'step' || spec.blend === 'fixed'),
  };
}

/** Refuses channels that a shader could not tell apart. */
function checkDistinct(channels: readonly ShaderChannel[]): void {
  const known = new Map<string, string>();
  for (const { name, blended } of channels) {
    const other = known.get(blended);
    if (other !== undefined && other !== name) {
      throw new EscapementError('OPTION_INVALID', 'Two channels have one name in the shader.', {
        given: `${other}, ${name}`,
        allowed: 'names that differ in more than the case of their first letter',
        fix: 'Give one of the components another name.',
      });
    }
    known.set(blended, name);
  }
}

/**
 * Writes the declarations and functions that a vertex shader needs for some channels. Throws
 * OPTION_INVALID for two that the shader could not tell apart.
 */
export function writeColumnsGlsl(channels: readonly ShaderChannel[]): string {
  checkDistinct(channels);
  return `precision highp float;
precision highp int;
uniform float ${ALPHA};
in uint ${EARLIER_WORD};
in uint ${LATER_WORD};
${channels.map(declareAttributes).join('')}${BLEND_GLSL}
bool isShown() { return blendShows(${LATER_WORD}); }
bool showsLater() { return ${ALPHA} >= 1.0 || blendSnaps(${EARLIER_WORD}, ${LATER_WORD}); }
${channels.map(writeBlend).join('')}`;
}

function attributeType({ spec, isInteger }: ShaderChannel): string {
  if (!isInteger) return glslType('float', spec.width);
  const isSigned = spec.scalar === 'i32' || spec.scalar === 'fixed';
  return glslType(isSigned ? 'int' : 'uint', spec.width);
}

function declareAttributes(channel: ShaderChannel): string {
  const type = attributeType(channel);
  return `in ${type} ${channel.earlier};\nin ${type} ${channel.later};\n`;
}

function writeBlend(channel: ShaderChannel): string {
  const { blended, earlier, later, spec } = channel;
  const type = spec.blend === 'fixed' ? glslType('float', spec.width) : attributeType(channel);
  return `${type} ${blended}() {
  return showsLater() ? ${laterValue(channel)} : ${blendCall(earlier, later, spec)};
}
`;
}

function laterValue({ later, spec }: ShaderChannel): string {
  return spec.blend === 'fixed' ? `blendFixed(${later}, ${later}, 0.0)` : later;
}

function blendCall(earlier: string, later: string, spec: ComponentSpec): string {
  switch (spec.blend) {
    case 'step':
      return earlier;
    case 'lerp':
      return `blendLerp(${earlier}, ${later}, ${ALPHA})`;
    case 'angle':
      return `blendAngle(${earlier}, ${later}, ${ALPHA}, ${float(spec.period)})`;
    case 'fixed':
      return `blendFixed(${earlier}, ${later}, ${ALPHA})`;
    case 'slerp':
      return `blendSlerp(${earlier}, ${later}, ${ALPHA})`;
    case 'nlerp':
      return `blendNlerp(${earlier}, ${later}, ${ALPHA})`;
  }
}

/** Writes a number as a float literal. */
function float(value: number): string {
  return value.toExponential();
}
