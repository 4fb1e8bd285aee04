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
 * Notes an open view, so that a Node thread that ends gives its readers back. A thread that is
 * terminated cannot: its readers stay claimed for the region's life.
 */
export function rememberOpen(view: Closable): void {
  open.add(view);
  if (listening) return;
  listening = true;
  const { process } = globalThis as { process?: NodeProcess };
  process?.on?.('exit', () => {
    for (const each of open) each.close();
  });
}

/** Forgets a view that was closed. */
export function forgetOpen(view: Closable): void {
  open.delete(view);
}
