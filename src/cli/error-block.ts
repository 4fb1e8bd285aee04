import { describeCause, EscapementError } from '../shared/error.ts';

/**
 * Returns a thrown value as one readable block that ends in a line break: what went wrong, what was
 * given, what is allowed, how to mend it, and the cause with its stack.
 */
export function formatErrorBlock(thrown: unknown): string {
  if (!(thrown instanceof EscapementError)) return `escapement: ${describeCause(thrown)}\n`;
  const { given, allowed, fix, cause } = thrown.detail;
  const rows: readonly (readonly [name: string, text: string | undefined])[] = [
    ['given', given],
    ['allowed', allowed],
    ['fix', fix],
    ['cause', cause === undefined ? undefined : describeCause(cause)],
    ['code', thrown.code],
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${`${name}:`.padEnd(10)}${indent(text)}`],
  );
  return `escapement: ${thrown.headline}\n${lines.join('\n')}\n`;
}

function indent(text: string): string {
  return text.trimEnd().replaceAll('\n', `\n${' '.repeat(12)}`);
}
