import { KERNEL_HEX, MEMORY_FLAGS_AT } from './kernel-bytes.ts';

/** Limits of an imported memory: with a maximum, not shared. */
const FLAGS_UNSHARED = 1;

/** One for shared memory and one for other, compiled once a thread; null where that is refused. */
const compiled: [WebAssembly.Module | null | undefined, WebAssembly.Module | null | undefined] = [
  undefined,
  undefined,
];

/**
 * Returns the compiled kernels, for shared or for other memory. Undefined where the engine has no
 * WebAssembly with SIMD or a content security policy forbids to compile it.
 */
export function loadModule(shared: boolean): WebAssembly.Module | undefined {
  const which = shared ? 1 : 0;
  let module = compiled[which];
  if (module === undefined) {
    module = compile(shared);
    compiled[which] = module;
  }
  return module ?? undefined;
}

function compile(shared: boolean): WebAssembly.Module | null {
  if (typeof WebAssembly === 'undefined') return null;
  const hex = KERNEL_HEX.replace(/\s/g, '');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  }
  // The module is the same for both kinds of memory but for what it says of it.
  if (!shared) bytes[MEMORY_FLAGS_AT] = FLAGS_UNSHARED;
  try {
    return new WebAssembly.Module(bytes);
  } catch {
    return null;
  }
}
