import { type Entity, HandleCodec } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import { type Column, type ComponentSpec, elementWidth } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import {
  composeProjection,
  composeView,
  normaliseDirection,
  orientationFromDirection,
  orientationFromEuler,
} from './camera-matrices.ts';
import type { ChannelName, Frame, SampleStatus } from './frame.ts';
import type { View } from './view.ts';

/** Which channels make a camera; at most one of `orientation`, `eulerAngles` and `direction`. */
export interface CameraOptions<T extends SimulationTypes = SimulationTypes> {
  /** Where it stands: two numbers (z is 0) or three; f32, f64 or fixed. */
  readonly position: ChannelName<T>;
  /** How it is turned: a quaternion. Without any of the three it looks along -z, y up. */
  readonly orientation?: ChannelName<T>;
  /**
   * How it is turned: pitch, yaw and roll, declared by `eulerAngles()`. At 0 it looks along -z.
   * Positive pitch looks up, positive yaw turns left, positive roll leans to the left. It is rolled
   * first, then pitched, then turned (three's order 'YXZ').
   */
  readonly eulerAngles?: ChannelName<T>;
  /**
   * Where it looks: a vector of three numbers, blended linearly and then brought to length 1. Where
   * the blend has no length the later tick's counts; where that has none, -z.
   */
  readonly direction?: ChannelName<T>;
  /** What is up for a `direction`; (0, 1, 0) by default. */
  readonly up?: readonly [number, number, number];
  /**
   * The whole vertical angle of view: a channel of one number, or a number of radians. One that is
   * declared by `angle(period)` is in its unit, any other in radians. A third of pi by default.
   */
  readonly fieldOfView?: ChannelName<T> | number;
}

/** A camera in one frame: the same object every time, filled anew by each read. */
export interface CameraSample {
  /**
   * What became of the camera's entity. Unless it is `ok` or `snapped`, the rest is what the last
   * good read left.
   */
  readonly status: SampleStatus;
  /** x, y, z. */
  readonly position: Float64Array;
  /** A unit quaternion: x, y, z, w. */
  readonly orientation: Float64Array;
  /** The whole vertical angle of view, in radians. */
  readonly fieldOfView: number;
  /** World to camera, 4x4 and column-major, right-handed: the camera looks along its -z. */
  readonly viewMatrix: Float32Array;
  /**
   * Fills `out` with the projection, 4x4 and column-major: depth from -1 at `near` to 1 at `far`,
   * which may be Infinity. `aspect` is width by height. Returns `out`. Throws VALUE_INVALID.
   */
  projectionInto<A extends { [index: number]: number }>(
    aspect: number,
    near: number,
    far: number,
    out: A,
  ): A;
}

/** Reads a camera from frames; made by `openCamera`. */
export interface Camera<T extends SimulationTypes = SimulationTypes> {
  /** Reads the camera that `entity` is, as the frame has it: at its ticks and its alpha. */
  read(frame: Frame<T>, entity: Entity): CameraSample;
}

const FIELD_OF_VIEW = Math.PI / 3;
const TURN = 2 * Math.PI;
/** One in Q16.16. */
const FIXED_ONE = 65536;

/**
 * Makes a camera of a view's channels. It blends as they do, in the frame of its target: what is
 * drawn beside it does not tremble. Throws NAME_UNKNOWN for a channel that is not published and
 * OPTION_INVALID for one that is of the wrong kind.
 */
export function openCamera<T extends SimulationTypes>(
  view: View<T>,
  options: CameraOptions<T>,
): Camera<T> {
  return new ChannelCamera<T>(view, options);
}

type Turning = 'orientation' | 'eulerAngles' | 'direction';

