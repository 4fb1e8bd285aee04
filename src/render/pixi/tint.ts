/** How finely linear light is told apart: less than half a step of the 255 of a code. */
const LEVELS = 8192;

const CODES: Uint8Array = makeCodes();

/**
 * Packs linear light into a colour as pixi keeps it: opacity, blue, green and red from the highest
 * byte on, the last three as sRGB codes. Returns a signed whole number. Values are clamped to
 * [0, 1] and a colour of three numbers is opaque.
 */
export function packTint(paints: Float32Array, at: number, width: number): number {
  const opacity = width > 3 ? opacityOf(paints, at + 3) : 255;
  return (
    codeOf(paints, at) |
    (codeOf(paints, at + 1) << 8) |
    (codeOf(paints, at + 2) << 16) |
    (opacity << 24)
  );
}

function codeOf(paints: Float32Array, at: number): number {
  return CODES[Math.min(LEVELS, Math.max(0, (paints[at] as number) * LEVELS + 0.5)) | 0] as number;
}

function opacityOf(paints: Float32Array, at: number): number {
  return Math.min(255, Math.max(0, (paints[at] as number) * 255 + 0.5)) | 0;
}

/** IEC 61966-2-1. */
function makeCodes(): Uint8Array {
  return Uint8Array.from({ length: LEVELS + 1 }, (_, level) => {
    const light = level / LEVELS;
    const code = light <= 0.0031308 ? light * 12.92 : 1.055 * Math.pow(light, 1 / 2.4) - 0.055;
    return Math.round(code * 255);
  });
}
