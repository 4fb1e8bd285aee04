import { blendChannel, type BlendJob } from '#dist/render/blend.js';
import { type ComposeJob, composeMatrices } from '#dist/shared/kernels/compose.js';
import { openKernels } from '#dist/shared/kernels/kernels.js';
import { createCopy } from '#dist/shared/copier.js';
import { computeLayout } from '#dist/shared/layout.js';
import { createRegion, type Region } from '#dist/shared/region.js';
import type { ComponentSchema, Schema } from '#dist/shared/schema.js';
import { position3d, quaternion, vec3 } from 'escapement/sim';
import { ALPHA, type BlendedChannel, fillStates, type State } from './blend-states.ts';

const NAMES = ['position', 'orientation', 'scale'] as const;
const components: readonly ComponentSchema[] = [position3d(), quaternion(), vec3()].map(
  (spec, index) => ({ ...spec, name: NAMES[index] as string, channelIndex: index }),
);

/** Bytes that a frame of a channel reads from the two ticks and writes as its result, a row. */
const BYTES = { lerp: 36, slerp: 48, matrix: 80 + 64 } as const;

function createRoom(count: number): Region {
  const schema: Schema = {
    name: 'bodies',
    capacity: count,
    quantum: { numerator: 1, denominator: 60 },
    components,
    globals: [],
    inputs: [],
    events: [],
    params: {},
    systems: [],
    changes: false,
  };
  const words = 64;
  const rings = {
    commandWords: words,
    inputWords: words,
    eventWords: words,
    logWords: words,
    traceWords: words,
  };
  const options = { readers: 1, controllers: 1, followers: 0, ...rings };
  return createRegion(computeLayout(schema, options), true);
}

function floats(region: Region, at: number, length: number): Float32Array {
  return new Float32Array(region.buffer, at, length);
}

function stateOf(region: Region, slot: number): State {
  const { layout } = region;
  const [position, orientation, scale] = components.map(({ width }, index) => {
    const at = layout.slots + slot * layout.slotBytes + (layout.slotColumns[index] as number);
    return floats(region, at, width * layout.capacity);
  }) as [Float32Array, Float32Array, Float32Array];
  return { position, orientation, scale, generation: new Uint32Array(layout.capacity) };
}

/** One blend for each component, everybody alive and nobody snapping. */
function jobsOf(region: Region, earlier: State, later: State): BlendJob[] {
  const { layout } = region;
  const { capacity, outputs } = layout;
  const live = new Uint32Array(region.buffer, outputs + layout.outputRows[0], capacity);
  for (let i = 0; i < capacity; i++) live[i] = i;
  return components.map(({ width }, index) => {
    const name = NAMES[index] as (typeof NAMES)[number];
    return {
      earlier: earlier[name],
      later: later[name],
      alpha: ALPHA,
      live,
      count: capacity,
      dense: true,
      earlierStamps: earlier.generation,
      laterStamps: later.generation,
      checkStamps: false,
      presence: live,
      checkPresence: false,
      unblended: live,
      checkUnblended: false,
      out: floats(region, outputs + (layout.outputColumns[index] as number), width * capacity),
      stride: width,
      offset: 0,
    };
  });
}

function compositionOf(region: Region, jobs: readonly BlendJob[]): ComposeJob {
  const { capacity, outputs, outputMatrices } = region.layout;
  const [position, orientation, scale] = jobs.map(({ out }) => out) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  return {
    position,
    positionWidth: 3,
    orientation,
    turn: 'quaternion',
    period: 1,
    scale,
    scaleWidth: 3,
    rows: new Uint32Array(0),
    listed: false,
    count: capacity,
    out: floats(region, outputs + outputMatrices, 16 * capacity),
  };
}

/**
 * Sets up what a reader does in one frame for a channel, by kernels or by the loops beside them:
 * from two slots of a region into the reader's output there. For a matrix that is three blends and
 * the composition. Beside it, both copies of half as many bytes as are read and written, in the
 * same memory.
 */
export function prepareOurs(path: 'simd' | 'js', channel: BlendedChannel, count: number) {
  const region = createRoom(count);
  const { outputs, outputScratch, slots } = region.layout;
  const kernels = path === 'simd' ? openKernels(region, outputs + outputScratch) : undefined;
  if (path === 'simd' && kernels === undefined) throw new Error('There are no kernels here.');
  const [earlier, later] = [stateOf(region, 0), stateOf(region, 1)];
  fillStates(earlier, later, count);
  const jobs = jobsOf(region, earlier, later);
  const blend = (index: number): void => {
    const schema = components[index] as ComponentSchema;
    const job = jobs[index] as BlendJob;
    if (kernels === undefined) blendChannel(schema, job);
    else kernels.blend(schema, job, job.out as Float32Array);
  };
  const composition = compositionOf(region, jobs);
  const frames = {
    lerp: (): void => blend(0),
    slerp: (): void => blend(1),
    matrix: (): void => {
      for (let index = 0; index < 3; index++) blend(index);
      if (kernels === undefined) composeMatrices(composition);
      else kernels.compose(composition);
    },
  };
  const { position, orientation, out } = composition;
  const outs = { lerp: position, slerp: orientation, matrix: out };
  const bytes = (BYTES[channel] / 2) * count;
  const copy = createCopy(region);
  const source = floats(region, slots, bytes / 4);
  const target = floats(region, outputs, bytes / 4);
  return {
    frame: frames[channel],
    out: outs[channel],
    copyMemory: (): void => copy(outputs, slots, bytes),
    copySet: (): void => target.set(source),
  };
}
