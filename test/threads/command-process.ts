import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RawSocket } from '../cli/raw-socket.ts';

/** Returns a path from the root of the checkout. */
export const root = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

const MAIN = root('dist/cli/main.js');

/** The token of every control server in these tests. */
export const TOKEN = 'a-token-for-tests';

/** A run of the command line as a process of its own. */
export class Command {
  out = '';
  err = '';
  readonly child: ChildProcess;
  readonly code: Promise<number | null>;
  #onOutput: () => void = () => undefined;

  constructor(args: readonly string[], nodeArgs: readonly string[] = []) {
    this.child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], {
      cwd: root(''),
      env: { ...process.env, ESCAPEMENT_TOKEN: TOKEN, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (bytes: Buffer) => {
      this.out += bytes.toString();
      this.#onOutput();
    });
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.err += bytes.toString();
      this.#onOutput();
    });
    this.code = once(this.child, 'close').then(([code]) => {
      this.#onOutput();
      return code as number | null;
    });
  }

  /** Resolves with what a pattern finds in the output. */
  async find(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.err + this.out);
      if (found !== null) return found;
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.err}${this.out}`);
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
  }

  /** Connects to the control server that it says it has opened. */
  async connect(): Promise<RawSocket> {
    const [, port] = await this.find(/control: ws:\/\/127\.0\.0\.1:(\d+)\//);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const socket = await RawSocket.connect({ port: Number(port), headers });
    if (socket instanceof RawSocket) return socket;
    throw new Error(`refused: ${JSON.stringify(socket)}`);
  }

  /** The lines of JSON on standard output. */
  lines(): Record<string, unknown>[] {
    return this.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

const commands: Command[] = [];

/** Runs the command line. */
export function command(args: readonly string[], nodeArgs: readonly string[] = []): Command {
  const made = new Command(args, nodeArgs);
  commands.push(made);
  return made;
}

/** Ends every command of a test that still runs. */
export function endCommands(): void {
  for (const { child } of commands.splice(0)) child.kill('SIGKILL');
}
