/*
 * A zstd frame after RFC 8878, 3.1.1, little-endian:
 *
 *   0   u32  0xFD2FB528
 *   4   u8   descriptor: bits 0 and 1 width of the dictionary's id, 2 checksum, 3 must be 0,
 *            5 single segment, 6 and 7 width of the content size
 *   5        window descriptor u8, unless single segment; dictionary's id; content size
 *            blocks: u24 = last | type << 1 | size << 3, then the bytes
 *            u32 checksum, where there is one
 *
 * Nothing here inflates. What the blocks can come to is told by their headers, so a frame that
 * says one size and holds another is refused before any memory is taken for it.
 */

/** What is wrong with the payload of an envelope that says it is a zstd frame. */
export type ZstdFrameFault =
  | 'zstd-content-size-mismatch'
  | 'zstd-not-one-frame'
  | 'zstd-window-too-large'
  | 'zstd-decompression-failed';

/**
 * Bytes that a decoder may have to keep of what came before: what RFC 8878 asks every decoder to
 * support, and what level 19 asks for at most.
 */
const MAX_WINDOW_BYTES: number = 8 * 1024 * 1024;

const MAX_BLOCK_BYTES = 128 * 1024;

/** Bytes of the dictionary's id, by the descriptor's two lowest bits. */
const ID_BYTES = [0, 1, 2, 4] as const;

/** Bytes of the content size, by the two highest; none stands for one in a single segment. */
const SIZE_BYTES = [0, 2, 4, 8] as const;

const BLOCK_RLE = 1;
const BLOCK_COMPRESSED = 2;
const BLOCK_RESERVED = 3;

/**
 * Checks that the bytes from `begin` are one whole zstd frame, with nothing behind it, that says
 * that it holds `contentBytes` and may do so. `ok` does not mean that it can be inflated: only that
 * this takes no more than `contentBytes`, and a window of {@link MAX_WINDOW_BYTES}.
 */
export function checkZstdFrame(
  bytes: Uint8Array,
  begin: number,
  contentBytes: number,
): 'ok' | ZstdFrameFault {
  const { length } = bytes;
  if (length - begin < 5 || readLittle(bytes, begin, 4) !== 0xfd2f_b528) {
    return 'zstd-content-size-mismatch';
  }
  const descriptor = bytes[begin + 4] as number;
  const isSingle = (descriptor & 0x20) !== 0;
  const idBytes = ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
  const wideBytes = SIZE_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3];
  const sizeBytes = isSingle && wideBytes === 0 ? 1 : wideBytes;
  const idAt = begin + (isSingle ? 5 : 6);
  const blocksAt = idAt + idBytes + sizeBytes;
  if ((descriptor & 8) !== 0 || sizeBytes === 0 || blocksAt > length) {
    return 'zstd-content-size-mismatch';
  }
  const size = readLittle(bytes, idAt + idBytes, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  if (size !== contentBytes) return 'zstd-content-size-mismatch';
  const windowBytes = isSingle ? contentBytes : windowOf(bytes[begin + 5] as number);
  const id = readLittle(bytes, idAt, idBytes);
  const blocks = checkBlocks(bytes, blocksAt, {
    contentBytes,
    blockBytesMax: Math.min(windowBytes, MAX_BLOCK_BYTES),
    checksumBytes: (descriptor & 4) === 0 ? 0 : 4,
  });
  if (blocks === 'zstd-not-one-frame') return blocks;
  if (!isSingle && windowBytes > MAX_WINDOW_BYTES) return 'zstd-window-too-large';
  return id === 0 ? blocks : 'zstd-decompression-failed';
}

/** What the header of a frame says of its blocks. */
interface BlockBounds {
  readonly contentBytes: number;
  /** Bytes of the largest block, whether packed or not. */
  readonly blockBytesMax: number;
  /** Bytes behind the last block. */
  readonly checksumBytes: number;
}

function checkBlocks(
  bytes: Uint8Array,
  begin: number,
  { contentBytes, blockBytesMax, checksumBytes }: BlockBounds,
): 'ok' | 'zstd-not-one-frame' | 'zstd-decompression-failed' {
  const end = bytes.length - checksumBytes;
  let at = begin;
  let leastBytes = 0;
  let mostBytes = 0;
  let isSound = true;
  for (let isLast = false; !isLast; ) {
    if (end - at < 3) return 'zstd-not-one-frame';
    const header = readLittle(bytes, at, 3);
    const type = (header >>> 1) & 3;
    const size = header >>> 3;
    const stored = type === BLOCK_RLE ? 1 : size;
    at += 3 + stored;
    if (type === BLOCK_RESERVED || at > end) return 'zstd-not-one-frame';
    isLast = (header & 1) !== 0;
    isSound &&= size <= blockBytesMax;
    leastBytes += type === BLOCK_COMPRESSED ? 0 : size;
    mostBytes += type === BLOCK_COMPRESSED ? blockBytesMax : size;
  }
  if (at !== end) return 'zstd-not-one-frame';
  isSound &&= leastBytes <= contentBytes && contentBytes <= mostBytes;
  return isSound ? 'ok' : 'zstd-decompression-failed';
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** Reads a whole number of up to eight bytes; above 2^53 it is rounded. */
function readLittle(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let place = count - 1; place >= 0; place--) {
    value = value * 256 + (bytes[at + place] as number);
  }
  return value;
}
