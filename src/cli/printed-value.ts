const LENGTH_MAX = 80;

/** Returns a value from outside as short printable text, whatever its size or depth. */
export function printValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(cut(value)) : String(value);
  return cut(text);
}

function cut(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}...` : text;
}
