import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { UsageError } from './usage-error.ts';

/** A module that can be loaded here, and how. */
export interface ModuleFile {
  readonly path: string;
  readonly url: string;
  /** Modules whose `register` has to be called first, for TypeScript; none if Node can do it. */
  readonly loaders: readonly string[];
}

/** What most commands are given. */
const SIMULATION = 'the path of a module that calls runSimulation(definition)';

/**
 * Finds out how a module can be loaded. Throws {@link UsageError} when there is no such file, or it
 * is TypeScript and nothing here loads that; `wanted` says what it ought to be.
 */
export function findModule(path: string, wanted: string = SIMULATION): ModuleFile {
  const file = resolve(path);
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new UsageError('OPTION_INVALID', 'There is no such module.', {
      given: file,
      allowed: wanted,
      fix: 'Check the path, and that the module was built.',
    });
  }
  return { path: file, url: pathToFileURL(file).href, loaders: findLoaders(file) };
}

/** Whether this Node takes types out of TypeScript by itself. */
export function stripsTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}

/**
 * Finds tsx: where the module is, where the command was called, or beside this package. Returns the
 * addresses of its two programming interfaces: a project decides which kind its modules are.
 */
function findTsx(moduleDirectory: string): readonly string[] | undefined {
  const places = [moduleDirectory, process.cwd(), dirname(fileURLToPath(import.meta.url))];
  for (const place of places) {
    try {
      const manifest = createRequire(join(place, 'any.js')).resolve('tsx/package.json');
      return ['cjs', 'esm'].map(
        (kind) => pathToFileURL(join(dirname(manifest), `dist/${kind}/api/index.mjs`)).href,
      );
    } catch {
      // Not there: the next place is asked.
    }
  }
  return undefined;
}

function findLoaders(file: string): readonly string[] {
  if (!/\.[cm]?tsx?$/.test(file)) return [];
  const tsx = findTsx(dirname(file));
  if (tsx !== undefined) return tsx;
  if (stripsTypes()) return [];
  throw new UsageError('OPTION_INVALID', 'Nothing here loads TypeScript.', {
    given: file,
    allowed: 'a JavaScript module, or a TypeScript module with tsx or Node 22.18',
    fix: 'npm install -D tsx',
  });
}
