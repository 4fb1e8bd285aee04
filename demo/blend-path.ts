/** How the numbers between two ticks come about that a picture is drawn from. */
export type BlendPath = 'entity' | 'javascript' | 'simd' | 'gpu';

/** What the page calls each way, in the order of its choice. */
export const BLEND_PATHS: Readonly<Record<BlendPath, string>> = {
  entity: 'Entity',
  javascript: 'Bulk',
  simd: 'SIMD',
  gpu: 'GPU',
};

/** Tells whether a text names a way. */
export function isBlendPath(name: string): name is BlendPath {
  return Object.hasOwn(BLEND_PATHS, name);
}
