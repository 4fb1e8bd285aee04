import { FanoutServer } from './lib/fanout-clients.ts';
import { heapGrowthOnce } from './lib/heap.ts';
import { HerdMotion } from './lib/herd-motion.ts';
import { median } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What each further client costs a server whose clients look from different places: what they
 * share of a tick is made once.
 */

/** The most that one more client may cost, by what the first one costs. */
const MARGINAL_BOUND = 0.2;

const entities = sized(300, 10_000, 10_000);
const fleets = sized([1, 3], [1, 10, 100], [1, 10, 100]);
const warmTicks = sized(2, 150, 300);
const rounds = sized(2, 60, 200);
const heapTicks = sized(2, 40, 80);
/** Ticks before the heap is watched: what is not compiled yet boxes its numbers. */
const settlingTicks = sized(0, 250, 500);

/** A herd with its servers, of which each has as many clients as its fleet. */
const herd = new HerdMotion(entities);
const servers = fleets.map((clients) => ({
  clients,
  server: new FanoutServer(herd, clients),
  took: [] as number[],
  grown: [] as number[],
}));

function send(server: FanoutServer): number {
  const begin = performance.now();
  server.send();
  return performance.now() - begin;
}

// In turns, so that what else runs on the machine meets all of them alike.
for (let tick = 0; tick < warmTicks + rounds; tick++) {
  herd.advance();
  for (const { server, took } of servers) {
    const ms = send(server);
    if (tick >= warmTicks) took.push(ms);
  }
}
for (let tick = 0; tick < settlingTicks; tick++) {
  herd.advance();
  for (const { server } of servers) server.send();
}
const sentBytes = servers.map(({ server }) => server.sentBytes);
for (let tick = 0; tick < heapTicks; tick++) {
  herd.advance();
  for (const { server, grown } of servers) grown.push(heapGrowthOnce(() => server.send()));
}

const firstMs = median(servers[0]?.took ?? []);
for (const [index, { clients, took, grown }] of servers.entries()) {
  const msPerTick = median(took);
  const marginalRatio = clients === 1 ? 0 : (msPerTick - firstMs) / (clients - 1) / firstMs;
  report('fanout', {
    clients,
    entities,
    msPerTick: round(msPerTick),
    bytesPerClient: round((sentBytes[index] ?? 0) / (warmTicks + rounds + settlingTicks) / clients),
    allocatedBytes: median(grown),
    ...(clients === 1
      ? {}
      : {
          marginalRatio: round(marginalRatio),
          bound: MARGINAL_BOUND,
          ok: marginalRatio <= MARGINAL_BOUND,
        }),
  });
}
