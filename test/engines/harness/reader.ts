/** A thread beside a run: follows its clock, and draws from it after each step. */
import { openFollower, type SimulationHandle } from 'escapement';
import { openView } from 'escapement/render';
import { onMessage, postBack } from './platform.ts';

/** What a reading thread is told. */
export interface ReaderTask {
  readonly handle: SimulationHandle;
  readonly everyTicks: number;
  /** The channels that are drawn. */
  readonly channels: readonly string[];
}

onMessage((data) => {
  const { handle, everyTicks, channels } = data as ReaderTask;
  const view = openView(handle);
  const follower = openFollower(handle, { everyTicks });
  postBack('ready');
  for (;;) {
    const reason = follower.waitForStep(1000);
    if (reason === 'stopped' || reason === 'failed') break;
    follower.take();
    const frame = view.frame();
    for (const channel of channels) frame.blend(channel);
    frame.release();
    follower.markPublished();
  }
  follower.close();
  view.close();
});
