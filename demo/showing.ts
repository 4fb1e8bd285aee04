import type { BlendPath } from './blend-path.ts';

/** How a frame is shown. */
export interface Showing {
  path: BlendPath;
  /** Shows the later tick as it is, beside the blend. */
  isSplit: boolean;
}
