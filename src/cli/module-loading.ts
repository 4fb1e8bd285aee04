import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EscapementError } from '../shared/error.ts';
import { UsageError } from './usage-error.ts';

/** How a module can be loaded here: as it is, or after tsx has been registered on its thread. */
export type Loading =
  | { readonly kind: 'plain' }
  | { readonly kind: 'tsx'; readonly register: string };

/** Where a package is looked for that only its user can have installed. */
const HERE = 'any.js';

/** Threads register once; what is registered stays. */
let registered = false;

/** Returns a module's absolute path. Throws {@link UsageError} when there is no such file. */
export function checkModule(path: string, allowed: string): string {
  const file = resolve(path);
  if (existsSync(file) && statSync(file).isFile()) return file;
  throw new UsageError('OPTION_INVALID', 'There is no such module.', {
    given: file,
    allowed,
    fix: 'Check the path, and that the module was built.',
  });
}

/**
 * Says how a module is loaded: TypeScript by tsx where it is installed, else by a Node that strips
 * types itself. Throws {@link UsageError} where neither can.
 */
export function chooseLoading(file: string): Loading {
  if (!/\.[cm]?ts$/.test(file)) return { kind: 'plain' };
  const register = findTsx([process.cwd(), dirname(file)]);
  if (register !== undefined) return { kind: 'tsx', register };
  const stripsTypes = Boolean((process.features as { typescript?: unknown }).typescript);
  if (stripsTypes) return { kind: 'plain' };
  throw new UsageError('OPTION_INVALID', 'Nothing here loads TypeScript.', {
    given: file,
    allowed: 'a JavaScript module, or a TypeScript module where tsx is installed',
    fix: 'Install tsx (npm install --save-dev tsx), use Node 22.18 or later, or build it first.',
  });
}

/** Imports a module on this thread. Rejects with WORKER_LOAD_FAILED when it does not load. */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  const loading = chooseLoading(file);
  try {
    if (loading.kind === 'tsx' && !registered) {
      const tsx = (await import(loading.register)) as { register(): unknown };
      tsx.register();
      registered = true;
    }
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new EscapementError('WORKER_LOAD_FAILED', 'The module did not load.', {
      given: file,
      allowed: 'a module that Node can import, with everything it imports',
      fix: 'Mend what the cause names; import the module with node to see it alone.',
      cause,
    });
  }
}

/**
 * Imports a package that is only there where its user installed it: from the working directory, or
 * beside this package. Rejects with PACKAGE_MISSING, naming what it is `needed` for.
 */
export async function importPackage(name: string, needed: string): Promise<unknown> {
  try {
    const local = createRequire(join(process.cwd(), HERE));
    const address = pathToFileURL(local.resolve(name)).href;
    return await import(address);
  } catch {
    // Not there: it may still stand beside this package.
  }
  try {
    return await import(name);
  } catch (cause) {
    throw new EscapementError('PACKAGE_MISSING', `${needed} needs the package ${name}.`, {
      given: 'an installation without it',
      fix: `npm install ${name}`,
      cause,
    });
  }
}

/** Finds what registers tsx, from the first of the directories that has it. */
function findTsx(directories: readonly string[]): string | undefined {
  for (const directory of directories) {
    try {
      const manifest = createRequire(join(directory, HERE)).resolve('tsx/package.json');
      return pathToFileURL(join(dirname(manifest), 'dist/esm/api/index.mjs')).href;
    } catch {
      // Not from there.
    }
  }
  return undefined;
}
