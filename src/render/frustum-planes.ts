/**
 * Writes the six planes of a view into `out`, (a, b, c, d) each: left, right, bottom, top, near,
 * far. Inside is where a x + b y + c z + d >= 0, in the coordinates that the matrix takes; normals
 * have length 1 and point inwards. `viewProjection` is projection x view, 16 numbers column by
 * column. `depth` says where the projection puts the near plane: at -1 (`webgl`, the default) or at
 * 0 (`webgpu`). A plane at infinity holds back nothing. After Gribb and Hartmann, "Fast Extraction
 * of Viewing Frustum Planes from the World-View-Projection Matrix", 2001.
 */
export function frustumPlanes(
  viewProjection: ArrayLike<number>,
  out: Float32Array,
  depth: 'webgl' | 'webgpu' = 'webgl',
): Float32Array {
  const m = viewProjection;
  for (let plane = 0; plane < 6; plane++) {
    const row = plane >>> 1;
    const sign = (plane & 1) === 0 ? 1 : -1;
    // The near plane of a depth from 0 on is the third row alone.
    const share = plane === 4 && depth === 'webgpu' ? 0 : 1;
    const a = share * (m[3] as number) + sign * (m[row] as number);
    const b = share * (m[7] as number) + sign * (m[4 + row] as number);
    const c = share * (m[11] as number) + sign * (m[8 + row] as number);
    const d = share * (m[15] as number) + sign * (m[12 + row] as number);
    const length = Math.sqrt(a * a + b * b + c * c);
    const at = plane * 4;
    out[at] = length > 0 ? a / length : 0;
    out[at + 1] = length > 0 ? b / length : 0;
    out[at + 2] = length > 0 ? c / length : 0;
    out[at + 3] = length > 0 ? d / length : 1;
  }
  return out;
}
