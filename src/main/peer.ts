import { type Remote, releaseProxy, wrap } from 'comlink';
import { EscapementError, type ErrorRecord } from '../shared/error.ts';
import type {
  Ended,
  Hello,
  HelloRequest,
  InlineConnection,
  KeyframeMessage,
  SimulationService,
} from '../shared/protocol.ts';
import type { DeathListener, WorkerPort } from './worker-port.ts';

/** The simulation as its host sees it, on another thread or on this one. */
export interface Peer {
  readonly hello: Hello;
  readonly service: SimulationService;
  onEnded(listener: (ended: Ended) => void): void;
  /** Hands over the keyframes of recordings. */
  onKeyframe(listener: (message: KeyframeMessage) => void): void;
  onDeath(listener: DeathListener): void;
  /** Ends the thread; resolves when no more can come from it. */
  terminate(): Promise<void>;
}

/** Told before each message is posted, so that a parked driver looks up. */
export type PostListener = (messagesPosted: number) => void;

/** A simulation in a worker. */
export class WorkerPeer implements Peer {
  readonly hello: Hello;
  readonly service: SimulationService;
  readonly port: WorkerPort;
  onPost: PostListener | undefined;
  #messagesPosted = 1;
  readonly #ended: ((ended: Ended) => void)[] = [];
  readonly #release: () => void;
  #isReleased = false;

  private constructor(port: WorkerPort, hello: Hello) {
    this.port = port;
    this.hello = hello;
    port.onMessage((data) => {
      const message = data as Ended | null;
      if (message?.kind !== 'escapement/ended') return;
      for (const listener of this.#ended) listener(message);
    });
    const { service, release } = serviceOver(port, () => {
      this.#messagesPosted = (this.#messagesPosted + 1) | 0;
      this.onPost?.(this.#messagesPosted);
    });
    this.service = service;
    this.#release = release;
  }

  /** Messages posted to the worker so far. */
  get messagesPosted(): number {
    return this.#messagesPosted;
  }

  /** Counts a message that is about to be posted past the service. */
  post(message: unknown, transfer?: readonly unknown[]): void {
    this.#messagesPosted = (this.#messagesPosted + 1) | 0;
    this.onPost?.(this.#messagesPosted);
    this.port.post(message, transfer);
  }

  /** Waits for the worker's hello. Rejects when it dies first, or says nothing for too long. */
  static async meet(port: WorkerPort, timeoutMs: number): Promise<WorkerPeer> {
    const request: HelloRequest = { kind: 'escapement/hello?' };
    const hello = await new Promise<Hello>((resolve, reject) => {
      const timer = setTimeout(() => reject(silentWorker(timeoutMs)), timeoutMs);
      port.onMessage((data) => {
        if ((data as Hello | null)?.kind !== 'escapement/hello') return;
        clearTimeout(timer);
        resolve(data as Hello);
      });
      port.onDeath((cause) => {
        clearTimeout(timer);
        reject(cause);
      });
      port.post(request);
    });
    return new WorkerPeer(port, hello);
  }

  onEnded(listener: (ended: Ended) => void): void {
    this.#ended.push(listener);
  }

  onKeyframe(listener: (message: KeyframeMessage) => void): void {
    this.port.onMessage((data) => {
      const message = data as KeyframeMessage | null;
      if (message?.kind === 'escapement/keyframe') listener(message);
    });
  }

  onDeath(listener: DeathListener): void {
    this.port.onDeath(listener);
  }

  async terminate(): Promise<void> {
    await this.port.terminate();
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#release();
  }
}

interface ServiceEnd {
  readonly service: SimulationService;
  /** Lets Comlink forget the proxy: it would keep it, and all behind it, for the thread's life. */
  readonly release: () => void;
}

function serviceOver(port: WorkerPort, beforePost: () => void): ServiceEnd {
  const listeners = new Set<(event: { data: unknown }) => void>();
  port.onMessage((data) => {
    for (const listener of listeners) listener({ data });
  });
  const remote: Remote<SimulationService> = wrap<SimulationService>({
    postMessage: (message: unknown, transfer?: readonly unknown[]) => {
      beforePost();
      port.post(message, transfer);
    },
    addEventListener: (_type: string, listener: unknown) => {
      listeners.add(listener as (event: { data: unknown }) => void);
    },
    removeEventListener: (_type: string, listener: unknown) => {
      listeners.delete(listener as (event: { data: unknown }) => void);
    },
  } as Parameters<typeof wrap>[0]);
  const ask = async <R>(call: () => Promise<R>): Promise<R> => {
    port.hold();
    try {
      return await keepCode(call());
    } finally {
      port.letGo();
    }
  };
  const service: SimulationService = {
    start: (config) => ask(() => remote.start(config)),
    query: (name, args) => ask(() => remote.query(name, args)),
    profile: (enabled, budgets) => ask(() => remote.profile(enabled, budgets)),
    stateHash: () => ask(() => remote.stateHash()),
    record: (periods) => ask(() => remote.record(periods)),
    save: () => ask(() => remote.save()),
    replayStatus: () => ask(() => remote.replayStatus()),
    leaveReplay: () => ask(() => remote.leaveReplay()),
    readClock: () => ask(() => remote.readClock()),
  };
  return { service, release: () => remote[releaseProxy]() };
}

/** Rebuilds an {@link EscapementError} that crossed as plain data. */
async function keepCode<R>(call: Promise<R>): Promise<R> {
  try {
    return await call;
  } catch (thrown) {
    const record = (thrown as { escapementError?: ErrorRecord } | null)?.escapementError;
    throw record === undefined ? thrown : EscapementError.fromRecord(record);
  }
}

function silentWorker(timeoutMs: number): EscapementError {
  return new EscapementError('START_TIMEOUT', 'The worker loaded but said nothing.', {
    given: `no hello within ${timeoutMs} ms`,
    allowed: 'a module that calls runSimulation(definition) before any top-level await',
    fix: 'Call runSimulation at the top of the worker’s module, or raise `startTimeoutMs`.',
  });
}

/** A simulation on this thread. */
export class InlinePeer implements Peer {
  readonly hello: Hello;
  readonly service: SimulationService;
  readonly inline: InlineConnection;

  constructor(inline: InlineConnection) {
    this.inline = inline;
    this.hello = inline.hello();
    this.service = inline.service;
  }

  onEnded(listener: (ended: Ended) => void): void {
    this.inline.onEnded(listener);
  }

  onKeyframe(listener: (message: KeyframeMessage) => void): void {
    this.inline.onKeyframe(listener);
  }

  onDeath(): void {}

  async terminate(): Promise<void> {
    this.inline.dispose();
  }
}
