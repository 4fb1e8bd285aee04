import { Compressor, Decompressor, loadZstd } from 'escapement/net';

/** Compresses an update, and opens it again; returns the envelope in hexadecimal digits. */
export async function packUpdate(): Promise<string> {
  const zstd = await loadZstd();
  const compressor = new Compressor({ policy: 'always', zstd, level: 3 });
  const update = Uint8Array.from({ length: 5000 }, (_, at) => (at % 30) * 7 + (at >>> 9));
  const made = compressor.compress(update);
  const decompressor = new Decompressor({ zstd });
  const opened = decompressor.decompress(compressor.output);
  const isBack = decompressor.output.every((byte, at) => byte === update[at]);
  if (made !== 'zstd' || opened !== 'zstd' || !isBack) throw new Error(`${made}, ${opened}`);
  return Array.from(compressor.output, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
