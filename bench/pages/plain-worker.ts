/** The bodies as a worker by hand: it posts its state once a tick. */
import { placeBodies, STATE_WIDTH, TICK_RATE_HZ, tumble } from './tumble.ts';

/** What the page says to start the worker. */
export interface PlainStart {
  readonly bodies: number;
  /** Whether a copy is handed over instead of cloned. */
  readonly transfers: boolean;
}

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<PlainStart>) => void;
  postMessage(message: Float32Array, transfer?: readonly ArrayBuffer[]): void;
};

scope.onmessage = ({ data: { bodies, transfers } }) => {
  const state = new Float32Array(bodies * STATE_WIDTH);
  const position = state.subarray(0, bodies * 3);
  const orientation = state.subarray(bodies * 3);
  placeBodies(position, orientation);
  let due = performance.now();
  const tick = (): void => {
    tumble(position, orientation, bodies);
    if (transfers) {
      const copy = state.slice();
      scope.postMessage(copy, [copy.buffer]);
    } else {
      scope.postMessage(state);
    }
    due = Math.max(due + 1000 / TICK_RATE_HZ, performance.now() - 100);
    setTimeout(tick, due - performance.now());
  };
  tick();
};
