/**
 * Returns a value as one line of JSON that ends in a line break. Numbers that JSON cannot name
 * become texts: "NaN", "Infinity".
 */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && !Number.isFinite(part) ? String(part) : part,
  )}\n`;
}
