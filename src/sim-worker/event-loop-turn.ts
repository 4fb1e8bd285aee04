interface Port {
  onmessage: (() => void) | null;
  postMessage(message: unknown): void;
}

interface TurnScope {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port };
}

type Schedule = (callback: () => void) => void;

const schedule: Schedule = chooseSchedule(globalThis as TurnScope);

/** Lets the event loop turn once: messages, timers and rejections that wait are handled. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => schedule(resolve));
}

/** Timers are clamped to milliseconds; where there is anything quicker, it is taken. */
function chooseSchedule(scope: TurnScope): Schedule {
  const { setImmediate, MessageChannel } = scope;
  if (setImmediate !== undefined) {
    return (callback) => {
      setImmediate(callback);
    };
  }
  if (MessageChannel === undefined) {
    return (callback) => {
      setTimeout(callback, 0);
    };
  }
  const waiting: (() => void)[] = [];
  let ports: { readonly port1: Port; readonly port2: Port } | undefined;
  return (callback) => {
    ports ??= new MessageChannel();
    ports.port1.onmessage = () => waiting.shift()?.();
    waiting.push(callback);
    ports.port2.postMessage(null);
  };
}
