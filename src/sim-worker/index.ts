export {
  angle,
  fixed,
  position2d,
  position3d,
  quaternion,
  scalar,
  step,
  vec2,
  vec3,
  vec4,
} from './component.ts';
export { defineSimulation } from './definition.ts';
export type {
  BoundQuery,
  ForeignState,
  NoneDeclared,
  PacingKind,
  SimulationContext,
  SimulationDefinition,
  SimulationOptions,
  SystemSpec,
  TickContext,
  TypesFrom,
} from './definition.ts';
export { inline } from './inline.ts';
export type { InlineOptions } from './inline.ts';
export { runSimulation } from './run-simulation.ts';
export { World } from './world.ts';
export type { Columns, ComponentSpecs, ComponentValue, ComponentValues } from './world.ts';
export { NO_ENTITY } from '../shared/entity.ts';
export type { Entity } from '../shared/entity.ts';
export { EscapementError } from '../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../shared/error.ts';
export type { Instant, MonotonicClock } from '../shared/instant.ts';
export type { LogFields, LogLevel, LogRecord, SubsystemLog } from '../shared/log.ts';
export { Random } from '../shared/math/random.ts';
export { atan2, cos, sin } from '../shared/math/trig.ts';
export { fromFixed, lerpFixed, toFixed } from '../shared/math/fixed.ts';
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
