import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/*
 * A WebSocket client written from RFC 6455 alone, so that the server is tried by something that
 * shares no code with it, and can be sent what no library would send.
 */

/** What came in: a data frame, a close frame, or the end of the connection without one. */
export type Arrival =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Buffer }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  | { readonly kind: 'end' };

/** How to connect. */
export interface RawOptions {
  readonly port: number;
  readonly path?: string;
  readonly protocol?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply or an event of the control protocol. */
export type Message = Readonly<Record<string, unknown>>;

const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const PATIENCE_MS = 10_000;

/** One connection after the handshake. */
export class RawSocket {
  /** Events that came while a reply was awaited. */
  readonly events: Message[] = [];
  /** Whether pings are answered, as the standard demands. */
  answersPings = true;
  readonly socket: Socket;
  #bytes: Buffer;
  #nextId = 1;
  #ended = false;
  #onChange: () => void = () => undefined;

  private constructor(socket: Socket, rest: Buffer) {
    this.socket = socket;
    this.#bytes = rest;
    socket.on('data', (bytes: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#onChange();
    });
    const end = (): void => {
      this.#ended = true;
      this.#onChange();
    };
    socket.on('error', end);
    socket.on('close', end);
  }

  /** Shakes hands. Resolves with the connection, or with the status line's number and the body. */
  static async connect(options: RawOptions): Promise<RawSocket | { status: number; body: string }> {
    const { port, path = '/', headers = {} } = options;
    const protocol = 'protocol' in options ? options.protocol : 'escapement.control.1';
    const key = randomBytes(16).toString('base64');
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Version: 13',
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const { head, rest } = await readHead(socket);
    const status = Number(head.split(' ')[1]);
    if (status !== 101) {
      const body = await readToEnd(socket, rest);
      return { status, body };
    }
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    if (!head.includes(`Sec-WebSocket-Accept: ${accept}`)) throw new Error(`no accept in: ${head}`);
    if (!head.includes('Sec-WebSocket-Protocol: escapement.control.1')) {
      throw new Error(`no subprotocol in: ${head}`);
    }
    return new RawSocket(socket, rest);
  }

  /** Sends a request and resolves with its reply; events that come first are kept. */
  async request(verb: string, fields: Message = {}): Promise<Message> {
    const id = this.#nextId++;
    this.send(JSON.stringify({ id, verb, ...fields }));
    return this.reply(id);
  }

  /** Sends a request and resolves with its result. Rejects when the reply is an error. */
  async result(verb: string, fields: Message = {}): Promise<Message> {
    const reply = await this.request(verb, fields);
    if (reply['ok'] !== true) throw new Error(`${verb}: ${JSON.stringify(reply)}`);
    return reply['result'] as Message;
  }

  /** Sends a request that is refused and resolves with its error. */
  async error(verb: string, fields: Message = {}): Promise<Message> {
    const reply = await this.request(verb, fields);
    if (reply['ok'] !== false) throw new Error(`${verb}: ${JSON.stringify(reply)}`);
    return reply['error'] as Message;
  }

  /** Resolves with the reply to a request. */
  async reply(id: number | string | null): Promise<Message> {
    for (;;) {
      const message = await this.message();
      if ('event' in message) this.events.push(message);
      else if (message['id'] === id) return message;
      else throw new Error(`a reply to nobody: ${JSON.stringify(message)}`);
    }
  }

  /** Resolves with the next event. */
  async event(): Promise<Message> {
    return this.events.shift() ?? (await this.message());
  }

  /** Resolves with the next message. */
  async message(): Promise<Message> {
    const arrival = await this.arrival();
    if (arrival.kind === 'text') return JSON.parse(arrival.text) as Message;
    throw new Error(`no message but ${JSON.stringify(arrival)}`);
  }

  /** Resolves with what comes next. */
  async arrival(): Promise<Arrival> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const arrival = this.#take();
      if (arrival !== undefined) return arrival;
      if (this.#ended) return { kind: 'end' };
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`nothing came within ${PATIENCE_MS} ms`);
      await this.#change(leftMs);
    }
  }

  /** Sends a text frame. */
  send(text: string): void {
    this.sendFrame(OPCODE.text, Buffer.from(text));
  }

  /** Sends any frame, masked as a client's must be unless told otherwise. */
  sendFrame(opcode: number, payload: Buffer, masked = true, final = true): void {
    const length = payload.length;
    const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    head[0] = (final ? 0x80 : 0) | opcode;
    head[1] = (masked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    if (!masked) {
      this.sendBytes(Buffer.concat([head, payload]));
      return;
    }
    const mask = randomBytes(4);
    const body = Buffer.from(payload.map((byte, i) => byte ^ (mask[i & 3] as number)));
    this.sendBytes(Buffer.concat([head, mask, body]));
  }

  /** Sends bytes that may be no frame at all. */
  sendBytes(bytes: Buffer): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Drops the connection. */
  destroy(): void {
    this.socket.destroy();
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Takes the next whole frame out of what has come; servers do not mask and we do not split. */
  #take(): Arrival | undefined {
    for (;;) {
      const bytes = this.#bytes;
      if (bytes.length < 2) return undefined;
      const short = (bytes[1] as number) & 0x7f;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length < start) return undefined;
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(2)
            : Number(bytes.readBigUInt64BE(2));
      if (bytes.length < start + length) return undefined;
      const payload = bytes.subarray(start, start + length);
      this.#bytes = bytes.subarray(start + length);
      const opcode = (bytes[0] as number) & 0x0f;
      if (opcode === OPCODE.text) return { kind: 'text', text: payload.toString('utf8') };
      if (opcode === OPCODE.binary) return { kind: 'binary', bytes: payload };
      if (opcode === OPCODE.close) {
        const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
        return { kind: 'close', code, reason: payload.subarray(2).toString('utf8') };
      }
      if (opcode === OPCODE.ping && this.answersPings) this.sendFrame(OPCODE.pong, payload);
    }
  }
}

function readHead(socket: Socket): Promise<{ head: string; rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const onData = (more: Buffer): void => {
      bytes = Buffer.concat([bytes, more]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      socket.off('error', reject);
      resolve({ head: bytes.subarray(0, end).toString(), rest: bytes.subarray(end + 4) });
    };
    socket.on('data', onData);
    socket.once('error', reject);
  });
}

function readToEnd(socket: Socket, rest: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let bytes = rest;
    socket.on('data', (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(bytes.toString()));
  });
}
