/**
 * Returns a text that a file brought along for one line of a terminal: what would steer the
 * terminal, or break the line, is written out.
 */
export function printableText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return `\\u{${code}}`;
  });
}
