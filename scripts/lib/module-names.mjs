import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

/*
 * A worker has no import map: where no bundler takes part, the bare names in modules have to become
 * addresses on their way to a browser.
 */

/** Packages that pages use, by where their module lies. */
const PACKAGES = Object.freeze({
  '@dimforge/rapier3d-deterministic-compat':
    '/node_modules/@dimforge/rapier3d-deterministic-compat/dist/rapier.mjs',
  '@hpcc-js/wasm-zstd': '/node_modules/@hpcc-js/wasm-zstd/dist/index.js',
  comlink: '/node_modules/comlink/dist/esm/comlink.mjs',
  fflate: '/node_modules/fflate/esm/browser.js',
  mediabunny: '/node_modules/mediabunny/dist/bundles/mediabunny.mjs',
  'pixi.js': '/node_modules/pixi.js/dist/pixi.mjs',
  three: '/node_modules/three/build/three.module.js',
});

/**
 * Returns what each bare name, or stem of one that ends in a slash, stands for on a server of the
 * project's root.
 * @returns {ReadonlyMap<string, string>}
 */
export function readAliases() {
  /** @type {{ name: string, exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const aliases = new Map([
    ['#dist/', '/dist/'],
    ['#build/', '/build/'],
    ...Object.entries(PACKAGES),
  ]);
  for (const [path, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    aliases.set(manifest.name + path.slice(1), target.default.slice(1));
  }
  return aliases;
}

/**
 * Returns the code of a module with each of these names replaced.
 * @param {string} code
 * @param {ReadonlyMap<string, string>} aliases
 */
export function resolveImports(code, aliases) {
  const specifier = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([#@\w][^'"]*)\2/g;
  return code.replace(
    specifier,
    (
      whole,
      /** @type {string} */ before,
      /** @type {string} */ quote,
      /** @type {string} */ name,
    ) => {
      const stem = /^#\w+\//.exec(name)?.[0] ?? name;
      const target = aliases.get(stem);
      if (target === undefined) return whole;
      return `${before}${quote}${target}${name.slice(stem.length)}${quote}`;
    },
  );
}
