import { type ShaderChannel, writeColumnsGlsl } from '../webgl/channel-glsl.ts';
import { channelsOf, radiansOf, type SpriteLayout } from './sprite-layout.ts';

/** Names of the attributes of a sprite's corners: units from its anchor, and of its texture. */
export const CORNER = 'aCorner';
export const CORNER_UV = 'aUV';

/** Writes the vertex shader of sprites that the GPU blends. */
export function writeVertexShader(layout: SpriteLayout): string {
  const { position, rotation, scale, colour } = layout;
  return `#version 300 es
${writeColumnsGlsl(channelsOf(layout))}
in vec2 ${CORNER};
in vec2 ${CORNER_UV};
uniform mat3 uProjectionMatrix;
uniform mat3 uWorldTransformMatrix;
uniform vec4 uWorldColorAlpha;
uniform vec2 uResolution;
uniform mat3 uTransformMatrix;
uniform vec4 uColor;
uniform float uRound;
out vec2 vUV;
out vec4 vColor;
vec3 encodeLight(vec3 light) {
  light = clamp(light, 0.0, 1.0);
  vec3 curve = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
  return mix(curve, light * 12.92, lessThanEqual(light, vec3(0.0031308)));
}
void main() {
  vUV = ${CORNER_UV};
  vec4 tint = ${colour === undefined ? 'vec4(1.0)' : tintOf(colour)};
  vColor = vec4(tint.rgb * tint.a, tint.a) * uColor * uWorldColorAlpha;
  vec2 corner = ${CORNER} * ${scale === undefined ? 'vec2(1.0)' : scaleOf(scale)};
  ${rotation === undefined ? '' : turnCorner(rotation)}
  vec2 at = ${position.blended}()${position.spec.width > 2 ? '.xy' : ''} + corner;
  mat3 place = uProjectionMatrix * uWorldTransformMatrix * uTransformMatrix;
  gl_Position = vec4((place * vec3(at, 1.0)).xy, 0.0, 1.0);
  if (uRound == 1.0) {
    vec2 pixel = floor((gl_Position.xy * 0.5 + 0.5) * uResolution + 0.5);
    gl_Position.xy = pixel / uResolution * 2.0 - 1.0;
  }
  if (!isShown()) gl_Position = NOWHERE;
}`;
}

function tintOf({ blended, spec }: ShaderChannel): string {
  return `vec4(encodeLight(${blended}().rgb), ${spec.width > 3 ? `${blended}().a` : '1.0'})`;
}

function scaleOf({ blended, spec }: ShaderChannel): string {
  return spec.width === 1 ? `vec2(${blended}())` : `${blended}().xy`;
}

function turnCorner({ blended, spec }: ShaderChannel): string {
  const radians = radiansOf(spec).toExponential();
  return `vec2 way = blendTurn(${blended}() * ${radians});
  corner = corner.x * way + corner.y * vec2(-way.y, way.x);`;
}

/** The fragment shader: a texture, tinted. */
export const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec2 vUV;
in vec4 vColor;
uniform sampler2D uTexture;
out vec4 finalColor;
void main() {
  finalColor = texture(uTexture, vUV) * vColor;
}`;
