import { compareHerd, createHerdState, HerdMotion } from '../lib/herd-motion.ts';
import { median } from '../lib/measure.ts';
import { readPackets } from '../lib/packet-file.ts';
import { loadContender } from '../lib/replicate-contender.ts';
import { answer, parseRun } from '../lib/replicate-run.ts';

/*
 * A process of its own for what one contender decodes. The herd moves along beside it, so that
 * every tick can be checked. What comes too far from the truth ends the bench.
 */

const POSITION_M = 0.01;
const HEADING_DEGREES = 1;

const run = parseRun();
const contender = await loadContender(run.contender);
const packets = readPackets(run.file);
const herd = new HerdMotion(run.entities);
const state = createHerdState(run.entities);
const decoder = contender.createDecoder(run.entities);
const took: number[] = [];
let positionM = 0;
let headingDegrees = 0;

function check(): void {
  decoder.show?.(state);
  const error = compareHerd(herd, state);
  positionM = Math.max(positionM, error.positionM);
  headingDegrees = Math.max(headingDegrees, error.headingDegrees);
  if (positionM <= POSITION_M && headingDegrees <= HEADING_DEGREES && error.hues === 0) return;
  throw new Error(
    `${run.contender} is ${positionM} m and ${headingDegrees} degrees off at tick ${herd.tick}, ` +
      `and ${error.hues} hues differ; ${POSITION_M} m, ${HEADING_DEGREES} degree and none are due.`,
  );
}

for (const [index, packet] of packets.entries()) {
  if (index > 0) herd.advance();
  const begin = performance.now();
  decoder.decode(packet, state);
  took.push(performance.now() - begin);
  check();
}
answer({ decodeMs: median(took.slice(run.warmTicks)), positionM, headingDegrees });
