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
export type { CodedReplica } from './entropy/coded-replica.ts';
export type { CodingEffort } from './entropy/coding-effort.ts';
export { NetError } from './net-error.ts';
export type {
  CodecForm,
  FieldCodec,
  FieldColumn,
  FieldScalar,
  LaneSpec,
} from './record/field-codec.ts';
export type { Lane, LaneKind } from './record/lane.ts';
export type { FieldBlend, FieldCheck, FieldShape, RecordShape } from './record/record-shape.ts';
export { fingerprint } from './snapshot/fingerprint.ts';
export { interpolate } from './snapshot/interpolate.ts';
export type { InterpolateFault } from './snapshot/interpolate.ts';
export { PresenceHold } from './snapshot/presence-hold.ts';
export { reconstruct, reconstructValid } from './snapshot/reconstruct.ts';
export type { ReconstructStatus } from './snapshot/reconstruct.ts';
export type { RowFaultName } from './snapshot/row-fault.ts';
export { validateSnapshot } from './snapshot/snapshot-check.ts';
export type { SnapshotFault } from './snapshot/snapshot-check.ts';
export { SnapshotPair } from './snapshot/snapshot-pair.ts';
export type { ApplyStatus } from './snapshot/snapshot-pair.ts';
export { SnapshotKind, SnapshotUpdate } from './snapshot/snapshot-update.ts';
export { Snapshot } from './snapshot/snapshot.ts';
export { validateUpdate } from './snapshot/update-check.ts';
export type { UpdateFault } from './snapshot/update-check.ts';
export { Packetizer } from './packets/packetizer.ts';
export type { PrepareStatus } from './packets/packetizer.ts';
export { Reassembler } from './packets/reassembler.ts';
export type { PacketFault, ReassemblyStatus } from './packets/reassembler.ts';
export type { IncompleteGroup, ReassemblyStats } from './packets/reassembly-stats.ts';
export type { PacketOptionFault, PacketOptions } from './packets/packet-options.ts';
export {
  ACK_BYTES,
  DeliveryMessage,
  encodeAck,
  encodeRecoveryRequest,
  RECOVERY_REQUEST_BYTES,
} from './delivery/delivery-message.ts';
export type { DeliveryMessageStatus } from './delivery/delivery-message.ts';
export { codedExtra } from './delivery/coded-extra.ts';
export { ServerDelivery } from './delivery/server-delivery.ts';
export type { AckOutcome, RecoveryReason } from './delivery/server-delivery.ts';
export { ClientDelivery } from './delivery/client-delivery.ts';
export type { ReceivedHeader, ReceiveStatus } from './delivery/client-delivery.ts';
export type { ClientDeliveryOptions, ServerDeliveryOptions } from './delivery/delivery-options.ts';
export type { ResultExtra, RetainedResult } from './delivery/retained-result.ts';
export type { RetentionVerdict } from './delivery/retention-plan.ts';
export { BandSchedule } from './pipeline/band-schedule.ts';
export { ClientReplicationState } from './pipeline/client-state.ts';
export type { EncodeRequest, Replica } from './pipeline/encode-request.ts';
export type { EncodeResult, SkipReason } from './pipeline/encode-result.ts';
export { FrameSnapshot } from './pipeline/frame-snapshot.ts';
export type { FrameSnapshotOptions, TickFrame } from './pipeline/frame-snapshot.ts';
export type { InterestSource } from './pipeline/interest.ts';
export type {
  DeltaReport,
  InterestReport,
  LodReport,
  QualityReport,
  Representation,
  SizeReport,
} from './pipeline/reports.ts';
export type { SelectionSettings } from './pipeline/selection-settings.ts';
export { TickSource } from './pipeline/tick-source.ts';
export type { TickSourceOptions } from './pipeline/tick-source.ts';
export type { SnapshotRules } from './snapshot/snapshot-rules.ts';
export { UpdateEncoder } from './pipeline/update-encoder.ts';
export type { UpdateEncoderParts } from './pipeline/update-encoder.ts';
export type { UpdateWriter } from './pipeline/update-writer.ts';
export { bytes, getBytes, putBytes } from './record/bytes-field.ts';
export { direction } from './record/direction-field.ts';
export type { FieldFault, FieldKind, FieldSpec } from './record/field-spec.ts';
export { float32, quantised } from './record/float-field.ts';
export type { QuantisedOptions } from './record/float-field.ts';
export { bool, enumeration, int, uint } from './record/integer-field.ts';
export { interned } from './record/interned-field.ts';
export { NameTable } from './record/name-table.ts';
export { orientation } from './record/orientation-field.ts';
export { defineRecord } from './record/record-definition.ts';
export type { RecordDefinition, RecordFault, RecordOptions } from './record/record-definition.ts';
export { ReferenceField } from './record/reference-record.ts';
export { turn } from './record/turn-field.ts';
export type { TurnOptions } from './record/turn-field.ts';
export { resolveDefinition, Technique } from './pipeline/definition.ts';
export type {
  AreaOfInterest,
  EntropyEffort,
  LevelOfDetail,
  PipelineDefinition,
  PipelineOptions,
  PositionBounds,
  Triple,
} from './pipeline/definition.ts';
export { definePipeline } from './pipeline/pipeline.ts';
export type { Pipeline } from './pipeline/pipeline.ts';
export { validatePipelineDefinition } from './pipeline/validate-definition.ts';
export type { PipelineFault } from './pipeline/validate-definition.ts';
export { DecodeResult } from './wire/decode-result.ts';
export type { DecodeBaseline, DecodeStatus, ReceiverState } from './wire/decode-result.ts';
export { decodeUpdate } from './wire/decode-update.ts';
export type { CodedRecordsStatus } from './wire/coded-records.ts';
export type { MaskedStatus } from './wire/masked-records.ts';
export type { LayoutName, RecordLayout } from './wire/record-layout.ts';
export { inspectHeader, UpdateHeader } from './wire/update-header.ts';
export type { HeaderStatus } from './wire/update-header.ts';
export { UpdateOutput } from './endpoint/update-output.ts';
export type { PackFault } from './endpoint/update-output.ts';
export { UpdateReceiver } from './endpoint/update-receiver.ts';
export type {
  ReceiveDetail,
  ReceiveOutcome,
  ReceiveStage,
  UpdateReceiverOptions,
} from './endpoint/update-receiver.ts';
export { UpdateSender } from './endpoint/update-sender.ts';
export type {
  MessageOutcome,
  SendRequest,
  SenderStatus,
  UpdateSenderOptions,
} from './endpoint/update-sender.ts';
export type { TransferOptions } from './endpoint/transfer-options.ts';
