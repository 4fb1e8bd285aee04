/** Where a command writes, and what can ask it to end: the process, as far as commands use it. */
export interface Terminal {
  readonly isTty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Calls back once, when a signal asks for an end or nobody reads the output any more. */
  onEnd(listener: () => void): void;
}

/** Returns the terminal of this process. */
export function openTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // Who hears of no error is ended by it: a reader that has gone is no failure of the command.
  stderr.on('error', () => undefined);
  stdout.on('error', (cause) => {
    if ((cause as { readonly code?: unknown }).code === 'EPIPE') return;
    stderr.write(`escapement: Standard output cannot be written: ${cause.message}\n`);
    process.once('exit', () => {
      process.exitCode ||= 1;
    });
  });
  return {
    isTty: stdout.isTTY === true,
    env,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    onEnd: (listener) => {
      // A second signal finds no listener and ends the process as signals do.
      process.once('SIGINT', listener);
      process.once('SIGTERM', listener);
      // A reader that has gone is told by each write; the first one is enough.
      stdout.on('error', listener);
    },
  };
}