class ChannelCamera<T extends SimulationTypes> implements Camera<T> {
  readonly #sample: Sample = new Sample();
  readonly #position: ChannelName<T>;
  readonly #positionScale: number;
  readonly #turning: Turning | undefined;
  readonly #turningChannel: ChannelName<T> | undefined;
  /** Radians by unit of the Euler angles, and of the field of view. */
  readonly #angleScale: number;
  readonly #fieldOfView: ChannelName<T> | undefined;
  readonly #fieldScale: number;
  readonly #up: Float64Array;
  readonly #codec: HandleCodec;
  readonly #read: Float64Array = new Float64Array(4);
  readonly #place: Float64Array = new Float64Array(3);
  readonly #turn: Float64Array = new Float64Array([0, 0, 0, 1]);

  constructor(view: View<T>, options: CameraOptions<T>) {
    const { position, fieldOfView, up } = options;
    const place = view.channel(position);
    check(place.width === 2 || place.width === 3, 'position', place, 'two or three numbers');
    check(isSmooth(place), 'position', place, 'f32 or f64 blended by lerp, or fixed');
    this.#position = position;
    this.#positionScale = place.scalar === 'fixed' ? 1 / FIXED_ONE : 1;
    this.#turning = oneTurning(options);
    this.#turningChannel = this.#turning && options[this.#turning];
    this.#angleScale = turningScale(view, this.#turning, this.#turningChannel);
    this.#up = resolveUp(up, this.#turning);
    this.#codec = new HandleCodec(view.capacity);
    if (typeof fieldOfView === 'string') {
      const field = view.channel(fieldOfView);
      check(field.width === 1 && isFloat(field), 'fieldOfView', field, 'one f32 or f64');
      this.#fieldOfView = fieldOfView;
      this.#fieldScale = field.blend === 'angle' ? TURN / field.period : 1;
    } else {
      checkFieldOfView(fieldOfView);
      this.#sample.fieldOfView = fieldOfView ?? FIELD_OF_VIEW;
      this.#fieldScale = 1;
    }
  }

  read(frame: Frame<T>, entity: Entity): CameraSample {
    const sample = this.#sample;
    sample.status = this.#readAll(frame, entity);
    return sample;
  }

