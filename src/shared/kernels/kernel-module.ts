/** A WebAssembly module as source text. */
export interface KernelText {
  /** Its bytes in hexadecimal; white space does not count. */
  readonly hex: string;
  /** The byte that says whether the memory it imports is shared. */
  readonly memoryFlagsAt: number;
}

/** Limits of an imported memory: with a maximum, not shared. */
const FLAGS_UNSHARED = 1;

/** Compiled once a thread, for other and for shared memory; null where that is refused. */
const compiled: readonly Map<KernelText, WebAssembly.Module | null>[] = [new Map(), new Map()];

/**
 * Returns compiled kernels, for shared or for other memory. Undefined where the engine has no
 * WebAssembly with SIMD or a content security policy forbids to compile it.
 */
export function loadModule(text: KernelText, shared: boolean): WebAssembly.Module | undefined {
  const modules = compiled[shared ? 1 : 0] as Map<KernelText, WebAssembly.Module | null>;
  let module = modules.get(text);
  if (module === undefined) {
    module = compile(text, shared);
    modules.set(text, module);
  }
  return module ?? undefined;
}

function compile(text: KernelText, shared: boolean): WebAssembly.Module | null {
  if (typeof WebAssembly === 'undefined') return null;
  const hex = text.hex.replace(/\s/g, '');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  }
  // The module is the same for both kinds of memory but for what it says of it.
  if (!shared) bytes[text.memoryFlagsAt] = FLAGS_UNSHARED;
  try {
    return new WebAssembly.Module(bytes);
  } catch {
    return null;
  }
}
