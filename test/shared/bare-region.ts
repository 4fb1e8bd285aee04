import { computeLayout } from '../../src/shared/layout.ts';
import { PublicationWriter } from '../../src/shared/publication-writer.ts';
import { createRegion, type Region } from '../../src/shared/region.ts';
import { openSignal } from '../../src/shared/region-signal.ts';
import { HEADER, REGION_STATE } from '../../src/shared/words.ts';
import { defineSimulation, scalar } from '../../src/sim-worker/index.ts';

const empty = defineSimulation({
  tickRateHz: 60,
  capacity: 1,
  components: { place: scalar() },
  publish: ['place'],
  systems: [],
});

/** A region that no simulation drives, and a way to publish ticks into it. */
export function bareRegion(): { region: Region; publish: (tick: number, epoch: number) => void } {
  const options = {
    readers: 1,
    controllers: 2,
    followers: 4,
    commandWords: 64,
    inputWords: 64,
    eventWords: 64,
    logWords: 64,
    traceWords: 64,
  };
  const region = createRegion(computeLayout(empty.schema, options), true);
  const writer = new PublicationWriter(region);
  Atomics.store(region.i32, HEADER.state, REGION_STATE.running);
  const publish = (tick: number, epoch: number): void => {
    writer.scan();
    writer.push(writer.takeSlot(), writer.takeRoster());
    writer.prepare();
    writer.publish(tick, Math.floor(tick / 2 ** 32), epoch);
    openSignal(region, HEADER.sequence).raise();
  };
  return { region, publish };
}
