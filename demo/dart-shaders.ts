/** How far a point reaches from its middle, and how far that lies behind the dart's. */
const REACH = 2.0;
const SHIFT = 0.6;

/** Covers the canvas with one triangle, made of nothing but its vertices' numbers. */
export const BACKDROP_VERTEX = `#version 300 es
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

/** Lights the dark from above, and softly around the pointer. Dithered: eight bits would band. */
export const BACKDROP_FRAGMENT = `#version 300 es
precision highp float;
uniform vec2 viewport;
// x, y in pixels from the lower left; radius in pixels; strength from 0 to 1.
uniform vec4 pointer;
out vec4 colour;

float noise(vec2 at) {
  return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
}

void main() {
  vec2 at = gl_FragCoord.xy / viewport;
  float far = length((at - vec2(0.42, 0.62)) * vec2(viewport.x / viewport.y, 1.0));
  vec3 light = mix(vec3(0.043, 0.055, 0.098), vec3(0.012, 0.014, 0.026), smoothstep(0.0, 1.1, far));
  float away = length(gl_FragCoord.xy - pointer.xy) / pointer.z;
  float halo = exp(-2.2 * away * away) * 0.055;
  float ring = exp(-900.0 * (away - 0.42) * (away - 0.42)) * 0.05;
  light += vec3(0.55, 0.72, 1.0) * (halo + ring) * pointer.w;
  colour = vec4(light + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}`;

/** Where a dart's numbers come from, in GLSL. */
export interface DartSource {
  /** Attributes, uniforms and functions that the others need. */
  readonly declares: string;
  /** A vec2, a float of radians, a bool. */
  readonly position: string;
  readonly heading: string;
  readonly isShown: string;
}

/** Numbers that were blended before: an attribute each. */
export const BLENDED_BEFORE: DartSource = {
  declares: `layout(location = 0) in vec2 position;
layout(location = 1) in float heading;`,
  position: 'position',
  heading: 'heading',
  isShown: 'true',
};

/**
 * Places one point a body: a square around dart, glow and trail, which the fragment turns the way
 * the body heads. Points and not instances of a quad: those took twice as long (200 ms a frame of
 * 10,000 in software, against 108). Lengths are in half lengths of a dart. Colour goes around the
 * compass in four stops whose weights, the squares of the direction's positive parts, always add
 * up to one.
 */
export function dartVertex({ declares, position, heading, isShown }: DartSource): string {
  return `#version 300 es
${declares}
uniform vec4 worldToClip;
uniform vec2 viewport;
// Half the length of a dart, in pixels.
uniform float size;
// 1 draws discs.
uniform float isRound;
// 1 colours by row, for bodies without a heading.
uniform float byRow;
flat out vec2 forward;
flat out vec3 tint;

const vec3 EAST = vec3(0.26, 0.80, 1.00);
const vec3 NORTH = vec3(0.45, 0.48, 1.00);
const vec3 WEST = vec3(1.00, 0.42, 0.66);
const vec3 SOUTH = vec3(1.00, 0.74, 0.40);

void main() {
  float turn = mix(${heading}, float(gl_VertexID) * 2.399963, byRow);
  vec2 way = vec2(cos(turn), sin(turn));
  vec2 ahead = max(way, 0.0) * max(way, 0.0);
  vec2 behind = max(-way, 0.0) * max(-way, 0.0);
  tint = EAST * ahead.x + NORTH * ahead.y + WEST * behind.x + SOUTH * behind.y;
  forward = normalize(way * worldToClip.xy * viewport);
  vec2 back = forward * size * mix(${SHIFT.toFixed(1)}, 0.0, isRound);
  vec2 place = ${position} * worldToClip.xy + worldToClip.zw - back * 2.0 / viewport;
  gl_Position = ${isShown} ? vec4(place, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size * mix(${(2 * REACH).toFixed(1)}, 2.4, isRound);
}`;
}

/** Fills a dart with a notched tail, or a disc, and lets it glow and trail. */
export const DART_FRAGMENT = `#version 300 es
precision highp float;
uniform float size;
uniform float isRound;
flat in vec2 forward;
flat in vec3 tint;
out vec4 colour;

void main() {
  vec2 at = (gl_PointCoord * 2.0 - 1.0) * vec2(1.0, -1.0) * mix(${REACH.toFixed(1)}, 1.2, isRound);
  at = vec2(dot(at, forward), abs(dot(at, vec2(-forward.y, forward.x))));
  at.x -= mix(${SHIFT.toFixed(1)}, 0.0, isRound);
  float flank = (0.36 * (1.0 - at.x) - at.y) * 0.94;
  float notch = (at.x + 0.42 + 0.5 * at.y) * 0.89;
  float inside = mix(min(flank, notch), 0.55 - length(at), isRound);
  float body = clamp(inside * size + 0.5, 0.0, 1.0);
  vec2 fromHeart = at - vec2(0.15 * (1.0 - isRound), 0.0);
  float glow = max(0.0, 1.0 - dot(fromHeart, fromHeart) * 0.72);
  float rear = clamp((at.x + 2.6) * 0.45, 0.0, 1.0) * clamp(-3.0 * at.x, 0.0, 1.0);
  float trail = rear * rear * max(0.0, 1.0 - at.y * 3.4) * (1.0 - isRound);
  vec3 core = mix(tint, vec3(1.0), 0.22);
  colour = vec4(core * body * 0.85 + tint * (glow * glow * 0.15 + trail * 0.4), 1.0);
}`;
