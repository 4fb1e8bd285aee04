import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
/** Colours are counted in bins of six bits a channel: the backdrop's darks differ by little. */
const BINS = 64 ** 3;

/**
 * Encodes a picture as a PNG with a palette: a third of the size of one in full colour. Every bin
 * of similar colours gets the average of the box that median cut puts it in; nothing is dithered,
 * which would cost more bytes than it is worth.
 * @param {Uint8Array} rgba four bytes a pixel; alpha is not looked at
 * @param {number} width
 * @param {number} height
 * @param {number} colours 2 to 256
 */
export function encodeIndexedPng(rgba, width, height, colours) {
  const { palette, indexOfBin } = choosePalette(rgba, colours);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0, from = 0; y < height; y++) {
    // The byte before each row names its filter: none.
    for (let x = 1; x <= width; x++, from += 4) {
      rows[y * (width + 1) + x] = indexOfBin[binOf(rgba, from)] ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, an index into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {Uint8Array} rgba
 * @param {number} colours
 */
function choosePalette(rgba, colours) {
  const counts = new Uint32Array(BINS);
  const sums = new Float64Array(BINS * 3);
  for (let at = 0; at < rgba.length; at += 4) {
    const bin = binOf(rgba, at);
    counts[bin] = (counts[bin] ?? 0) + 1;
    for (let channel = 0; channel < 3; channel++) {
      sums[bin * 3 + channel] = (sums[bin * 3 + channel] ?? 0) + (rgba[at + channel] ?? 0);
    }
  }
  const boxes = cut(counts, colours);
  const palette = Buffer.alloc(boxes.length * 3);
  const indexOfBin = new Uint8Array(BINS);
  for (const [index, { bins, pixels }] of boxes.entries()) {
    for (let channel = 0; channel < 3; channel++) {
      const sum = bins.reduce((total, bin) => total + (sums[bin * 3 + channel] ?? 0), 0);
      palette[index * 3 + channel] = Math.round(sum / pixels);
    }
    for (const bin of bins) indexOfBin[bin] = index;
  }
  return { palette, indexOfBin };
}

/**
 * Median cut: halves the box that is widest, weighed by the root of its pixels, until there are
 * enough.
 * @param {Uint32Array} counts
 * @param {number} wanted
 */
function cut(counts, wanted) {
  const all = [...counts.keys()].filter((bin) => counts[bin] !== 0);
  const boxes = [measure(all, counts)];
  while (boxes.length < wanted) {
    const worst = boxes.reduce((one, other) => (other.error > one.error ? other : one));
    if (worst.error === 0) break;
    const { bins, channel, pixels } = worst;
    bins.sort((one, other) => channelOf(one, channel) - channelOf(other, channel));
    let end = 0;
    let before = 0;
    while (end < bins.length - 1 && (end === 0 || before < pixels / 2)) {
      before += counts[bins[end] ?? 0] ?? 0;
      end++;
    }
    boxes.splice(
      boxes.indexOf(worst),
      1,
      measure(bins.slice(0, end), counts),
      measure(bins.slice(end), counts),
    );
  }
  return boxes;
}

/**
 * @param {number[]} bins
 * @param {Uint32Array} counts
 */
function measure(bins, counts) {
  const pixels = bins.reduce((total, bin) => total + (counts[bin] ?? 0), 0);
  const widths = [0, 1, 2].map((channel) => {
    const values = bins.map((bin) => channelOf(bin, channel));
    return (
      values.reduce((most, it) => Math.max(most, it)) - values.reduce((a, b) => Math.min(a, b))
    );
  });
  const widest = Math.max(...widths);
  return { bins, pixels, channel: widths.indexOf(widest), error: widest * Math.sqrt(pixels) };
}

/**
 * @param {Uint8Array} rgba
 * @param {number} at
 */
function binOf(rgba, at) {
  const [red = 0, green = 0, blue = 0] = [rgba[at], rgba[at + 1], rgba[at + 2]];
  return ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2);
}

/**
 * @param {number} bin
 * @param {number} channel 0 red, 1 green, 2 blue
 */
function channelOf(bin, channel) {
  return (bin >> (12 - 6 * channel)) & 63;
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
