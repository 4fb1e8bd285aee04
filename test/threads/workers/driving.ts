import { parentPort, workerData } from 'node:worker_threads';
import { openFollower, type SimulationHandle } from 'escapement';

/** What a driving follower is given; it drives that often and reports what came of it. */
export interface DrivingTask {
  readonly handle: SimulationHandle;
  readonly frames: number;
  /** Seconds of each drive; measured if left out. */
  readonly wallSeconds?: number;
  /** Stays, with the role, until it is terminated. */
  readonly stays?: boolean;
}

/** What came of the drives. */
export interface DrivingReport {
  readonly number: number;
  readonly drove: number;
  readonly steps: number;
  readonly taken: number;
  readonly drivers: readonly string[];
}

const task = workerData as DrivingTask;
const follower = openFollower(task.handle, { everyTicks: 1, driveClock: true });
const drivers = new Set<string>();
let [drove, steps, taken] = [0, 0, 0];
for (let frame = 0; frame < task.frames; frame++) {
  const result = follower.driveBlocking(task.wallSeconds);
  drivers.add(result.driver);
  if (result.driver === 'this') drove++;
  steps += result.steps;
  taken += follower.take();
  follower.markPublished();
}
const report: DrivingReport = {
  number: follower.number,
  drove,
  steps,
  taken,
  drivers: [...drivers],
};
if (task.stays === true) setInterval(() => undefined, 1000);
else follower.close();
parentPort?.postMessage(report);