  #readAll(frame: Frame<T>, entity: Entity): SampleStatus {
    const place = this.#place;
    const turn = this.#turn;
    const read = this.#read;
    const status = frame.sample(entity, this.#position, place);
    if (isBad(status)) return status;
    if (this.#turningChannel !== undefined) {
      const turned = frame.sample(entity, this.#turningChannel, read);
      if (isBad(turned)) return turned;
      if (this.#turning === 'orientation') turn.set(read);
      else if (this.#turning === 'eulerAngles') this.#turnByAngles();
      else this.#turnTowards(frame, entity);
    }
    const sample = this.#sample;
    if (this.#fieldOfView !== undefined) {
      const opened = frame.sample(entity, this.#fieldOfView, read);
      if (isBad(opened)) return opened;
      sample.fieldOfView = (read[0] as number) * this.#fieldScale;
    }
    for (let i = 0; i < 3; i++) {
      sample.position[i] = (place[i] as number) * this.#positionScale;
    }
    sample.orientation.set(turn);
    composeView(sample.position, turn, sample.viewMatrix);
    return status;
  }

  #turnByAngles(): void {
    const angles = this.#read;
    for (let i = 0; i < 3; i++) angles[i] = (angles[i] as number) * this.#angleScale;
    orientationFromEuler(angles, this.#turn);
  }

  #turnTowards(frame: Frame<T>, entity: Entity): void {
    const direction = this.#read;
    if (!normaliseDirection(direction)) {
      const later: Column = frame.pair.later(this.#turningChannel as ChannelName<T>);
      const from = this.#codec.indexOf(entity) * 3;
      for (let i = 0; i < 3; i++) direction[i] = later[from + i] as number;
      if (!normaliseDirection(direction)) {
        direction[0] = 0;
        direction[1] = 0;
        direction[2] = -1;
      }
    }
    orientationFromDirection(direction, this.#up, this.#turn);
  }
}

class Sample implements CameraSample {
  status: SampleStatus = 'not-published';
  readonly position: Float64Array = new Float64Array(3);
  readonly orientation: Float64Array = new Float64Array([0, 0, 0, 1]);
  fieldOfView: number = FIELD_OF_VIEW;
  readonly viewMatrix: Float32Array = new Float32Array(16);

  constructor() {
    composeView(this.position, this.orientation, this.viewMatrix);
  }

  projectionInto<A extends { [index: number]: number }>(
    aspect: number,
    near: number,
    far: number,
    out: A,
  ): A {
    const { fieldOfView } = this;
    if (aspect > 0 && near > 0 && far > near && fieldOfView > 0 && fieldOfView < Math.PI) {
      composeProjection(fieldOfView, aspect, near, far, out);
      return out;
    }
    throw new EscapementError('VALUE_INVALID', 'There is no such projection.', {
      given: `aspect ${aspect}, near ${near}, far ${far}, field of view ${fieldOfView} rad`,
      allowed: 'aspect > 0, 0 < near < far, a field of view between 0 and pi',
    });
  }
}

function isBad(status: SampleStatus): boolean {
  return status !== 'ok' && status !== 'snapped';
}

function isFloat({ scalar }: ComponentSpec): boolean {
  return scalar === 'f32' || scalar === 'f64';
}

/** Whether a channel holds numbers that are blended linearly, or stepped by choice. */
function isSmooth(spec: ComponentSpec): boolean {
  if (spec.blend === 'fixed') return true;
  return isFloat(spec) && (spec.blend === 'lerp' || spec.blend === 'step');
}

function oneTurning(options: CameraOptions): Turning | undefined {
  const all: readonly Turning[] = ['orientation', 'eulerAngles', 'direction'];
  const given = all.filter((turning) => options[turning] !== undefined);
  if (given.length <= 1) return given[0];
  throw new EscapementError('OPTION_INVALID', 'A camera is turned in one way.', {
    given: given.join(', '),
    allowed: `at most one of ${all.join(', ')}`,
  });
}

/** Checks the channel that turns the camera. Returns radians by its unit. */
function turningScale<T extends SimulationTypes>(
  view: View<T>,
  turning: Turning | undefined,
  channel: ChannelName<T> | undefined,
): number {
  if (turning === undefined || channel === undefined) return 1;
  const spec = view.channel(channel);
  if (turning === 'orientation') {
    const isTurn = spec.blend === 'slerp' || spec.blend === 'nlerp';
    check(isTurn && spec.width === 4, turning, spec, 'one quaternion()');
  } else if (turning === 'eulerAngles') {
    check(spec.blend === 'angle' && spec.width === 3, turning, spec, 'eulerAngles()');
    return TURN / spec.period;
  } else {
    const isOne = spec.width === 3 && elementWidth(spec) === 3;
    check(isOne && isFloat(spec) && isSmooth(spec), turning, spec, 'vec3()');
  }
  return 1;
}

function resolveUp(
  up: readonly [number, number, number] | undefined,
  turning: Turning | undefined,
): Float64Array {
  const resolved = Float64Array.from(up ?? [0, 1, 0]);
  if (up === undefined) return resolved;
  if (turning === 'direction' && up.length === 3 && normaliseDirection(resolved)) return resolved;
  throw new EscapementError('OPTION_INVALID', '`up` is not possible.', {
    given: turning === 'direction' ? JSON.stringify(up) : 'no `direction` beside it',
    allowed: 'three numbers that are not all 0, with a `direction`',
  });
}

function checkFieldOfView(radians: number | undefined): void {
  if (radians === undefined || (radians > 0 && radians < Math.PI)) return;
  throw new EscapementError('OPTION_INVALID', '`fieldOfView` is not possible.', {
    given: String(radians),
    allowed: 'radians between 0 and pi, or the name of a channel',
  });
}

function check(holds: boolean, option: string, spec: ComponentSpec, allowed: string): void {
  if (holds) return;
  throw new EscapementError('OPTION_INVALID', `The channel given as \`${option}\` is no such.`, {
    given: `${spec.width} x ${spec.scalar}, blended by ${spec.blend}`,
    allowed,
  });
}
