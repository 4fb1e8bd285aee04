import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/shared/version.ts';

test('the version that files and processes say is that of the package', () => {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(manifest) as { version: string }).version).toBe(VERSION);
});
