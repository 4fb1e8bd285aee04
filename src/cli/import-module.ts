import { EscapementError } from '../shared/error.ts';
import type { ModuleFile } from './module-file.ts';

/** Loaders that were registered on this thread; a second time would translate twice. */
const registered = new Set<string>();

/**
 * Imports a module on this thread, with what loads TypeScript where that is needed. Rejects with
 * WORKER_LOAD_FAILED, and the cause, when it cannot be imported.
 */
export async function importModule({ url, path, loaders }: ModuleFile): Promise<object> {
  try {
    for (const loader of loaders) {
      if (registered.has(loader)) continue;
      const { register } = (await import(loader)) as { register: () => unknown };
      register();
      registered.add(loader);
    }
    return unwrapped((await import(url)) as object);
  } catch (cause) {
    throw new EscapementError('WORKER_LOAD_FAILED', 'The module did not load.', {
      given: path,
      allowed: 'a module that Node can import, with everything it imports',
      fix: 'Mend what the cause names; import the module with node to see it alone.',
      cause,
    });
  }
}

/** What a module of the older kind exports is all in its default export. */
function unwrapped(exports: object): object {
  const inner = (exports as { readonly default?: unknown }).default;
  if (typeof inner !== 'object' || inner === null || 'kind' in inner) return exports;
  return { ...inner, ...exports };
}
