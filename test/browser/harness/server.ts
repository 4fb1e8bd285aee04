import type { IncomingMessage } from 'node:http';
import { readAliases, resolveImports } from '../../../scripts/lib/module-names.mjs';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { ISOLATION_HEADERS, serve } from '../../../scripts/lib/serve.mjs';

/** Options of {@link startTestServer}. */
export interface TestServerOptions {
  /** Whether pages are cross-origin isolated. */
  readonly isolated: boolean;
  /**
   * Whether worker scripts carry the embedder policy that an isolated page asks of them; `true` by
   * default. Without it the browser refuses to start such a worker.
   */
  readonly workerCoep?: boolean;
  /** The directory that is served; the project's root by default. */
  readonly root?: string;
}

/** A running test server. */
export interface TestServer {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  /**
   * The address of an empty page that loads one module, given by its path below the root:
   * `build/test/browser/pages/hello.js`. Without a path the page stays empty.
   */
  pageFor(modulePath?: string): string;
  close(): Promise<void>;
}

const PAGE_PREFIX = '/run/';

/**
 * Serves the built output to a browser: any file of the project by its path, and pages made on the
 * spot. Modules are rewritten on their way: the package's own names, `#dist/`, `#build/` and those
 * of packages that pages use become addresses, since a worker has no import map and no bundler
 * takes part.
 */
export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const { isolated, workerCoep = true } = options;
  const aliases = readAliases();
  const served = await serve({
    root: options.root ?? inRoot(),
    headersFor: (request) => (isolated ? isolationFor(request, workerCoep) : {}),
    pages: (path) =>
      path.startsWith(PAGE_PREFIX) ? composePage(path.slice(PAGE_PREFIX.length)) : undefined,
    transform: (body, mediaType) =>
      mediaType.startsWith('text/javascript') ? resolveImports(body.toString(), aliases) : body,
  });
  return {
    origin: served.origin,
    pageFor: (modulePath = '') => `${served.origin}${PAGE_PREFIX}${modulePath}`,
    close: served.close,
  };
}

function isolationFor(request: IncomingMessage, workerCoep: boolean): Record<string, string> {
  const headers: Record<string, string> = { ...ISOLATION_HEADERS };
  const isWorker = String(request.headers['sec-fetch-dest']).endsWith('worker');
  if (isWorker && !workerCoep) delete headers['Cross-Origin-Embedder-Policy'];
  return headers;
}

function composePage(modulePath: string): string {
  const script = modulePath === '' ? '' : `<script type="module" src="/${modulePath}"></script>`;
  const icon = '<link rel="icon" href="data:,">';
  return `<!doctype html><html lang="en"><title>test</title>${icon}${script}<body></body></html>\n`;
}
