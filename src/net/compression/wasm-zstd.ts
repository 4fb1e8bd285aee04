import { NetError } from '../net-error.ts';
import type { Zstd } from './zstd.ts';

/** The memory of a WebAssembly module, and what gives out pieces of it. */
interface WasmHeap {
  /** Another view after the memory has grown. */
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/** The functions of libzstd; places and sizes in the heap, in bytes. */
interface ZstdFunctions {
  compressBound(bytes: number): number;
  compress(to: number, toBytes: number, from: number, fromBytes: number, level: number): number;
  decompress(to: number, toBytes: number, from: number, fromBytes: number): number;
  isError(result: number): boolean;
  getErrorName(result: number): string;
}

/** What lies behind the package's own methods. */
interface Insides {
  readonly _mainModule: { readonly _module: WasmHeap };
  readonly _zstdClass: ZstdFunctions;
}

const PACKAGE = '@hpcc-js/wasm-zstd';
const VERSION = '1.12.5';

/** Pieces of the heap are whole pages, so that a few bytes more seldom ask for another piece. */
const PAGE_BYTES = 4096;

let loading: Promise<Zstd> | undefined;

/**
 * Loads zstd, once a thread: libzstd 1.5.7 as WebAssembly, by a dynamic import, so that a program
 * that does not compress does not load it. Runs on Node, in pages and in workers, with a bundler or
 * without. A content security policy must allow `wasm-unsafe-eval`. Rejects with `PACKAGE_MISSING`
 * where the package or WebAssembly is not there: compression goes on without it, by raw envelopes.
 */
export function loadZstd(): Promise<Zstd> {
  loading ??= load().catch((cause: unknown) => {
    loading = undefined;
    throw new NetError('PACKAGE_MISSING', 'zstd-missing', 'zstd could not be loaded.', {
      given: cause instanceof Error ? cause.message : String(cause),
      allowed: `the package ${PACKAGE} ${VERSION}, and WebAssembly`,
      fix: `npm install ${PACKAGE}@${VERSION}; or go on without zstd, or with one of your own.`,
      cause,
    });
  });
  return loading;
}

async function load(): Promise<Zstd> {
  const library = await import('@hpcc-js/wasm-zstd');
  return new WasmZstd(insidesOf(await library.Zstd.load()));
}

/*
 * The package's own methods copy what they return number by number: twenty to forty times as long
 * as libzstd takes to inflate it. So they are passed by; the version is pinned for that.
 */
function insidesOf(loaded: object): Insides {
  const insides = loaded as Partial<Insides>;
  const isKnown =
    insides._mainModule?._module.HEAPU8 instanceof Uint8Array &&
    typeof insides._zstdClass?.decompress === 'function';
  if (!isKnown) throw new Error(`${PACKAGE} is another version than ${VERSION}`);
  return loaded as Insides;
}

/** A piece of the heap that grows with what is asked of it and is used again. */
class HeapPiece {
  readonly #heap: WasmHeap;
  #at = 0;
  #bytes = 0;

  constructor(heap: WasmHeap) {
    this.#heap = heap;
  }

  /** Returns where so many bytes lie. What was there before may be lost. */
  reserve(bytes: number): number {
    if (bytes <= this.#bytes) return this.#at;
    if (this.#at !== 0) this.#heap._free(this.#at);
    this.#at = 0;
    this.#bytes = 0;
    const wanted = Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
    this.#at = this.#heap._malloc(wanted);
    if (this.#at === 0) {
      throw new NetError('CAPACITY_EXHAUSTED', 'zstd-memory-exhausted', 'zstd has no memory.', {
        given: `${wanted} bytes`,
        allowed: 'what the memory of WebAssembly still has',
        fix: 'Lower maxUncompressedBytes.',
      });
    }
    this.#bytes = wanted;
    return this.#at;
  }
}

class WasmZstd implements Zstd {
  readonly #heap: WasmHeap;
  readonly #zstd: ZstdFunctions;
  readonly #source: HeapPiece;
  readonly #target: HeapPiece;

  constructor({ _mainModule, _zstdClass }: Insides) {
    this.#heap = _mainModule._module;
    this.#zstd = _zstdClass;
    this.#source = new HeapPiece(this.#heap);
    this.#target = new HeapPiece(this.#heap);
  }

  compress(bytes: Uint8Array, level: number): Uint8Array {
    const bound = this.#zstd.compressBound(bytes.length);
    const from = this.#source.reserve(bytes.length);
    const to = this.#target.reserve(bound);
    this.#heap.HEAPU8.set(bytes, from);
    return this.#resultAt(to, this.#zstd.compress(to, bound, from, bytes.length, level));
  }

  decompress(frame: Uint8Array, maxBytes: number): Uint8Array {
    const from = this.#source.reserve(frame.length);
    const to = this.#target.reserve(maxBytes);
    this.#heap.HEAPU8.set(frame, from);
    return this.#resultAt(to, this.#zstd.decompress(to, maxBytes, from, frame.length));
  }

  #resultAt(to: number, result: number): Uint8Array {
    if (this.#zstd.isError(result)) {
      const reason = this.#zstd.getErrorName(result);
      throw new NetError('VALUE_INVALID', 'zstd-failed', 'zstd could not do it.', {
        given: reason,
        allowed:
          'bytes with a level from 1 to 19, or a frame that is whole and no larger than said',
        fix: 'Use a Compressor and a Decompressor, which check both.',
      });
    }
    return this.#heap.HEAPU8.subarray(to, to + result);
  }
}
