/**
 * The few names of the platform that every engine has and that `shared` needs. No DOM, no Node:
 * what is not here does not compile in this folder.
 */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number;
    maximum?: number;
    shared?: boolean;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: ArrayBufferLike;
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}

declare function setTimeout(callback: () => void, delayMs?: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function queueMicrotask(callback: () => void): void;

declare class TextEncoder {
  encodeInto(text: string, out: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label: 'utf-8', options: { fatal: boolean; ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

interface ByteWritable {
  getWriter(): { write(chunk: Uint8Array): Promise<void>; close(): Promise<void> };
}
interface ByteReadable {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
}
declare class CompressionStream {
  constructor(format: 'deflate-raw');
  readonly readable: ByteReadable;
  readonly writable: ByteWritable;
}
