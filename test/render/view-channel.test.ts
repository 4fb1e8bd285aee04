import { afterEach, expect, it } from 'vitest';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

afterEach(() => stage.close());

it('a view says how a channel is stored and blended, with and without an open frame', async () => {
  stage = await openStage(() => undefined);
  const view = stage.openView();
  expect(view.channel('yaw')).toMatchObject({ scalar: 'f32', width: 1, blend: 'angle' });
  const frame = view.frame();
  expect(view.channel('exact')).toMatchObject({ scalar: 'fixed', width: 1, blend: 'fixed' });
  expect(view.channel('yaw').period).toBe(65536);
  frame.release();
  expect(() => view.channel('nothing' as 'yaw')).toThrow(
    expect.objectContaining({ code: 'NAME_UNKNOWN' }),
  );
});
