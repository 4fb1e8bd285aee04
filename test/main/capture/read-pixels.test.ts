import { createCanvas } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { type GlContext, readPixels } from '../../../src/main/index.ts';

/** A picture of WebGL, 1 x rows: each row is its number, and rows come from below. */
function glOf(rows: number): GlContext {
  return {
    RGBA: 1,
    UNSIGNED_BYTE: 2,
    drawingBufferWidth: 1,
    drawingBufferHeight: rows,
    readPixels: (_x, _y, width, height, _format, _type, pixels) => {
      for (let row = 0; row < height; row++)
        pixels.fill(row, 4 * width * row, 4 * width * (row + 1));
    },
  };
}

test.each([1, 2, 3, 4])('%i rows of WebGL come from the top', (rows) => {
  const wanted = Array.from({ length: rows }, (_, row) => Array<number>(4).fill(rows - 1 - row));
  expect([...readPixels(glOf(rows))]).toEqual(wanted.flat());
  const into = new Uint8Array(4 * rows);
  expect(readPixels(glOf(rows), into)).toBe(into);
  expect([...into]).toEqual(wanted.flat());
});

test('a 2D context gives its canvas, and what has another length is refused', () => {
  const context = createCanvas(2, 1).getContext('2d');
  context.fillStyle = '#336699';
  context.fillRect(1, 0, 1, 1);
  const wanted = [0, 0, 0, 0, 0x33, 0x66, 0x99, 255];
  expect([...readPixels(context)]).toEqual(wanted);
  expect([...readPixels(context, new Uint8Array(8))]).toEqual(wanted);
  expect(() => readPixels(context, new Uint8Array(7))).toThrow('VALUE_INVALID');
  expect(() => readPixels(glOf(2), new Uint8Array(9))).toThrow('VALUE_INVALID');
});
