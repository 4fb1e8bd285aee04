export { BulkParticles } from './bulk-particles.ts';
export type { BulkParticlesOptions } from './bulk-particles.ts';
export { GpuSprites } from './gpu-sprites.ts';
export type { GpuSpritesOptions } from './gpu-sprites.ts';
export type { SpriteChannels, SpriteSize } from './sprite-layout.ts';
export { EscapementError } from '../../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../../shared/error.ts';
