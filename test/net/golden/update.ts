import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { goldenCases, headOf, makeInputs, runGolden } from './golden-cases.ts';

/**
 * `npm run golden` makes the golden vectors of the wire anew: a file for each pipeline, in this
 * folder. Without `--update` it only says what it would write. They change with the wire
 * and with nothing else, so look at the difference before it is committed.
 */
const isWriting = process.argv.includes('--update');
for (const one of goldenCases) {
  const lines = [headOf(one), ...runGolden(one, makeInputs(one))];
  const path = fileURLToPath(new URL(`${one.name}.jsonl`, import.meta.url));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  if (isWriting) writeFileSync(path, text);
  process.stdout.write(`${one.name}: ${lines.length} lines, ${text.length} bytes\n`);
}
