import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One line of the vectors: `t` says what it is. */
export interface Vector {
  /** Where it stands, to be named when it fails. */
  readonly at: string;
  readonly file: string;
  readonly record: { readonly t: string; readonly [member: string]: unknown };
}

const folder =
  process.env.SIMNET_VECTORS ??
  fileURLToPath(new URL('../../../../shared/data/simnet', import.meta.url));

/**
 * Returns every line of every file, in order. Where there is no folder it says so and returns none:
 * the vectors are no part of the project.
 */
export function readVectors(): Vector[] {
  if (!existsSync(folder)) {
    process.stdout.write(`vectors: no ${folder}, nothing to check\n`);
    return [];
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.toSorted().flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((text, index) =>
        text.trim() === '' ? [] : [{ at: `${file}:${index + 1}`, file, record: JSON.parse(text) }],
      ),
  );
}

/** Says on the terminal how much was checked. */
export function report(family: string, lines: number): void {
  process.stdout.write(`vectors: ${family}, ${lines} lines checked\n`);
}

/** Returns a label of the vectors as the faults are written: `AoiSourceMissing` in kebab case. */
export function kebab(label: string): string {
  return label.replace(/(?<!^|[ /])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
