import { HerdMotion } from '../lib/herd-motion.ts';
import { median } from '../lib/measure.ts';
import { writePackets } from '../lib/packet-file.ts';
import { HAND_PACKED, loadContender, type ReplicationEncoder } from '../lib/replicate-contender.ts';
import { answer, parseRun, TICKS_A_ROUND } from '../lib/replicate-run.ts';

/*
 * A process of its own for what one contender encodes, set tick by tick against the hand-packed
 * f32 of the same herd.
 */

const run = parseRun();
const contender = await loadContender(run.contender);
const byHand = await loadContender(HAND_PACKED);

const herd = new HerdMotion(run.entities);
const encoder = contender.createEncoder(run.entities);
const hand = byHand.createEncoder(run.entities);

/** What a round took, in milliseconds. */
interface Round {
  take: number;
  encode: number;
  hand: number;
}

let bytes = 0;
let moved = 0;

function timed(side: ReplicationEncoder): number {
  const begin = performance.now();
  const length = side.encode(herd);
  const took = performance.now() - begin;
  if (side === encoder) bytes += length;
  return took;
}

/** One tick of both, in turns first: who comes second finds the herd in the cache. */
function tick(round: Round): void {
  herd.advance();
  moved += herd.movedCount;
  const begin = performance.now();
  encoder.take?.(herd);
  round.take += performance.now() - begin;
  if (herd.tick % 2 === 0) {
    round.encode += timed(encoder);
    round.hand += timed(hand);
  } else {
    round.hand += timed(hand);
    round.encode += timed(encoder);
  }
}

function encodeOnce(): Uint8Array {
  encoder.take?.(herd);
  const length = encoder.encode(herd);
  return encoder.output.slice(0, length);
}

// The decoding process needs every packet from the first one on.
const packets: Uint8Array[] = [encodeOnce()];
while (packets.length < run.sentTicks) {
  herd.advance();
  hand.encode(herd);
  packets.push(encodeOnce());
}
writePackets(run.file, packets);
packets.length = 0;

const warm: Round = { take: 0, encode: 0, hand: 0 };
for (let i = 0; i < run.warmTicks; i++) tick(warm);
bytes = 0;
moved = 0;
const rounds: Round[] = [];
for (let i = 0; i < run.rounds; i++) {
  const round: Round = { take: 0, encode: 0, hand: 0 };
  for (let k = 0; k < TICKS_A_ROUND; k++) tick(round);
  rounds.push(round);
}
const ticks = run.rounds * TICKS_A_ROUND;
const bytesPerTick = bytes / ticks;
const bytesPerMoved = bytes / moved;

answer({
  bytesPerTick,
  bytesPerMoved,
  takeMs: median(rounds.map((round) => round.take)) / TICKS_A_ROUND,
  encodeMs: median(rounds.map((round) => round.encode)) / TICKS_A_ROUND,
  handPackedMs: median(rounds.map((round) => round.hand)) / TICKS_A_ROUND,
  ratio: median(rounds.map((round) => round.encode / round.hand)),
});
