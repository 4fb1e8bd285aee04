export type { BeatReport } from './beat-meter.ts';
export type {
  MatrixOptions,
  MatrixParts,
  RowOptions,
  RowsOf,
  SampleOptions,
  Within,
  WithinFrustum,
  WithinRectangle,
} from './bulk-options.ts';
export { openCamera } from './camera.ts';
export type { Camera, CameraOptions, CameraSample } from './camera.ts';
export type { BlendOf, ChannelName, Frame, FramePair, FrameStatus, SampleStatus } from './frame.ts';
export { frustumPlanes } from './frustum-planes.ts';
export { openHierarchy } from './hierarchy.ts';
export type { Hierarchy, HierarchyParts, HierarchyStatus } from './hierarchy.ts';
export { openView } from './open-view.ts';
export { openSkeleton } from './skeleton.ts';
export type { PaletteOptions, Skeleton, SkeletonOptions, SlotSource } from './skeleton.ts';
export type { TransformParts } from './transform-channels.ts';
export type { ChannelMotion, ChannelMotions } from './motion-options.ts';
export type {
  RenderSystem,
  RenderSystems,
  RenderSystemsStats,
  RenderSystemStats,
} from './render-systems.ts';
export type { Picture, PictureStage } from './picture.ts';
export type { View, ViewOptions, ViewStats } from './view.ts';
export type { QueriedFrame, ViewQuery } from './view-query.ts';
export type { QuerySpec } from '../shared/query-spec.ts';
export { NO_ENTITY } from '../shared/entity.ts';
export type { Entity } from '../shared/entity.ts';
export { EscapementError } from '../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../shared/error.ts';
export type { SimulationHandle } from '../shared/handle.ts';
export type { Instant, MonotonicClock } from '../shared/instant.ts';
export type {
  ColumnOf,
  Blend,
  ComponentSpec,
  ElementWidth,
  FieldType,
  ParamValue,
  ScalarType,
} from '../shared/schema.ts';
export type {
  EventSpec,
  InputSpec,
  Params,
  SimulationTypes,
  Typed,
  TypesOf,
} from '../shared/simulation-types.ts';
