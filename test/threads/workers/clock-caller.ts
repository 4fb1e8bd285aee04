import { parentPort, workerData } from 'node:worker_threads';
import {
  type AdvanceResult,
  type ClockConfig,
  type ClockMode,
  type ClockStatus,
  type Follower,
  openControl,
  openFollower,
  type SimulationHandle,
} from 'escapement';

/** One call of a clock, or of a follower, as plain data. */
export type Call =
  | { readonly kind: 'pause' | 'resume' | 'stepOnce' }
  | { readonly kind: 'setMode'; readonly mode: ClockMode }
  | {
      readonly kind: 'advanceTicks' | 'advance' | 'setSpeed' | 'setLockstepSteps' | 'setCap';
      readonly value: number;
    }
  | { readonly kind: 'seekTick'; readonly value: number }
  | { readonly kind: 'configure'; readonly config: ClockConfig }
  | { readonly kind: 'open'; readonly value: number }
  | { readonly kind: 'take' | 'publish' | 'close' };

/** What a call came to, with the clock as its thread sees it behind it. */
export interface Answer {
  readonly result: AdvanceResult | undefined;
  readonly refused: string | undefined;
  /** World ticks of the steps that were taken. */
  readonly taken: readonly number[] | undefined;
  readonly status: ClockStatus;
}

const handle = workerData as SimulationHandle;
const control = openControl(handle);
let follower: Follower | undefined;

async function obey(call: Call): Promise<AdvanceResult | readonly number[] | undefined> {
  switch (call.kind) {
    case 'setMode':
      await control.setMode(call.mode);
      return undefined;
    case 'configure':
      await control.configure(call.config);
      return undefined;
    case 'pause':
    case 'resume':
      await control[call.kind]();
      return undefined;
    case 'stepOnce':
      return control.stepOnce();
    case 'advance':
    case 'advanceTicks':
      return control[call.kind](call.value);
    case 'setSpeed':
    case 'setLockstepSteps':
    case 'setCap':
    case 'seekTick':
      await control[call.kind](call.value);
      return undefined;
    case 'open':
      follower?.close();
      follower = openFollower(handle, { everyTicks: call.value });
      return undefined;
    case 'close':
      follower?.close();
      follower = undefined;
      return undefined;
    case 'publish':
      follower?.markPublished();
      return undefined;
    default: {
      const steps = follower?.take() ?? 0;
      return Array.from({ length: steps }, (_, i) => follower?.stepTick(i) ?? 0);
    }
  }
}

async function answer(call: Call): Promise<Answer> {
  try {
    const got = await obey(call);
    const taken = Array.isArray(got) ? (got as readonly number[]) : undefined;
    const result = taken === undefined ? (got as AdvanceResult | undefined) : undefined;
    return { result, refused: undefined, taken, status: control.status() };
  } catch (cause) {
    const refused = (cause as { code?: string }).code ?? String(cause);
    return { result: undefined, refused, taken: undefined, status: control.status() };
  }
}

parentPort?.on('message', (call: Call) => {
  void answer(call).then((each) => parentPort?.postMessage(each));
});
