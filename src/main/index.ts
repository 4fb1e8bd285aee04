export { captureFrames } from './capture/capture-frames.ts';
export type {
  CapturedFrame,
  CapturedShot,
  CaptureOptions,
  CaptureView,
  Shot,
} from './capture/capture-frames.ts';
export type { FrameRate } from './capture/frame-rate.ts';
export { createManifest, formatManifest } from './capture/manifest.ts';
export type {
  CaptureDescription,
  CaptureManifest,
  ManifestFrame,
} from './capture/manifest.ts';
export type { Pixels } from './capture/pixel-hash.ts';
export { readPixels } from './capture/read-pixels.ts';
export type { GlContext, PictureContext, PlaneContext } from './capture/read-pixels.ts';
export type { Capabilities } from './capabilities.ts';
export type { EventDrain } from './event-drain.ts';
export type { CatchUpOptions } from './host-waits.ts';
export { consoleSink } from './log-drain.ts';
export type {
  InputSender,
  ProfileOptions,
  QueryCalls,
  RunningSimulation,
} from './running-simulation.ts';
export type { StartOptions } from './start-options.ts';
export { startSimulation } from './start-simulation.ts';
export type { WorkerFactory } from './start-simulation.ts';
export type { SimulationState, SimulationStats } from './stats.ts';
export type { AnyWorker } from './worker-port.ts';
export { EscapementError } from '../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../shared/error.ts';
export type {
  AdvanceResult,
  ClockConfig,
  ClockControl,
  ClockStatus,
} from '../shared/clock-control.ts';
export { ClockKeys, keysBeside } from '../shared/clock-keys.ts';
export type { SceneClockKeys } from '../shared/clock-keys.ts';
export type { ClockMode } from '../shared/clock-options.ts';
export { ControlBinding } from '../shared/control-binding.ts';
export type { FollowerStep } from '../shared/follower-step.ts';
export { FrameTimes } from '../shared/frame-times.ts';
export { createStateTree, StateTree } from '../shared/state-tree.ts';
export type { StateListener, StateTreeOptions, StateValue } from '../shared/state-tree.ts';
export type { Rational } from '../shared/rational.ts';
export { ticksPerStep } from '../shared/ticks-per-step.ts';
export type { SimulationHandle } from '../shared/handle.ts';
export type { Instant, MonotonicClock } from '../shared/instant.ts';
export { openFollower } from '../shared/open-follower.ts';
export type {
  DriveResult,
  Follower,
  FollowerOptions,
  StepWaitReason,
  WaitOptions,
} from '../shared/follower.ts';
export type { CaughtUp, CaughtUpReason, FollowerLag } from '../shared/follower-wait.ts';
export { openControl } from '../shared/open-control.ts';
export type { OpenControl } from '../shared/open-control.ts';
export { formatLogLine } from '../shared/log-line.ts';
export type { LogFields, LogLevel, LogRecord, LogSeverity, LogSink } from '../shared/log.ts';
export type {
  FrameProfile,
  FrameRecord,
  ProfileReport,
  ReportBudgets,
  SystemBudget,
  SystemProfile,
  TickProfile,
  TimeProfile,
  Verdict,
} from '../shared/profile-report.ts';
export { readReplay } from '../shared/replay/replay-reader.ts';
export type { RecordingResult } from '../shared/replay/memory-sink.ts';
export type { ByteStream, RecordOptions } from '../shared/replay/record-options.ts';
export type {
  HashEntry,
  Keyframe,
  Replay,
  ReplayEndReason,
  ReplayHeader,
  ReplayKeyframe,
  ReplaySink,
  VisitInput,
} from '../shared/replay/replay.ts';
export type { Recording } from './recording.ts';
export type { ReplayControl } from './replay-control.ts';
export type { InlineSimulation, ReplayStatus, StateReading, Tier } from '../shared/protocol.ts';
export type { RunOptions } from '../shared/run-options.ts';
export type { ComponentSpec, FieldType, ParamValue, ScalarType } from '../shared/schema.ts';
export type {
  EventSpec,
  EventValues,
  InputSpec,
  InputValues,
  Params,
  SimulationEvent,
  SimulationTypes,
  Typed,
  TypesOf,
  ValueOf,
} from '../shared/simulation-types.ts';
export type { TickChange, TickWaitReason } from '../shared/tick-wait.ts';
