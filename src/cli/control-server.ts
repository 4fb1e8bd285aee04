import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { EscapementError } from '../shared/error.ts';
import { Access, bracketed } from './access.ts';
import { ControlClient } from './control-client.ts';
import { ControlKeys } from './control-keys.ts';
import {
  CLOSE_CODE,
  CONTROL_LIMITS,
  CONTROL_PROTOCOL,
  type ControlLimits,
  toWireError,
} from './control-protocol.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';

/** Options of a control server. */
export interface ControlServerOptions {
  readonly simulation: ControlledSimulation;
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes any that is free. */
  readonly port: number;
  readonly token: string;
  /** Carries out the verb `stop`; without it the verb is refused. */
  readonly stop?: (() => void) | undefined;
  readonly limits?: Partial<ControlLimits> | undefined;
}

/** How long clients may take to answer a close before they are dropped. */
const FAREWELL_MS = 500;

/** How long waits and requests that are under way may take to send their reply at the end. */
const LAST_WORDS_MS = 50;

const PATH = /^\/(?:\?|$)/;

/**
 * Serves the control protocol of docs/control-protocol.md for one simulation. Nothing that a client
 * sends ends the server or the simulation, except the verb `stop` where that is allowed.
 */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #limits: ControlLimits;
  readonly #access: Access;
  readonly #keys: ControlKeys;
  readonly #clients: Set<ControlClient> = new Set();
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #pings: ReturnType<typeof setInterval>;
  #port = 0;

  private constructor(options: ControlServerOptions) {
    this.#options = options;
    this.#limits = { ...CONTROL_LIMITS, ...options.limits };
    this.#access = new Access(options.token);
    this.#keys = new ControlKeys(options.simulation.clock);
    this.#http = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (_, response) => {
      response.writeHead(426, { Upgrade: 'websocket', Connection: 'close' });
      response.end(`This is a WebSocket for the protocol ${CONTROL_PROTOCOL}.\n`);
    });
    this.#http.maxConnections = 4 * this.#limits.clients;
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on('clientError', (_, socket) => socket.destroy());
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: this.#limits.messageBytes,
      perMessageDeflate: false,
      handleProtocols: () => CONTROL_PROTOCOL,
    });
    this.#pings = setInterval(() => {
      for (const client of this.#clients) client.checkAlive();
    }, this.#limits.pingMs);
    this.#pings.unref();
    void options.simulation.ended.then((cause) => this.#announceEnd(cause));
  }

  /** Opens a server. Rejects with OPTION_INVALID when it cannot listen there. */
  static async open(options: ControlServerOptions): Promise<ControlServer> {
    const server = new ControlServer(options);
    const { host, port } = options;
    try {
      await new Promise<void>((resolve, reject) => {
        server.#http.once('error', reject);
        server.#http.listen(port, host, resolve);
      });
      server.#port = (server.#http.address() as AddressInfo).port;
    } catch (cause) {
      clearInterval(server.#pings);
      throw new EscapementError('OPTION_INVALID', 'The control server cannot listen there.', {
        given: `${bracketed(host)}:${port}`,
        allowed: 'a free port of an address of this machine',
        fix: 'Give --control 0 for any free port.',
        cause,
      });
    }
    return server;
  }

  /** The port it listens on. */
  get port(): number {
    return this.#port;
  }

  /** The address for clients, without a token. */
  get url(): string {
    return `ws://${bracketed(this.#options.host)}:${this.port}/`;
  }

  /** Connections that are open now. */
  get clientCount(): number {
    return this.#clients.size;
  }

  /** Says farewell to all clients and stops listening; resolves when no connection is left. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    if (this.#clients.size > 0) await pause(LAST_WORDS_MS);
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    for (const client of this.#clients) client.close(CLOSE_CODE.ended, 'The server was closed.');
    const timer = setTimeout(() => {
      for (const client of this.#clients) client.terminate();
      this.#http.closeAllConnections();
    }, FAREWELL_MS);
    await closed;
    clearTimeout(timer);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const admission = this.#access.judge(request, this.#options.host, this.port);
    if (admission === 'wrong-token') return refuse(socket, 401, 'The token is wrong.');
    if (admission === 'foreign-origin') {
      return refuse(socket, 403, 'A page of another origin has to connect with the token.');
    }
    if (!PATH.test(request.url ?? '')) return refuse(socket, 404, 'Connect to the path /.');
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',');
    if (!offered.some((name) => name.trim() === CONTROL_PROTOCOL)) {
      return refuse(socket, 400, `Offer the WebSocket subprotocol ${CONTROL_PROTOCOL}.`);
    }
    if (this.#clients.size >= this.#limits.clients) {
      return refuse(socket, 503, `There are ${this.#limits.clients} connections already.`);
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const client = new ControlClient(webSocket, {
        simulation: this.#options.simulation,
        keys: this.#keys,
        access: this.#access,
        limits: this.#limits,
        stop: this.#options.stop,
        admitted: admission === 'granted',
      });
      this.#clients.add(client);
      webSocket.on('close', () => this.#clients.delete(client));
    });
  }

  #announceEnd(cause: EscapementError | undefined): void {
    const reason = cause === undefined ? 'stopped' : 'failed';
    const error = cause === undefined ? null : toWireError(cause);
    for (const client of this.#clients) client.announce({ event: 'ended', reason, error });
    void pause(LAST_WORDS_MS).then(() => {
      for (const client of this.#clients) {
        client.close(CLOSE_CODE.ended, `The simulation has ${reason}.`);
      }
    });
  }
}

/** Answers a request to connect with a status and a sentence, and ends it. */
function refuse(socket: Duplex, status: number, sentence: string): void {
  const body = `${sentence}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
