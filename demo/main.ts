import { Camera } from './camera.ts';
import { Controls } from './controls.ts';
import { DartRenderer } from './dart-renderer.ts';
import { findElement } from './element.ts';
import { showFailure } from './failure.ts';
import { FrameMeter } from './frame-meter.ts';
import { Hint } from './hint.ts';
import { installPageHook } from './page-hook.ts';
import { PageLoop } from './page-loop.ts';
import { readPageOptions } from './page-options.ts';
import { Panel } from './panel.ts';
import { Player } from './player.ts';
import { Pointer } from './pointer.ts';
import { acceptFiles } from './file-drop.ts';
import { Timeline } from './timeline/timeline.ts';
import { Toast } from './timeline/toast.ts';

/** How the start went, for whoever awaits it. */
interface Start {
  readonly promise: Promise<void>;
  readonly done: () => void;
  readonly fail: (cause: unknown) => void;
}

/** Builds the page around one player and starts the scene that the address asks for. */
function openPage(start: Start): void {
  const options = readPageOptions();
  const canvas = findElement('#stage', HTMLCanvasElement);
  const spaceCanvas = findElement('#space', HTMLCanvasElement);
  const painters = { darts: new DartRenderer(canvas), spaceCanvas };
  const camera = new Camera();
  const meter = new FrameMeter();
  const pointer = new Pointer([canvas, spaceCanvas], camera);
  const player = new Player(options, painters);
  const controls = new Controls(player);
  const hint = new Hint(player, pointer);
  const timeline = new Timeline(player, new Toast());
  player.listener = {
    changed: () => {
      controls.show();
      timeline.show();
      const isReplay = player.replay !== undefined;
      // What a replay refuses counts; only the hand's own moves shall.
      if (!isReplay) pointer.repeat();
      pointer.isHeeded = !isReplay;
      hint.show();
    },
    failed: start.fail,
  };
  const panel = new Panel();
  const onFirstPicture = start.done;
  new PageLoop({
    canvas,
    spaceCanvas,
    camera,
    pointer,
    player,
    meter,
    panel,
    timeline,
    onFirstPicture,
  }).start();
  installPageHook({ ready: start.promise, meter, player });
  acceptFiles(player, timeline);
  void player.open(options.scene);
}

function createStart(): Start {
  let resolve: () => void = () => undefined;
  let reject: (cause: unknown) => void = () => undefined;
  const promise = new Promise<void>((onDone, onFail) => {
    resolve = onDone;
    reject = onFail;
  });
  // The page shows what failed, whether or not anybody awaits the promise.
  promise.catch(() => undefined);
  const fail = (cause: unknown): void => {
    reject(cause);
    showFailure(cause);
  };
  return { promise, done: () => resolve(), fail };
}

const start = createStart();
addEventListener('error', (event) => start.fail(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => start.fail(event.reason));
try {
  openPage(start);
} catch (cause) {
  start.fail(cause);
}
