import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SimulationDefinition } from '../sim-worker/definition.ts';
import { withholdScope } from '../sim-worker/worker-scope.ts';
import { importModule } from './import-module.ts';
import { findModule, type ModuleFile } from './module-file.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Loads the definition that a module exports, on this thread, and starts nothing. Throws
 * {@link UsageError} when there is no such file, or it exports no definition, several, or none of
 * the name that is asked for; WORKER_LOAD_FAILED, with the cause, when it cannot be imported.
 * The terminal is told when the module imports another copy of this package than this one.
 */
export async function loadDefinition(
  path: string,
  name?: string,
  terminal?: Pick<Terminal, 'err'>,
): Promise<SimulationDefinition> {
  const file = findModule(path);
  // On a worker of ours the channel is ours, and no host's.
  withholdScope();
  keepOutput();
  const definition = pick(file, await importModule(file), name);
  const other = otherCopyOf(file);
  if (other !== undefined)
    terminal?.err(`escapement: ${path} imports another copy of this: ${other}\n`);
  return definition;
}

/** Standard output is the command's: what a module prints goes beside it. */
function keepOutput(): void {
  Object.assign(globalThis, { console: new Console(process.stderr) });
}

/** Chooses among the exports of a module: the one that is a definition, or is named. */
export function pick(
  { path }: Pick<ModuleFile, 'path'>,
  exports: object,
  name: string | undefined,
): SimulationDefinition {
  const found = Object.entries(exports).filter(([, value]) => isDefinition(value));
  const names = found.map(([key]) => key).join(', ');
  if (name !== undefined) {
    const named = found.find(([key]) => key === name);
    if (named !== undefined) return named[1] as SimulationDefinition;
    throw new UsageError('NAME_UNKNOWN', 'The module exports no definition of that name.', {
      given: `--export ${name}`,
      allowed: names || 'none: it exports no definition',
      fix: 'Correct the name behind --export.',
    });
  }
  const different = new Set(found.map(([, value]) => value as SimulationDefinition));
  const [only] = different;
  if (different.size === 1 && only !== undefined) return only;
  if (only === undefined) {
    throw new UsageError('OPTION_INVALID', 'The module exports no definition.', {
      given: `${path}, which exports ${Object.keys(exports).join(', ') || 'nothing'}`,
      allowed: 'a module that exports what defineSimulation returned',
      fix: 'Write `export const flock = defineSimulation({ ... });`.',
    });
  }
  throw new UsageError('OPTION_INVALID', 'The module exports several definitions.', {
    given: path,
    allowed: `one of them: ${names}`,
    fix: `Say which one: --export ${found[0]?.[0] ?? 'NAME'}.`,
  });
}

function isDefinition(value: unknown): boolean {
  return (value as { kind?: unknown } | null)?.kind === 'escapement/definition';
}

/** Returns where a module finds this package, unless that is this very copy. */
function otherCopyOf({ path }: ModuleFile): string | undefined {
  const ours = realpathSync(fileURLToPath(new URL('../sim-worker/index.js', import.meta.url)));
  try {
    const theirs = realpathSync(createRequire(path).resolve('escapement/sim'));
    return theirs === ours ? undefined : theirs;
  } catch {
    return undefined;
  }
}
