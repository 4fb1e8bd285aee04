/** What can be given back when a thread ends. */
interface Closable {
  close(): void;
}

interface NodeProcess {
  on?(event: 'exit', listener: () => void): void;
}

const open = new Set<Closable>();
let listening = false;

/**
 * Notes an open view, control or follower, so that a Node thread that ends gives back what it
 * claimed. A thread that is terminated cannot: its claims stay for the region's life, but for
 * followers, which their host can retire.
 */
export function rememberOpen(end: Closable): void {
  open.add(end);
  if (listening) return;
  listening = true;
  const { process } = globalThis as { process?: NodeProcess };
  process?.on?.('exit', () => {
    for (const each of open) each.close();
  });
}

/** Forgets what was closed. */
export function forgetOpen(end: Closable): void {
  open.delete(end);
}
