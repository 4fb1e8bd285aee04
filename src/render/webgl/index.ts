export { BLEND_GLSL } from './blend-glsl.ts';
export { createBlendedColumns } from './blended-columns.ts';
export type { BlendedColumns, BlendedColumnsOptions } from './blended-columns.ts';
export { createBlendedShapes } from './blended-shapes.ts';
export type {
  BlendedShapes,
  BlendedShapesOptions,
  ShapeKind,
  ShapeLook,
} from './blended-shapes.ts';
export { EscapementError } from '../../shared/error.ts';
export type { ErrorCode, ErrorDetail, ErrorRecord } from '../../shared/error.ts';
