import { Compressor, type Zstd } from 'escapement/net';

/** Draws numbers, the same ones for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Draws a whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % end;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

/** Makes bytes that compress: records that repeat, with some noise in them. */
export function recordsOf(count: number, dice: Dice): Uint8Array {
  return Uint8Array.from({ length: count }, (_, at) =>
    dice.below(8) === 0 ? dice.below(256) : (at % 30) * 3,
  );
}

/** A frame of zstd's command line tool with a checksum, and what it holds. */
export const CHECKSUMMED = {
  frame:
    '28b52ffd648700a5030082440b0fc025c301fcabd91a21644bd90007076248922449499224c9ffff62ae01ae00ae' +
    '0357816bc0757015d770bd5c28207083941e45942b6c91720b2bb25c618b945b5891e50a5ba4dcc28a5ceeac30b3' +
    '2265e5c80a1b2b22562eac30b0225fe556491fd18890471a29e4c86b9428d74b0f01148a46a7',
  content: Array.from({ length: 40 }, (_, index) => `abcabcab${index + 1}`).join(''),
};

/** Puts any payload into an envelope that says that so many bytes are in it. */
export function envelopeOf(payload: Uint8Array, declaredBytes: number, encoding = 1): Uint8Array {
  const envelope = new Uint8Array(17 + payload.length);
  const view = new DataView(envelope.buffer);
  view.setUint32(0, 0x534e_435a);
  view.setUint32(4, 0x0001_0001);
  view.setUint8(8, encoding);
  view.setUint32(9, declaredBytes);
  view.setUint32(13, payload.length);
  envelope.set(payload, 17);
  return envelope;
}

/** Puts an update into an envelope as a whole. */
export function wrapped(update: Uint8Array, zstd: Zstd | undefined, level = 1): Uint8Array {
  const compressor = new Compressor({ policy: 'always', zstd, level });
  compressor.compress(update);
  return compressor.output.slice();
}

/** One block of a hand-made frame. */
export interface Block {
  readonly type: 'raw' | 'rle' | 'compressed' | 'reserved';
  /** What the header says; by default what `bytes` has. */
  readonly size?: number;
  readonly bytes: readonly number[];
}

const TYPES = ['raw', 'rle', 'compressed', 'reserved'];

/** Makes a frame of blocks, of which the last one is marked, behind a header of any kind. */
export function frameOf(header: readonly number[], blocks: readonly Block[]): Uint8Array {
  const body = blocks.flatMap(({ type, size, bytes }, index) => {
    const last = index === blocks.length - 1 ? 1 : 0;
    const word = ((size ?? bytes.length) << 3) | (TYPES.indexOf(type) << 1) | last;
    return [word & 255, (word >>> 8) & 255, word >>> 16, ...bytes];
  });
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...header, ...body]);
}

/** Counts what an inner zstd is asked for, and the most memory it was allowed. */
export class WatchedZstd implements Zstd {
  readonly #inner: Zstd;
  inflations = 0;
  mostBytes = 0;

  constructor(inner: Zstd) {
    this.#inner = inner;
  }

  compress(bytes: Uint8Array, level: number): Uint8Array {
    return this.#inner.compress(bytes, level);
  }

  decompress(frame: Uint8Array, maxBytes: number): Uint8Array {
    this.inflations++;
    this.mostBytes = Math.max(this.mostBytes, maxBytes);
    return this.#inner.decompress(frame, maxBytes);
  }
}
