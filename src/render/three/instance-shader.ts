import { EscapementError } from '../../shared/error.ts';
import { type ShaderChannel, writeColumnsGlsl } from '../webgl/channel-glsl.ts';
import { channelsOf, type InstanceLayout } from './instance-layout.ts';

/*
 * three's own shaders read an instance's matrix from `instanceMatrix` and its colour from
 * `instanceColor`, in several chunks, wherever `USE_INSTANCING` and `USE_INSTANCING_COLOR` are
 * defined. For an InstancedMesh three defines both and declares two attributes, which count towards
 * the 16 that a GPU has, used or not, and with two ticks of four channels that is too many. So the
 * mesh is no InstancedMesh: both names are defined here, as macros for what is blended. three puts
 * its own declarations in front of this.
 */

/** Finds the head of the one function that every shader has. */
const MAIN = /\bvoid\s+main\s*\(\s*(?:void)?\s*\)/;

/** A slot that shows nothing ends up outside of what is drawn, whatever its vertices are. */
const FOOTER = `
void main() {
  composeInstance();
  drawInstance();
  if ( ! isShown() ) gl_Position = NOWHERE;
}
`;

/** Both shaders of a material, as text. */
export interface ShaderTexts {
  vertexShader: string;
  fragmentShader: string;
}

/**
 * Has the shaders of three blend, snap, hide and compose each instance before they do what they
 * did. Throws VALUE_INVALID for a vertex shader that has no `main`.
 */
export function blendInstances(shader: ShaderTexts, layout: InstanceLayout): void {
  const { vertexShader } = shader;
  if (!MAIN.test(vertexShader)) {
    throw new EscapementError(
      'VALUE_INVALID',
      'The vertex shader of this material has no `main`.',
      {
        allowed: "three's own mesh materials, and ShaderMaterial",
      },
    );
  }
  const body = vertexShader.replace(MAIN, 'void drawInstance()');
  shader.vertexShader = `${header(layout)}${body}${FOOTER}`;
  if (layout.colour !== undefined) {
    shader.fragmentShader = `#define USE_COLOR\n${shader.fragmentShader}`;
  }
}

/** Returns a key that is equal for layouts which lead to the same shader. */
export function shaderKey(layout: InstanceLayout): string {
  return header(layout);
}

function header(layout: InstanceLayout): string {
  return `
${writeColumnsGlsl(channelsOf(layout))}
mat4 instanceBlendMatrix;
vec3 instanceBlendColor;
void composeInstance() {
  instanceBlendMatrix = composeMatrix(
    ${positionOf(layout.position)},
    ${orientationOf(layout.orientation)},
    ${scaleOf(layout.scale)}
  );
  instanceBlendColor = ${colourOf(layout.colour)};
}
#define USE_INSTANCING
#define instanceMatrix instanceBlendMatrix
${layout.colour === undefined ? '' : '#define USE_INSTANCING_COLOR'}
#define instanceColor instanceBlendColor
`;
}

function colourOf(channel: ShaderChannel | undefined): string {
  return channel === undefined ? 'vec3( 1.0 )' : `${channel.blended}().rgb`;
}

function positionOf({ blended, spec }: ShaderChannel): string {
  return spec.width === 3 ? `${blended}()` : `vec3( ${blended}(), 0.0 )`;
}

function orientationOf(channel: ShaderChannel | undefined): string {
  if (channel === undefined) return 'vec4( 0.0, 0.0, 0.0, 1.0 )';
  const { blended, spec } = channel;
  if (spec.width === 4) return `${blended}()`;
  const half = `blendTurn( ${blended}() * ${(Math.PI / spec.period).toExponential()} )`;
  return `vec4( 0.0, 0.0, ${half}.yx )`;
}

function scaleOf(channel: ShaderChannel | undefined): string {
  if (channel === undefined) return 'vec3( 1.0 )';
  const { blended, spec } = channel;
  if (spec.width === 3) return `${blended}()`;
  return spec.width === 2 ? `vec3( ${blended}(), 1.0 )` : `vec3( ${blended}() )`;
}
