/** The parts of an f32 or integer vector type of GLSL, by how many numbers it has. */
const WIDTHS = [1, 2, 3, 4] as const;

/** Returns the name of a GLSL type: `float`, `vec3`, `ivec2`, `uint`... */
export function glslType(base: 'float' | 'int' | 'uint', width: number): string {
  if (width === 1) return base;
  return `${base === 'float' ? '' : base.charAt(0)}vec${width}`;
}

function forEachWidth(write: (float: string, int: string) => string): string {
  return WIDTHS.map((width) => write(glslType('float', width), glslType('int', width))).join('\n');
}

const LERP = forEachWidth(
  (float) => `${float} blendLerp(${float} a, ${float} b, float t) { return a + (b - a) * t; }`,
);

const STEP = forEachWidth(
  (float) => `${float} blendStep(${float} a, ${float} b, float t) { return t < 1.0 ? a : b; }`,
);

// Exactly half a turn goes the negative way. A hair below 0 rounds up to a whole turn: that is 0.
const ANGLE = forEachWidth(
  (float) => `${float} blendAngle(${float} a, ${float} b, float t, float period) {
  ${float} way = b - a;
  way -= period * floor(way / period + 0.5);
  ${float} angle = a + way * t;
  angle -= period * floor(angle / period);
  return mod(angle, period);
}`,
);

// Whole and broken parts apart: their differences never leave the range of an int. Alpha is rounded
// to 1/65536, half up, as the blend on a thread does.
const FIXED = forEachWidth(
  (float, int) => `${float} blendFixed(${int} a, ${int} b, float t) {
  t = floor(t * 65536.0 + 0.5) / 65536.0;
  ${int} whole = (b >> 16) - (a >> 16);
  ${int} parts = (b & 0xffff) - (a & 0xffff);
  return ${float}(a >> 16) + ${float}(whole) * t
    + (${float}(a & 0xffff) + ${float}(parts) * t) / 65536.0;
}`,
);

/**
 * What a GPU computes as acos, sin or cos may be off by more than 1e-4 (SwiftShader's cos: 1.9e-4),
 * so they are sums here. The arc is four times the one whose tangent has been halved twice.
 */
const ROTATION = `float blendArc(float sine, float cosine) {
  float x = sine / (1.0 + cosine);
  x = x / (1.0 + sqrt(1.0 + x * x));
  float s = x * x;
  return 4.0 * x * (1.0 + s * (-1.0 / 3.0 + s * (0.2 + s * (-1.0 / 7.0 + s / 9.0))));
}
float blendSine(float x) {
  float s = x * x;
  return x * (1.0 + s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0
    + s * (1.0 / 362880.0 - s / 39916800.0)))));
}
vec2 blendTurn(float angle) {
  const float HALF_TURN = 3.14159265358979;
  float x = angle - 2.0 * HALF_TURN * floor(angle / (2.0 * HALF_TURN) + 0.5);
  float side = x < 0.0 ? -1.0 : 1.0;
  float up = blendSine(min(abs(x), HALF_TURN - abs(x)));
  float along = 0.5 * HALF_TURN - abs(x);
  return vec2(along < 0.0 ? -blendSine(-along) : blendSine(along), up * side);
}
vec4 blendNlerp(vec4 a, vec4 b, float t) {
  float way = dot(a, b) < 0.0 ? -1.0 : 1.0;
  return normalize(a * (1.0 - t) + b * (t * way));
}
vec4 blendSlerp(vec4 a, vec4 b, float t) {
  float cosine = dot(a, b);
  float way = cosine < 0.0 ? -1.0 : 1.0;
  cosine = min(1.0, cosine * way);
  if (cosine >= 0.9995) return normalize(a * (1.0 - t) + b * (t * way));
  float arc = blendArc(sqrt(1.0 - cosine * cosine), cosine);
  return normalize(a * blendSine((1.0 - t) * arc) + b * (blendSine(t * arc) * way));
}`;

const COMPOSE = `mat4 composeMatrix(vec3 position, vec4 orientation, vec3 scale) {
  vec3 v = orientation.xyz;
  vec3 d = v + v;
  vec3 w = orientation.w * d;
  float xx = v.x * d.x, xy = v.x * d.y, xz = v.x * d.z;
  float yy = v.y * d.y, yz = v.y * d.z, zz = v.z * d.z;
  return mat4(
    vec4(1.0 - yy - zz, xy + w.z, xz - w.y, 0.0) * scale.x,
    vec4(xy - w.z, 1.0 - xx - zz, yz + w.x, 0.0) * scale.y,
    vec4(xz + w.y, yz - w.x, 1.0 - xx - yy, 0.0) * scale.z,
    vec4(position, 1.0));
}
mat4 composeMatrix(vec2 position, float angle, vec2 scale) {
  vec2 way = blendTurn(angle);
  return mat4(
    vec4(way, 0.0, 0.0) * scale.x,
    vec4(-way.y, way.x, 0.0, 0.0) * scale.y,
    vec4(0.0, 0.0, 1.0, 0.0),
    vec4(position, 0.0, 1.0));
}`;

/**
 * Holds the functions of the blend in GLSL ES 3.00, for shaders that are written by hand:
 * `blendLerp`, `blendStep` and `blendAngle` (with the period) of one to four floats, `blendFixed`
 * of Q16.16 integers (the result in units), `blendSlerp` and `blendNlerp` of unit quaternions;
 * `blendTurn`, the cosine and sine of an angle in radians; `blendSnaps` and `blendShows` of a
 * slot's words; `composeMatrix` of position, orientation (or an angle in radians) and scale; and
 * `NOWHERE`, a position that draws nothing. `t` is alpha.
 */
export const BLEND_GLSL: string = `const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
bool blendShows(uint laterWord) { return laterWord != 0u; }
bool blendSnaps(uint earlierWord, uint laterWord) {
  return ((earlierWord ^ laterWord) & 0xfffffffdu) != 0u || (laterWord & 2u) != 0u;
}
${LERP}
${STEP}
${ANGLE}
${FIXED}
${ROTATION}
${COMPOSE}
`;
