import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Names of this machine that only itself can mean. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** What a request to connect has shown. `later`: it has still to say the token. */
export type Admission = 'granted' | 'later' | 'wrong-token' | 'foreign-origin';

/** Decides who may connect: by the token, and for pages of a browser by their origin. */
export class Access {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digestOf(token);
  }

  /** Compares a token in a time that does not depend on either. */
  accepts(token: unknown): boolean {
    const equal = timingSafeEqual(digestOf(typeof token === 'string' ? token : ''), this.#digest);
    return typeof token === 'string' && equal;
  }

  /**
   * Looks at a request for an upgrade: a token in `Authorization: Bearer` or `?token=` decides.
   * Without one a page may go on only if it was loaded from this very server, whose names are its
   * own address and, on loopback, those of loopback; any other program may say the token first.
   */
  judge(request: IncomingMessage, ownHost: string, ownPort: number): Admission {
    const given = tokenOf(request);
    if (given !== undefined) return this.accepts(given) ? 'granted' : 'wrong-token';
    const { origin } = request.headers;
    if (origin === undefined) return 'later';
    const hosts = isLoopback(ownHost) ? LOOPBACK : [bracketed(ownHost)];
    const own = hosts.some((host) => origin === `http://${host}:${ownPort}`);
    return own ? 'later' : 'foreign-origin';
  }
}

/** Makes a token of 192 random bits. */
export function createToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Says whether a listening address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Writes an address as it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function tokenOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  if (bearer !== null) return bearer[1];
  // A header that is no bearer token is a wrong one, never none.
  if (headers.authorization !== undefined) return '';
  const query = url.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get('token') ?? undefined);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
