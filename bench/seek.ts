import { openHeadless, openReplay, readReplay } from 'escapement/sim';
import { report, round, sized } from './lib/report.ts';
import { herd } from './workers/herd.sim.ts';

/**
 * Going to random ticks of a recording of one hour at 60 Hz, with a keyframe every ten seconds and
 * 1,000 entities: how long one takes, and how large the file is a minute.
 */
const MINUTES = sized(1, 60, 60);
const TICKS = MINUTES * 3600;

const headless = await openHeadless(herd, {
  maxTicks: TICKS,
  pacing: 'fast',
  params: { population: 1000 },
  record: { keyframeEveryTicks: 600, maxBytes: 2 ** 32 },
});
const { recording } = await headless.run();
const bytes = recording?.bytes as Uint8Array;
const begin = performance.now();
const replay = readReplay(bytes);
const openMs = performance.now() - begin;
const run = await openReplay(herd, replay);
let state = 1;
const draw = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const times: number[] = [];
for (let k = 0; k < sized(20, 300, 1000); k++) {
  const tick = Math.floor(draw() * (TICKS + 1));
  const from = performance.now();
  run.seek(tick);
  times.push(performance.now() - from);
}
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.floor(share * (times.length - 1))] as number;
report('seek', {
  minutes: MINUTES,
  entities: 1000,
  keyframes: replay.keyframes.length,
  fileBytes: bytes.length,
  bytesPerMinute: round(bytes.length / MINUTES),
  openMs: round(openMs),
  p50Ms: round(at(0.5)),
  p99Ms: round(at(0.99)),
  compared: run.compared,
  ok: run.divergence === undefined,
});
run.close();
