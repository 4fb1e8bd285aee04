import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';

/** The headers that make a page cross-origin isolated, and let an isolated page load the file. */
export const ISOLATION_HEADERS = Object.freeze({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** @type {Readonly<Record<string, string>>} */
const MEDIA_TYPES = Object.freeze({
  '.css': 'text/css; charset=utf-8',
  '.gz': 'application/gzip',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
});

/**
 * What a server is asked to do.
 * - `root`: the directory whose files are served; nothing outside of it is, not by a link either
 * - `headersFor`: the headers a response carries beside its type, by the request
 * - `transform`: changes a file's bytes before they are sent, by its media type
 * - `pages`: documents that are no files: returns the HTML of a path, or undefined
 * - `receive`: takes what is posted to a path, and returns what is answered as JSON; without it
 *   nothing can be posted
 * - `port`: 0 (the default) takes any free one
 * - `host`: 127.0.0.1 by default, so that only this machine can ask
 * @typedef {{
 *   root: string,
 *   headersFor?: (request: import('node:http').IncomingMessage) => Record<string, string>,
 *   transform?: (body: Buffer, mediaType: string) => Buffer | string,
 *   pages?: (path: string) => string | undefined,
 *   receive?: (path: string, body: string) => unknown,
 *   port?: number,
 *   host?: string,
 * }} ServeOptions
 */

/**
 * A server that listens.
 * @typedef {{ origin: string, port: number, close: () => Promise<void> }} Served
 */

/**
 * Serves the files of a directory over HTTP, never cached, and takes what is posted if it is told
 * how. Rejects with the system's error (`EADDRINUSE`) when the port is taken.
 * @param {ServeOptions} options
 * @returns {Promise<Served>}
 */
export async function serve(options) {
  const root = await realpath(options.root);
  const host = options.host ?? '127.0.0.1';
  const server = createServer((request, response) => {
    answer(root, options, request, response).catch((/** @type {Error} */ error) => {
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${error.message}\n`);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, () => resolve(undefined));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, port, close: () => close(server) };
}

/**
 * @param {string} root
 * @param {ServeOptions} options
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(root, options, request, response) {
  const headers = { 'Cache-Control': 'no-store', ...options.headersFor?.(request) };
  const send = (
    /** @type {number} */ status,
    /** @type {string} */ mediaType,
    /** @type {Buffer | string} */ body,
  ) => {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, 'Content-Type': mediaType, 'Content-Length': length });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const path = readPath(request.url ?? '/');
  if (request.method === 'POST' && path !== undefined && options.receive !== undefined) {
    const answered = options.receive(path, await readBody(request));
    // Whoever posts now and then would find the connection closed, just as it posts again.
    response.shouldKeepAlive = false;
    return send(200, 'application/json; charset=utf-8', JSON.stringify(answered ?? null));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(405, 'text/plain', 'only GET and HEAD\n');
  }
  const page = path === undefined ? undefined : options.pages?.(path);
  if (page !== undefined) return send(200, 'text/html; charset=utf-8', page);
  const file = path === undefined ? undefined : await findFile(root, path);
  if (file === undefined) return send(404, 'text/plain', `nothing at ${request.url}\n`);
  const mediaType = MEDIA_TYPES[extname(file)] ?? 'application/octet-stream';
  const body = await readFile(file);
  return send(200, mediaType, options.transform?.(body, mediaType) ?? body);
}

/** The most that can be posted at once, in bytes. */
const POST_BYTES_MAX = 1_000_000;

/**
 * Returns what was posted; throws when that is too much.
 * @param {import('node:http').IncomingMessage} request
 */
async function readBody(request) {
  const parts = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > POST_BYTES_MAX) throw new Error(`more than ${POST_BYTES_MAX} bytes were posted`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/**
 * Returns the decoded path of a request, or undefined where it is malformed.
 * @param {string} url
 */
function readPath(url) {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @param {string} path
 */
async function findFile(root, path) {
  const file = await realpath(join(root, path)).catch(() => undefined);
  if (file === undefined || (file !== root && !file.startsWith(root + sep))) return undefined;
  const found = await stat(file);
  if (found.isFile()) return file;
  const index = join(file, 'index.html');
  const isFile = await stat(index).then(
    (it) => it.isFile(),
    () => false,
  );
  return isFile ? index : undefined;
}

/** @param {import('node:http').Server} server */
async function close(server) {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
