/** The ways in which a picture is blended; what each does is in `pictures.ts`. */
export const PATH_NAMES = ['per entity', 'bulk JavaScript', 'bulk SIMD', 'GPU'] as const;

export type PathName = (typeof PATH_NAMES)[number];
