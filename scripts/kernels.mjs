import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bootstrap } from './lib/bootstrap.mjs';
import { inRoot } from './lib/paths.mjs';
import { runBin } from './lib/process.mjs';

const ENTRY = 'src/shared/kernels/assembly/kernels.ts';
const TARGET = inRoot('src', 'shared', 'kernels', 'kernel-bytes.ts');
const WASM = inRoot('build', 'kernels', 'kernels.wasm');
const COLUMNS = 96;

/** 65536 pages of 64 KiB are 4 GiB: any region fits. */
const OPTIONS =
  '-O3 --noAssert --runtime stub --importMemory --noExportMemory --sharedMemory ' +
  '--initialMemory 0 --maximumMemory 65536 --enable simd --enable threads --enable bulk-memory';

/** Sections of a module, by number; see the WebAssembly core specification, 5.5. */
const SECTION_IMPORT = 2;
const SECTION_DATA = 11;
/** A memory with a maximum, shared. */
const FLAGS_SHARED = 3;

/**
 * `npm run kernels` compiles the kernels to WebAssembly and writes their bytes as source text;
 * `--check` compares instead, and fails where the text is not that of the kernels.
 */
async function main() {
  await bootstrap();
  mkdirSync(inRoot('build', 'kernels'), { recursive: true });
  const { code } = await runBin('assemblyscript', 'asc', [
    ENTRY,
    '--outFile',
    WASM,
    ...OPTIONS.split(' '),
  ]);
  if (code !== 0) return code;
  const bytes = readFileSync(WASM);
  const text = render(bytes, memoryFlagsAt(bytes));
  const sizes = `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip`;
  if (!process.argv.includes('--check')) {
    writeFileSync(TARGET, text);
    process.stdout.write(`kernels: ${sizes}\n`);
    return 0;
  }
  if (readFileSync(TARGET, 'utf8') === text) return 0;
  process.stderr.write(
    "kernel-bytes.ts is not what the kernels compile to: run 'npm run kernels' and commit it.\n",
  );
  return 1;
}

/**
 * Finds the byte that says what the imported memory is, and refuses a module that imports anything
 * else or would write into the region when it is instantiated.
 * @param {Uint8Array} bytes
 */
function memoryFlagsAt(bytes) {
  const { imports, at } = readSections(bytes);
  const wanted = [1, 3, ...Buffer.from('env'), 6, ...Buffer.from('memory'), 2, FLAGS_SHARED];
  if (wanted.some((byte, index) => imports[index] !== byte)) {
    throw new Error('The kernels import something besides one shared memory.');
  }
  return at + wanted.length - 1;
}

/** @param {Uint8Array} bytes */
function readSections(bytes) {
  /** @type {{ imports: Uint8Array, at: number } | undefined} */
  let found;
  let at = 8;
  while (at < bytes.length) {
    const id = bytes[at++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (id === SECTION_DATA) throw new Error('The kernels have data of their own.');
    if (id === SECTION_IMPORT) found = { imports: bytes.subarray(at, at + size), at };
    at += size;
  }
  if (found === undefined) throw new Error('The kernels import no memory.');
  return found;
}

/**
 * @param {Buffer} bytes
 * @param {number} flagsAt
 */
function render(bytes, flagsAt) {
  const hex = bytes.toString('hex');
  const lines = hex.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [];
  return `// Written by \`npm run kernels\` from the sources in assembly/.

/** Where the module says whether the memory it imports is shared. */
export const MEMORY_FLAGS_AT = ${flagsAt};

/** The kernels as a WebAssembly module, in hexadecimal. */
export const KERNEL_HEX: string = \`
${lines.join('\n')}
\`;
`;
}

process.exitCode = await main();
