export {
  angle,
  colour,
  eulerAngles,
  fixed,
  list,
  position2d,
  position3d,
  quaternion,
  reference,
  scalar,
  sparse,
  step,
  tag,
  vec2,
  vec3,
  vec4,
} from './component.ts';
export { AnimationClip } from './animation-clip.ts';
export type { AnimationClipData, AnimationTrack } from './animation-tracks.ts';
export { linearColour } from './linear-colour.ts';
export { defineSimulation } from './definition.ts';
export type {
  BoundQuery,
  ForeignState,
  NoneDeclared,
  PacingKind,
  SimulationDefinition,
  SimulationOptions,
  TypesFrom,
} from './definition.ts';
export type { SimulationContext, SystemSpec, TickContext } from './context.ts';
export { CommandBuffer } from './command-buffer.ts';
export type { ComponentStore, ComponentValue } from './component-store.ts';
export type { Columns, ComponentSpecs, ComponentValues } from './component-values.ts';
export { createSystems } from './create-systems.ts';
export type { SystemsOptions, WorldTypes } from './create-systems.ts';
export { createWorld } from './create-world.ts';
export type { StandaloneOptions } from './create-world.ts';
export { ClockBinding } from './clock-binding.ts';
export { ClockDriver } from './clock-driver.ts';
export type { ClockDriverOptions } from './clock-driver.ts';
export { DriverFollower } from './driver-follower.ts';
export type { FollowedClock } from './driver-follower.ts';
export type { FollowerStep } from '../shared/follower-step.ts';
export { expectSameTrajectory } from './same-trajectory.ts';
export type { LocalRun } from './local-simulation.ts';
export type { TrajectoryOptions, TrajectoryReport, TrajectoryRun } from './same-trajectory.ts';
export { GameLoop } from './game-loop.ts';
export type {
  GameLoopOptions,
  LoopProfiler,
  LoopStats,
  LoopStatus,
  LoopTarget,
} from './game-loop.ts';
export type { PresentationClock } from './presentation-alpha.ts';
export type { PresentationOptions } from './presentation-options.ts';
export { PresentationSnapshot } from './presentation-snapshot.ts';
export type { PositionStatus, RefreshStatus } from './presentation-snapshot.ts';
export { AmbientTrap } from './ambient-trap.ts';
export { HeadlessSimulation, openHeadless } from './headless-simulation.ts';
export type { HeadlessOutcome, HeadlessSimulationOptions } from './headless-simulation.ts';
export { HeadlessRunner } from './headless.ts';
export type {
  HeadlessOptions,
  HeadlessResource,
  HeadlessResult,
  HeadlessStatus,
  HeadlessTarget,
  StopSignal,
} from './headless.ts';
export { inline } from './inline.ts';
export type { InlineOptions } from './inline.ts';
export { runSimulation } from './run-simulation.ts';
export { World } from './world.ts';
export type { WorldOptions } from './world.ts';
export type { WorldGuardStats } from './world-guard.ts';
export { Query } from './query.ts';
export type { QuerySpec } from '../shared/query-spec.ts';
export { SparseRows } from './sparse-rows.ts';
export { Profiler } from './profiler.ts';
export { SystemSet } from './system-set.ts';
export type { SystemSetOptions } from './system-set.ts';
export type { ScheduleWarning, SystemSchedule } from './schedule.ts';
export { StateHash } from './state-hash.ts';
export { compareHashTrees } from '../shared/hash-tree.ts';
export type { HashDifference, HashPart, HashPartKind, HashTree } from '../shared/hash-tree.ts';
export type { ForeignHash, HashPlace, NanReport } from './state-hash.ts';
export { NO_ENTITY } from '../shared/entity.ts';
export type { Entity, EntityArray } from '../shared/entity.ts';
export type {
  AdvanceResult,
  ClockConfig,
  ClockControl,
  ClockReadout,
  ClockStatus,
} from '../shared/clock-control.ts';
export type { StateReading } from '../shared/protocol.ts';
export type { Rational } from '../shared/rational.ts';
export { ClockKeys, keysBeside } from '../shared/clock-keys.ts';
export type { SceneClockKeys } from '../shared/clock-keys.ts';
export type { ClockMode } from '../shared/clock-options.ts';
export { FrameTimes } from '../shared/frame-times.ts';
export { createStateTree, StateTree } from '../shared/state-tree.ts';
export type { StateListener, StateTreeOptions, StateValue } from '../shared/state-tree.ts';
export { ticksPerStep } from '../shared/ticks-per-step.ts';
export { EscapementError } from '../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../shared/error.ts';
export type { Instant, MonotonicClock } from '../shared/instant.ts';
export { createLog, Log } from '../shared/log.ts';
export type {
  LogFields,
  LogLevel,
  LogOptions,
  LogRecord,
  LogSink,
  SubsystemLog,
} from '../shared/log.ts';
export { formatLogLine } from '../shared/log-line.ts';
export type { ProfileReport, ReportBudgets, SystemBudget } from '../shared/profile-report.ts';
export type { RunOptions } from '../shared/run-options.ts';
export { Random } from '../shared/math/random.ts';
export { atan2, cos, sin } from '../shared/math/trig.ts';
export { exp, log, pow } from '../shared/math/exp.ts';
export { log10, log2 } from '../shared/math/log-bases.ts';
export { cbrt, hypot } from '../shared/math/roots.ts';
export {
  addF32,
  clampF32,
  divF32,
  equalsF32,
  greaterF32,
  greaterOrEqualF32,
  isFiniteF32,
  isInfiniteF32,
  isNaNF32,
  isOrderedF32,
  length2F32,
  length3F32,
  lerpF32,
  lessF32,
  lessOrEqualF32,
  mulF32,
  normalise2F32,
  normalise3F32,
  notEqualsF32,
  sqrtF32,
  subF32,
  toF32,
} from '../shared/math/f32.ts';
export {
  absFixed,
  addFixed,
  clampFixed,
  divFixed,
  FIXED_MAX,
  FIXED_MIN,
  FIXED_ONE,
  fixedFromInt,
  fixedToInt,
  fromFixed,
  lerpFixed,
  maxFixed,
  minFixed,
  mulFixed,
  negFixed,
  sqrtFixed,
  subFixed,
  toFixed,
} from '../shared/math/fixed.ts';
export { fixedFaults, resetFixedFaults } from '../shared/math/fixed-faults.ts';
export type { FixedFaults } from '../shared/math/fixed-faults.ts';
export {
  atan2Fixed,
  cosFixed,
  expFixed,
  logFixed,
  powFixed,
  sinFixed,
} from '../shared/math/fixed-functions.ts';
export {
  length2Fixed,
  length3Fixed,
  lerpFixedInto,
  normalise2Fixed,
  normalise3Fixed,
} from '../shared/math/fixed-vector.ts';
export { keyframeBefore } from '../shared/replay/replay-position.ts';
export { replayDifferences } from '../shared/replay/replay-identity.ts';
export type { RequestedRun, SimulationIdentity } from '../shared/replay/replay-identity.ts';
export { readReplay } from '../shared/replay/replay-reader.ts';
export type { RecordingResult } from '../shared/replay/memory-sink.ts';
export type { ByteStream, RecordOptions, RecordPeriods } from '../shared/replay/record-options.ts';
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
export { LocalReplay, openReplay } from './open-replay.ts';
export type { ReplayOptions, VerifyReport } from './open-replay.ts';
export type { Divergence } from './replay-player.ts';
export { openRollback, Rollback } from './rollback.ts';
export type { RollbackOptions, TickInputValues } from './rollback.ts';
export type { WorldBlock } from './world-block.ts';
export type { InlineSimulation } from '../shared/protocol.ts';
export type { QuantumOptions } from '../shared/rational.ts';
export type {
  Blend,
  ColumnOf,
  ComponentSchema,
  ComponentSpec,
  EventSchema,
  FieldSchema,
  FieldType,
  InputSchema,
  ParamValue,
  ScalarType,
  Schema,
} from '../shared/schema.ts';
export type {
  EventSpec,
  EventValues,
  InputSpec,
  InputValues,
  Params,
  SimulationTypes,
  Typed,
  TypesOf,
  ValueOf,
  Widen,
} from '../shared/simulation-types.ts';
