import { describeCause } from '../shared/error.ts';
import { isLoopback } from './access.ts';
import { type HealthCheck, needed, optional } from './health.ts';

const TIMEOUT_MS = 10_000;

/** The answer of a server, as far as it is judged. */
export interface PageAnswer {
  /** Where it came from, after redirections. */
  readonly url: string;
  readonly status: number;
  /** Returns a header, null if there is none. */
  header(name: string): string | null;
}

/** Fetches a page and judges whether it can share memory between threads. */
export async function checkPage(url: string): Promise<HealthCheck[]> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (thrown) {
    const cause = (thrown as { cause?: unknown }).cause ?? thrown;
    const [said = ''] = describeCause(cause).split('\n', 1);
    return [needed('page', false, `${url} does not answer: ${said}`, 'Start its server.')];
  }
  await response.body?.cancel();
  const { status, headers } = response;
  return judgePage({ url: response.url, status, header: (name) => headers.get(name) });
}

/** Judges the headers of a page: what makes it cross-origin isolated, and what its workers need. */
export function judgePage(page: PageAnswer): HealthCheck[] {
  const { url, status } = page;
  const value = (name: string): string => (page.header(name) ?? '').split(';', 1)[0]?.trim() ?? '';
  const show = (name: string): string => page.header(name) ?? 'no header';
  const coop = value('cross-origin-opener-policy');
  const coep = value('cross-origin-embedder-policy');
  const corp = value('cross-origin-resource-policy');
  const { protocol, hostname } = new URL(url);
  const secure = protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return [
    needed(
      'page',
      status >= 200 && status < 300,
      `${url} answers ${status}`,
      'Give the address of the page itself.',
    ),
    needed(
      'secure context',
      secure,
      secure ? 'https, or this machine' : 'plain http beyond this machine',
      'Serve it over https: no browser isolates a page without.',
    ),
    needed(
      'Cross-Origin-Opener-Policy',
      coop === 'same-origin',
      show('cross-origin-opener-policy'),
      'Send `Cross-Origin-Opener-Policy: same-origin` with the page.',
    ),
    needed(
      'Cross-Origin-Embedder-Policy',
      coep === 'require-corp' || coep === 'credentialless',
      show('cross-origin-embedder-policy'),
      'Send `Cross-Origin-Embedder-Policy: require-corp` with the page and with worker scripts.',
    ),
    needed(
      'Permissions-Policy',
      !/cross-origin-isolated=\(\s*\)/.test(page.header('permissions-policy') ?? ''),
      show('permissions-policy'),
      'Take `cross-origin-isolated=()` out: it forbids what the other headers ask for.',
    ),
    optional(
      'Cross-Origin-Resource-Policy',
      corp !== '',
      show('cross-origin-resource-policy'),
      'Scripts, images and workers of other origins need `Cross-Origin-Resource-Policy: ' +
        'cross-origin`, or CORS; this page itself only if another one frames it.',
    ),
    checkContentPolicy(page.header('content-security-policy')),
  ];
}

/** Every policy has to let it, where a page has several: they come in one header, by commas. */
function checkContentPolicy(header: string | null): HealthCheck {
  const against = (header ?? '').split(',').map(scriptSources).find(forbidsCompiling);
  return optional(
    'Content-Security-Policy',
    against === undefined,
    against === undefined ? 'lets WebAssembly compile' : `script-src ${against.join(' ')}`,
    "Add 'wasm-unsafe-eval' to script-src: without, JavaScript loops do what the kernels do.",
  );
}

/** Where scripts may come from; undefined for from anywhere. */
function scriptSources(policy: string): readonly string[] | undefined {
  const directives = policy.split(';').map((text) => text.trim().split(/\s+/));
  const find = (wanted: string): string[] | undefined =>
    directives.find(([name]) => name?.toLowerCase() === wanted)?.slice(1);
  return find('script-src') ?? find('default-src');
}

function forbidsCompiling(sources: readonly string[] | undefined): boolean {
  if (sources === undefined) return false;
  const allowed = sources.map((source) => source.toLowerCase());
  return !allowed.includes("'wasm-unsafe-eval'") && !allowed.includes("'unsafe-eval'");
}
