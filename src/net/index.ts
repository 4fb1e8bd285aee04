export { InputChannel } from './input-channel.ts';
export type { InputChannelOptions, InputPacketStatus } from './input-channel.ts';
export { createLossyLink } from './lossy-link.ts';
export type { LinkDirectionName, LinkEnd, LossyLink } from './lossy-link.ts';
export type { Delivery, PacketVisitor, SendStatus } from './link-direction.ts';
export type { BurstLoss, JitterShape, LinkConditions, LossyLinkOptions } from './link-options.ts';
export type { LinkStats } from './link-stats.ts';
