import type { Entity } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { ComponentSpec } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { composeAffine, type Numbers, type TransformColumns } from './affine.ts';
import type { ChannelName, Frame, SampleStatus } from './frame.ts';
import type { View } from './view.ts';

/** The channels that an entity's transform is made of. */
export interface TransformParts<K extends string = string> {
  /** Two numbers (z is 0) or three. An entity without it has no transform. */
  readonly position: K;
  /** A quaternion, or an angle of any period. Without it an entity is not turned. */
  readonly orientation?: K;
  /** The axis that an angle turns about; z by default. */
  readonly axis?: 'x' | 'y' | 'z';
  /** One number for all directions, two for x and y, or three. Without it there is no scale. */
  readonly scale?: K;
}

const NONE: Float32Array = new Float32Array(0);
/** A full turn in radians. */
const TURN = 6.283185307179586;

/** The channels of transforms, opened: their columns as a frame blends them, and at one tick. */
export class TransformChannels<T extends SimulationTypes> {
  readonly parts: TransformParts<ChannelName<T>>;
  /** Rows of the frame at hand. */
  readonly blended: TransformColumns;
  /** Rows by slot index at the later tick. */
  readonly later: TransformColumns;
  /** The one row of an entity that was sampled. */
  readonly #sampled: TransformColumns;

  /** Opens the channels. Throws NAME_UNKNOWN, and OPTION_INVALID for one that does not fit. */
  constructor(view: View<T>, parts: TransformParts<ChannelName<T>>) {
    this.parts = parts;
    this.blended = openColumns(view, parts);
    this.later = { ...this.blended };
    this.#sampled = {
      ...this.blended,
      position: roomFor(view, parts.position),
      orientation: roomFor(view, parts.orientation),
      scale: roomFor(view, parts.scale),
    };
  }

  /** Blends the channels of a frame. */
  blend(frame: Frame<T>): void {
    const { parts, blended } = this;
    blended.position = frame.blend(parts.position) as Numbers;
    if (parts.orientation !== undefined) {
      blended.orientation = frame.blend(parts.orientation) as Numbers;
    }
    if (parts.scale !== undefined) blended.scale = frame.blend(parts.scale) as Numbers;
  }

  /** Points the later columns at those of a frame. */
  point({ pair }: Frame<T>): void {
    const { parts, later } = this;
    later.position = pair.later(parts.position) as Numbers;
    if (parts.orientation !== undefined) {
      later.orientation = pair.later(parts.orientation) as Numbers;
    }
    if (parts.scale !== undefined) later.scale = pair.later(parts.scale) as Numbers;
  }

  /** Writes the transform of a blended row. Returns whether there is one. */
  composeInto(row: number, out: Float64Array): boolean {
    const { blended } = this;
    const { position, positionWidth, orientation, turn, scale, scaleWidth } = blended;
    // Blended rows of entities without the component are NaN.
    if (Number.isNaN(position[row * positionWidth])) return false;
    const turnWidth = turn === 'quaternion' ? 4 : 1;
    const isTurned = turn !== 'none' && !Number.isNaN(orientation[row * turnWidth]);
    const isScaled = scaleWidth > 0 && !Number.isNaN(scale[row * scaleWidth]);
    composeAffine(blended, row, isTurned, isScaled, out, 0);
    return true;
  }

  /** Writes the transform of one entity, unless the status is neither `ok` nor `snapped`. */
  sampleInto(frame: Frame<T>, entity: Entity, out: Float64Array): SampleStatus {
    const sampled = this.#sampled;
    const { position, orientation, scale } = this.parts;
    const status = frame.sample(entity, position, sampled.position);
    if (status !== 'ok' && status !== 'snapped') return status;
    const isTurned = has(frame, entity, orientation, sampled.orientation);
    composeAffine(sampled, 0, isTurned, has(frame, entity, scale, sampled.scale), out, 0);
    return status;
  }
}

/** Samples a channel of an entity that lives, if there is such a channel and it has it. */
function has<T extends SimulationTypes>(
  frame: Frame<T>,
  entity: Entity,
  channel: ChannelName<T> | undefined,
  out: Numbers,
): boolean {
  return channel !== undefined && frame.sample(entity, channel, out) !== 'no-component';
}

function roomFor<T extends SimulationTypes>(
  view: View<T>,
  channel: ChannelName<T> | undefined,
): Numbers {
  if (channel === undefined) return NONE;
  return view.channel(channel).scalar === 'f64' ? new Float64Array(4) : new Float32Array(4);
}

function openColumns<T extends SimulationTypes>(
  view: View<T>,
  parts: TransformParts<ChannelName<T>>,
): TransformColumns {
  const { position, orientation, axis = 'z', scale } = parts;
  if (!['x', 'y', 'z'].includes(axis)) {
    throw new EscapementError('OPTION_INVALID', '`axis` is no axis.', {
      given: JSON.stringify(axis),
      allowed: '"x", "y" or "z"',
    });
  }
  const place = checkChannel(view, position, 'position', isPlace);
  const turn = orientation && checkChannel(view, orientation, 'orientation', isTurn);
  const size = scale && checkChannel(view, scale, 'scale', isSize);
  return {
    position: NONE,
    positionWidth: place.width,
    orientation: NONE,
    turn: turn === undefined ? 'none' : turn.width === 4 ? 'quaternion' : axis,
    radians: turn?.blend === 'angle' ? TURN / turn.period : 1,
    scale: NONE,
    scaleWidth: size?.width ?? 0,
  };
}

interface Requirement {
  readonly allowed: string;
  readonly fits: (spec: ComponentSpec) => boolean;
}

const isPlace: Requirement = {
  allowed: 'two or three f32 or f64',
  fits: ({ width }) => width === 2 || width === 3,
};

const isTurn: Requirement = {
  allowed: 'a quaternion, or one angle',
  fits: ({ width, blend }) =>
    (width === 4 && (blend === 'slerp' || blend === 'nlerp' || blend === 'step')) ||
    (width === 1 && blend === 'angle'),
};

const isSize: Requirement = {
  allowed: 'one, two or three f32 or f64',
  fits: ({ width }) => width >= 1 && width <= 3,
};

/** Returns how a channel is stored. Throws OPTION_INVALID for one that is no such thing. */
function checkChannel<T extends SimulationTypes>(
  view: View<T>,
  name: ChannelName<T>,
  what: string,
  { allowed, fits }: Requirement,
): ComponentSpec {
  const spec = view.channel(name);
  const isList = spec.element !== undefined;
  const isFloat = spec.scalar === 'f32' || spec.scalar === 'f64';
  if (!isList && isFloat && fits(spec)) return spec;
  throw channelFault(name, what, spec, allowed);
}

/** Makes the error for a channel that is not what is asked for. */
export function channelFault(
  name: string,
  what: string,
  { width, scalar, blend }: ComponentSpec,
  allowed: string,
): EscapementError {
  return new EscapementError('OPTION_INVALID', `Channel "${name}" is no ${what}.`, {
    given: `${width} x ${scalar}, blended by ${blend}`,
    allowed,
  });
}
