import type { ReplayStatus } from '../shared/protocol.ts';
import type { Replay, ReplayHeader } from '../shared/replay/replay.ts';

/**
 * The recording that a run is replayed from. The clock moves through it: `sim.clock.resume()` plays
 * it, `setSpeed` sets how fast, `seekTick` goes to any of its ticks, with the state that it had.
 */
export interface ReplayControl {
  readonly header: ReplayHeader;
  readonly firstTick: number;
  readonly lastTick: number;
  /** Where the file was cut off or damaged; undefined when all of it was read. */
  readonly truncated: Replay['truncated'];
  /** Says what was compared, and the first state that was not the recorded one. */
  status(): Promise<ReplayStatus>;
  /**
   * Goes on live from the present state: ticks consume live inputs, and none from the recording.
   */
  leave(): Promise<ReplayStatus>;
}
