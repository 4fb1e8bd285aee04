import { parentPort, workerData } from 'node:worker_threads';
import { openControl, openFollower } from 'escapement';
import { FOLLOWING, FOLLOWING_WORDS, type FollowingTask } from './following-task.ts';

const task = workerData as FollowingTask;
const own = task.index * FOLLOWING_WORDS;
const nap = new Int32Array(new SharedArrayBuffer(4));
let random = task.seed;
let state = 0;

function note(word: keyof typeof FOLLOWING, by: number): void {
  Atomics.add(task.words, own + FOLLOWING[word], by);
}

function dawdle(): void {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  const ms = (random / 2 ** 32) * task.delayMsMax;
  if (ms > 0) Atomics.wait(nap, 0, 0, ms);
}

const follower = openFollower(task.handle, { everyTicks: task.everyTicks });
const { period } = follower;
const after = (tick: number): number => (Math.floor(tick / period) + 1) * period;
const wait = async (): Promise<string> =>
  task.wait === 'blocking'
    ? follower.waitForStep(task.timeoutMs, task.options)
    : await follower.waitForStepAsync(task.timeoutMs, task.options);
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

async function follow(): Promise<void> {
  let next = after(follower.tick);
  for (;;) {
    const why = await wait();
    if (why === 'stopped' || why === 'failed') return;
    if (why === 'restarted') {
      await turn();
      continue;
    }
    const { epoch } = follower;
    const steps = follower.take();
    if (why === 'epoch-changed' || follower.epoch !== epoch) {
      note('moves', 1);
      next = steps > 0 ? follower.stepTick(0) : after(follower.tick);
    }
    for (let i = 0; i < steps; i++) {
      const tick = follower.stepTick(i);
      if (tick > next) note('lost', (tick - next) / period);
      if (tick < next) note('doubled', 1);
      next = tick + period;
      if (tick >= (task.exitAt ?? Number.POSITIVE_INFINITY)) process.exit(3);
      state = (Math.imul(state, 31) + tick) | 0;
    }
    dawdle();
    Atomics.store(task.words, own + FOLLOWING.state, state);
    note('steps', steps);
    follower.markPublished();
  }
}

Atomics.store(task.words, own + FOLLOWING.ready, follower.number + 1);
Atomics.notify(task.words, own + FOLLOWING.ready);
if (task.job === 'follow') {
  const interval = setInterval(() => note('turns', 1), 10);
  await follow();
  clearInterval(interval);
  follower.close();
  parentPort?.postMessage('ended');
} else if (task.job === 'wait') {
  parentPort?.postMessage(await wait());
} else {
  openControl(task.handle);
  if (task.job === 'exit') process.exit(0);
}
