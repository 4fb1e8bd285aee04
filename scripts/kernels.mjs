import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bootstrap } from './lib/bootstrap.mjs';
import { inRoot } from './lib/paths.mjs';
import { runBin } from './lib/process.mjs';

/** One module for each that loads kernels: readers, the simulation's thread, replication. */
const MODULES = [
  { entry: 'kernels', target: 'kernel-bytes', name: 'VIEW_KERNELS' },
  { entry: 'hash', target: 'hash-kernel-bytes', name: 'HASH_KERNEL' },
  { entry: 'quantise', target: 'quantise-kernel-bytes', name: 'QUANTISE_KERNEL' },
];
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
  for (const module of MODULES) {
    const code = await compile(module);
    if (code !== 0) return code;
  }
  return 0;
}

/** @param {{ entry: string, target: string, name: string }} module */
async function compile({ entry, target, name }) {
  const wasm = inRoot('build', 'kernels', `${entry}.wasm`);
  const source = `src/shared/kernels/assembly/${entry}.ts`;
  const { code } = await runBin('assemblyscript', 'asc', [
    source,
    '--outFile',
    wasm,
    ...OPTIONS.split(' '),
  ]);
  if (code !== 0) return code;
  const bytes = readFileSync(wasm);
  const text = render(name, bytes, memoryFlagsAt(bytes));
  const file = inRoot('src', 'shared', 'kernels', `${target}.ts`);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    const sizes = `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip`;
    process.stdout.write(`${entry}: ${sizes}\n`);
    return 0;
  }
  if (readFileSync(file, 'utf8') === text) return 0;
  process.stderr.write(
    `${target}.ts is not what the kernels compile to: run 'npm run kernels' and commit it.\n`,
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
 * @param {string} name
 * @param {Buffer} bytes
 * @param {number} flagsAt
 */
function render(name, bytes, flagsAt) {
  const hex = bytes.toString('hex');
  const lines = hex.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [];
  return `// Written by \`npm run kernels\` from the sources in assembly/.
import type { KernelText } from './kernel-module.ts';

/** A WebAssembly module as text. */
export const ${name}: KernelText = {
  memoryFlagsAt: ${flagsAt},
  hex: \`
${lines.join('\n')}
\`,
};
`;
}

process.exitCode = await main();
