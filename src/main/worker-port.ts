import { EscapementError } from '../shared/error.ts';

/** A browser's `Worker`, as far as it is used here. */
interface BrowserWorker {
  postMessage(message: unknown, transfer: readonly unknown[]): void;
  addEventListener(type: string, listener: (event: never) => void): void;
  removeEventListener(type: string, listener: (event: never) => void): void;
  terminate(): void;
}

/** A `Worker` of `node:worker_threads`, as far as it is used here. */
interface NodeWorker {
  postMessage(message: unknown, transfer?: readonly never[]): void;
  on(event: string, listener: (value: never) => void): unknown;
  off(event: string, listener: (value: never) => void): unknown;
  terminate(): Promise<number>;
  ref(): void;
  unref(): void;
}

/** What a worker factory may return: a browser's `Worker` or one of `node:worker_threads`. */
export interface AnyWorker {
  postMessage(...parts: never[]): void;
  terminate(): unknown;
}

/** Told when a worker can no longer answer. */
export type DeathListener = (cause: EscapementError) => void;

/** One worker's channel, the same on Node and in browsers. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly unknown[]): void;
  onMessage(listener: (data: unknown) => void): void;
  /** Called at most once: the script failed to load, threw, or the thread ended. */
  onDeath(listener: DeathListener): void;
  /** Ends the thread. Resolves when its end is certain, or right away in browsers. */
  terminate(): Promise<void>;
  /** Lets a Node process end although the thread runs; not while an answer is awaited. */
  unref(): void;
  /** Begins to await an answer. */
  hold(): void;
  /** Ends what {@link hold} began. */
  letGo(): void;
}

/** Wraps whatever a factory returned. Refuses shared workers and things that are no workers. */
export function openWorkerPort(worker: unknown): WorkerPort {
  if (isNodeWorker(worker)) return new NodePort(worker);
  if (isBrowserWorker(worker)) return new BrowserPort(worker);
  const shared = typeof worker === 'object' && worker !== null && 'port' in worker;
  throw new EscapementError('WORKER_UNSUITABLE', 'The factory returned no dedicated worker.', {
    given: shared ? 'a SharedWorker, which browsers never isolate' : typeof worker,
    allowed: 'a Worker (browser), or a Worker of node:worker_threads',
    fix: 'Return `new Worker(new URL("./my.sim.js", import.meta.url), { type: "module" })`.',
  });
}

function isNodeWorker(worker: unknown): worker is NodeWorker {
  const candidate = worker as Partial<NodeWorker> | null;
  return typeof candidate?.on === 'function' && typeof candidate.terminate === 'function';
}

function isBrowserWorker(worker: unknown): worker is BrowserWorker {
  const candidate = worker as Partial<BrowserWorker> | null;
  return (
    typeof candidate?.addEventListener === 'function' && typeof candidate.terminate === 'function'
  );
}

/** Says a death once, also to listeners that come after it. */
class Obituary {
  #cause: EscapementError | undefined;
  readonly #listeners: DeathListener[] = [];

  add(listener: DeathListener): void {
    if (this.#cause !== undefined) listener(this.#cause);
    else this.#listeners.push(listener);
  }

  announce(cause: EscapementError): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    for (const listener of this.#listeners) listener(cause);
  }
}

class NodePort implements WorkerPort {
  readonly #worker: NodeWorker;
  readonly #obituary: Obituary = new Obituary();
  #unref = false;
  #holds = 0;

  constructor(worker: NodeWorker) {
    this.#worker = worker;
    // `error` comes before `exit` and carries the cause; without a listener it would end the host.
    worker.on('error', ((cause: unknown) => {
      this.#obituary.announce(loadOrThrow(cause));
    }) as (value: never) => void);
    worker.on('messageerror', ((cause: unknown) => {
      this.#obituary.announce(
        new EscapementError('NOT_SHARED', 'A message could not be carried over.', { cause }),
      );
    }) as (value: never) => void);
    worker.on('exit', ((code: number) => {
      this.#obituary.announce(
        new EscapementError('WORKER_EXITED', 'The simulation worker ended.', {
          given: `exit code ${code}`,
          fix: 'Call sim.stop() to end a simulation; do not exit inside of it.',
        }),
      );
    }) as (value: never) => void);
  }

  post(message: unknown, transfer: readonly unknown[] = []): void {
    this.#worker.postMessage(message, transfer as readonly never[]);
  }

  onMessage(listener: (data: unknown) => void): void {
    this.#worker.on('message', listener as (value: never) => void);
    // Adding a message listener references the thread again.
    this.#refer();
  }

  onDeath(listener: DeathListener): void {
    this.#obituary.add(listener);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  unref(): void {
    this.#unref = true;
    this.#refer();
  }

  hold(): void {
    this.#holds++;
    this.#refer();
  }

  letGo(): void {
    this.#holds--;
    this.#refer();
  }

  #refer(): void {
    if (!this.#unref) return;
    if (this.#holds > 0) this.#worker.ref();
    else this.#worker.unref();
  }
}

class BrowserPort implements WorkerPort {
  readonly #worker: BrowserWorker;
  readonly #obituary: Obituary = new Obituary();

  constructor(worker: BrowserWorker) {
    this.#worker = worker;
    worker.addEventListener('error', ((event: WorkerErrorEvent) => {
      event.preventDefault?.();
      this.#obituary.announce(explainErrorEvent(event));
    }) as (event: never) => void);
    worker.addEventListener('messageerror', (() => {
      this.#obituary.announce(
        new EscapementError('NOT_SHARED', 'A message could not be carried over.', {
          fix: 'Serve page and worker with COOP and COEP headers, so that memory can be shared.',
        }),
      );
    }) as (event: never) => void);
  }

  post(message: unknown, transfer: readonly unknown[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  onMessage(listener: (data: unknown) => void): void {
    const receive = (event: { readonly data: unknown }): void => listener(event.data);
    this.#worker.addEventListener('message', receive as (event: never) => void);
  }

  onDeath(listener: DeathListener): void {
    this.#obituary.add(listener);
  }

  async terminate(): Promise<void> {
    this.#worker.terminate();
  }

  unref(): void {}

  hold(): void {}

  letGo(): void {}
}

interface WorkerErrorEvent {
  readonly message?: string;
  readonly filename?: string;
  readonly lineno?: number;
  readonly error?: unknown;
  preventDefault?(): void;
}

/** An error event without a message means that the script never ran. */
function explainErrorEvent(event: WorkerErrorEvent): EscapementError {
  if (event.message !== undefined && event.message !== '') {
    const place = event.filename ? ` (${event.filename}:${event.lineno ?? 0})` : '';
    return new EscapementError('SIMULATION_FAILED', 'The simulation worker threw.', {
      given: event.message + place,
      cause: event.error,
    });
  }
  return new EscapementError('WORKER_LOAD_FAILED', 'The worker script did not load.', {
    given: event.filename || 'an error event without a message, as browsers send for it',
    allowed: 'a script that answers 200 with a JavaScript type',
    fix:
      'Check its URL in the network panel. On an isolated page the response of the worker script ' +
      'itself needs the header Cross-Origin-Embedder-Policy: require-corp (or credentialless).',
  });
}

function loadOrThrow(cause: unknown): EscapementError {
  const code = (cause as { code?: unknown } | null)?.code;
  const loading = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  return loading
    ? new EscapementError('WORKER_LOAD_FAILED', 'The worker script did not load.', {
        given: String(code),
        fix: 'Check the path given to new Worker, and that the module was built.',
        cause,
      })
    : new EscapementError('SIMULATION_FAILED', 'The simulation worker threw.', { cause });
}
