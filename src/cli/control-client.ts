import type { RawData, WebSocket } from 'ws';
import { EscapementError } from '../shared/error.ts';
import type { Access } from './access.ts';
import type { ControlKeys, Key } from './control-keys.ts';
import {
  CLOSE_CODE,
  type ControlLimits,
  parseFrame,
  readId,
  readRequest,
  type RequestId,
  toWireError,
} from './control-protocol.ts';
import { findVerb, type VerbContext } from './control-verbs.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';
import { FieldReader } from './field-reader.ts';
import { RateLimit } from './rate-limit.ts';
import { Subscription } from './subscription.ts';

/** What a connection shares with the others. */
export interface ClientOptions {
  readonly simulation: ControlledSimulation;
  readonly keys: ControlKeys;
  readonly access: Access;
  readonly limits: ControlLimits;
  readonly stop: (() => void) | undefined;
  /** Whether the token came with the request to connect. */
  readonly admitted: boolean;
}

/**
 * One connection. Its requests are carried out one after the other, except that a wait does not
 * hold up those behind it. Whatever it sends is answered, by a reply or a close code.
 */
export class ControlClient implements VerbContext {
  readonly simulation: ControlledSimulation;
  readonly keys: ControlKeys;
  readonly stop: (() => void) | undefined;
  readonly #socket: WebSocket;
  readonly #options: ClientOptions;
  readonly #rate: RateLimit;
  readonly #subscriptions: Map<number, Subscription> = new Map();
  #admitted: boolean;
  #tokenTimer: ReturnType<typeof setTimeout> | undefined;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;
  #refusals = 0;
  #subscribed = 0;
  #alive = true;

  constructor(socket: WebSocket, options: ClientOptions) {
    const { simulation, keys, stop, admitted, limits } = options;
    this.simulation = simulation;
    this.keys = keys;
    this.stop = stop;
    this.#socket = socket;
    this.#options = options;
    this.#rate = new RateLimit(limits.requestsPerSecond, performance.now());
    this.#admitted = admitted;
    if (!admitted) {
      this.#tokenTimer = setTimeout(() => this.#expel('No token was said.'), limits.tokenMs);
    }
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#alive = true;
    });
    // A fault of the protocol below is followed by `close`, with a code that says which.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#dispose());
  }

  isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  subscribe(keys: readonly Key[], rateHz: number, changesOnly: boolean): number {
    const { subscriptions, telemetryBacklogBytes } = this.#options.limits;
    if (this.#subscriptions.size >= subscriptions) {
      throw new EscapementError('CAPACITY_EXHAUSTED', 'This connection has no subscription left.', {
        given: 'one more',
        allowed: `${subscriptions} at a time`,
        fix: 'Unsubscribe one, or ask for more keys in one subscription.',
      });
    }
    const id = ++this.#subscribed;
    const subscription = new Subscription({
      id,
      keys,
      rateHz,
      changesOnly,
      read: (names) => this.keys.read(names),
      hasRoom: () => this.isOpen() && this.#socket.bufferedAmount <= telemetryBacklogBytes,
      push: (message) => this.#send(message),
    });
    this.#subscriptions.set(id, subscription);
    return id;
  }

  unsubscribe(id: number): boolean {
    this.#subscriptions.get(id)?.close();
    return this.#subscriptions.delete(id);
  }

  /** Pushes a message that nobody asked for, unless the token is still owed. */
  announce(message: object): void {
    if (this.#admitted) this.#send(message);
  }

  /** Ends the connection if it did not answer since the last call, else asks it to answer. */
  checkAlive(): void {
    if (!this.#alive) {
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    this.#socket.ping();
  }

  /** Closes the connection with a reason. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Drops the connection without a farewell. */
  terminate(): void {
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.isOpen()) return;
    let id: RequestId | null = null;
    try {
      if (isBinary) throw notText();
      const frame = parseFrame(textOf(data));
      id = readId(frame);
      if (!this.#admitted) this.#admit(frame);
      this.#checkLoad();
      const { verb, fields } = readRequest(frame);
      const found = findVerb(verb);
      const reader = new FieldReader(fields, found.fields);
      this.#refusals = 0;
      this.#enqueue(id, () => found.run(this, reader), found.waits ?? false);
    } catch (cause) {
      this.#refuse(id, cause);
    }
  }

  /** Takes the token out of the first message. Throws COMMAND_REFUSED and ends what lacks it. */
  #admit(frame: Readonly<Record<string, unknown>>): void {
    const { token, verb } = frame;
    this.#admitted = this.#options.access.accepts(token) && verb === 'hello';
    if (!this.#admitted) {
      throw new EscapementError('COMMAND_REFUSED', 'The token is missing or wrong.', {
        given: token === undefined ? 'no token' : 'a token',
        allowed: 'the token that the server printed or was given',
        fix: 'Send {"id":0,"verb":"hello","token":"..."} first, or connect with the token.',
      });
    }
    clearTimeout(this.#tokenTimer);
  }

  #checkLoad(): void {
    const { requestsPerSecond, pending } = this.#options.limits;
    if (!this.#rate.tryTake(performance.now())) {
      throw new EscapementError('CAPACITY_EXHAUSTED', 'Too many requests a second.', {
        given: `more than ${requestsPerSecond} a second`,
        allowed: `${requestsPerSecond} a second on one connection`,
        fix: 'Wait for replies, or subscribe instead of polling.',
      });
    }
    if (this.#pending < pending) return;
    throw new EscapementError('CAPACITY_EXHAUSTED', 'Too many requests await their reply.', {
      given: 'one more',
      allowed: `${pending} at a time on one connection`,
      fix: 'Wait for a reply before sending more.',
    });
  }

  #enqueue(id: RequestId, run: () => unknown, waits: boolean): void {
    this.#pending++;
    const carryOut = async (): Promise<void> => {
      try {
        this.#send({ id, ok: true, result: await run() });
      } catch (cause) {
        this.#send({ id, ok: false, error: toWireError(cause) });
      } finally {
        this.#pending--;
      }
    };
    this.#last = this.#last.then(() => {
      const done = carryOut();
      return waits ? undefined : done;
    });
  }

  #refuse(id: RequestId | null, cause: unknown): void {
    this.#send({ id, ok: false, error: toWireError(cause) });
    if (!this.#admitted) {
      this.#expel('The token is missing or wrong.');
      return;
    }
    this.#refusals++;
    if (this.#refusals < this.#options.limits.refusals) return;
    this.close(CLOSE_CODE.flood, 'Too many requests were refused in a row.');
  }

  #expel(reason: string): void {
    this.close(CLOSE_CODE.unauthorized, reason);
  }

  #send(message: object): void {
    if (!this.isOpen()) return;
    if (this.#socket.bufferedAmount > this.#options.limits.backlogBytes) {
      // A close frame would only queue behind what the client does not read.
      this.terminate();
      return;
    }
    // NaN, a figure that does not exist yet, becomes null.
    this.#socket.send(JSON.stringify(message), () => undefined);
  }

  #dispose(): void {
    clearTimeout(this.#tokenTimer);
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8');
}

function notText(): EscapementError {
  return new EscapementError('VALUE_INVALID', 'The message is binary.', {
    given: 'a binary frame',
    allowed: 'text frames with one JSON object each',
    fix: 'Send the JSON as text.',
  });
}
