import { existsSync, readFileSync } from 'node:fs';
import { inRoot } from './lib/paths.mjs';

// The last line of the CI run: what `npm test` and `npm run check` really executed. A command that
// left no report died before it could count, which is a failure of its own.
let passed = 0;
let failed = 0;
for (const name of ['test', 'check']) {
  const file = inRoot('build', 'report', `${name}.json`);
  const report = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 1 };
  passed += report.passed;
  failed += report.failed;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
