export { InputChannel } from './input-channel.ts';
export type { InputChannelOptions, InputPacketStatus } from './input-channel.ts';
export { createLossyLink } from './lossy-link.ts';
export type { LinkDirectionName, LinkEnd, LossyLink } from './lossy-link.ts';
export type { Delivery, PacketVisitor, SendStatus } from './link-direction.ts';
export type { BurstLoss, JitterShape, LinkConditions, LossyLinkOptions } from './link-options.ts';
export type { LinkStats } from './link-stats.ts';
export { Compressor } from './compression/compressor.ts';
export type {
  CompressFault,
  CompressionPolicy,
  CompressorOptions,
  CompressStatus,
} from './compression/compressor.ts';
export { Decompressor } from './compression/decompressor.ts';
export type {
  DecompressFault,
  DecompressorOptions,
  DecompressStatus,
} from './compression/decompressor.ts';
export { hasEnvelope } from './compression/envelope.ts';
export type { EnvelopeEncoding, EnvelopeFault } from './compression/envelope.ts';
export type { CompressionLimits } from './compression/limits.ts';
export { loadZstd } from './compression/wasm-zstd.ts';
export type { Zstd } from './compression/zstd.ts';
export type { ZstdFrameFault } from './compression/zstd-frame.ts';
