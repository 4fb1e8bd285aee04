import { ControlServer, type ControlServerOptions } from '../../src/cli/control-server.ts';
import { ClockStage } from './clock-stage.ts';
import { RawSocket, type RawOptions } from './raw-socket.ts';

/** The token of every server in tests. */
export const TOKEN = 'a-token-for-tests';

/** A control server over a clock in virtual time, and the clients of a test. */
export class Served {
  readonly stage: ClockStage;
  readonly server: ControlServer;
  readonly #sockets: RawSocket[] = [];

  private constructor(stage: ClockStage, server: ControlServer) {
    this.stage = stage;
    this.server = server;
  }

  static async open(options: Partial<ControlServerOptions> = {}): Promise<Served> {
    const stage = new ClockStage();
    const server = await ControlServer.open({
      simulation: stage,
      host: '127.0.0.1',
      port: 0,
      token: TOKEN,
      ...options,
    });
    return new Served(stage, server);
  }

  /** Connects with the token. */
  async client(): Promise<RawSocket> {
    return this.accepted({ headers: { Authorization: `Bearer ${TOKEN}` } });
  }

  /** Connects, and fails the test if that is refused. */
  async accepted(options: Omit<RawOptions, 'port'> = {}): Promise<RawSocket> {
    const socket = await RawSocket.connect({ port: this.server.port, ...options });
    if (!(socket instanceof RawSocket)) throw new Error(`refused: ${JSON.stringify(socket)}`);
    this.#sockets.push(socket);
    return socket;
  }

  /** Connects, and fails the test unless that is refused. */
  async refused(options: Omit<RawOptions, 'port'>): Promise<{ status: number; body: string }> {
    const refusal = await RawSocket.connect({ port: this.server.port, ...options });
    if (!(refusal instanceof RawSocket)) return refusal;
    refusal.destroy();
    throw new Error('it was let in');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.server.close();
  }
}

/** Resolves when `holds` does; rejects when it does not in time. */
export async function until(what: string, holds: () => boolean, ms = 5000): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
