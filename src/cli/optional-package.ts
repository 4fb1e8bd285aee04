import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EscapementError } from '../shared/error.ts';

/**
 * Imports a package that is only there where its user installed it: from the working directory, or
 * beside this package. Rejects with PACKAGE_MISSING, naming what it is `needed` for.
 */
export async function importPackage(name: string, needed: string): Promise<unknown> {
  try {
    const local = createRequire(join(process.cwd(), 'any.js'));
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
