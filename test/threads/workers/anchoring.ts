import { parentPort, workerData } from 'node:worker_threads';
import { FollowerWriter } from '#dist/shared/follower-block.js';
import { computeLayout } from '#dist/shared/layout.js';
import { openRegion } from '#dist/shared/region.js';
import type { RegionHandle } from '#dist/shared/handle.js';

/** Word of the region's block, beside the handle: how many epochs to go through. */
export interface AnchoringTask {
  readonly handle: RegionHandle;
  readonly number: number;
  readonly claim: number;
  readonly epochs: number;
}

/* Goes through epochs without end: in each all boundaries up to epoch x 1000 are published. */
const { handle, number, claim, epochs } = workerData as AnchoringTask;
const region = openRegion(handle.memory, computeLayout(handle.schema, handle.options));
const writer = new FollowerWriter(region, number, claim);
for (let epoch = 1; epoch <= epochs; epoch++) writer.anchor(1, epoch * 1000, epoch);
parentPort?.postMessage('done');
