import { expect, test } from 'vitest';
import { readScenarios } from './encode-vectors.ts';
import { ScenarioRun } from './scenario-run.ts';
import { report } from './read-vectors.ts';

const scenarios = readScenarios();
const files = [...new Set(scenarios.map(({ file }) => file))];

test('the encoder makes what the original made', () => {
  for (const file of files) {
    let lines = 0;
    for (const scenario of scenarios.filter((one) => one.file === file))
      lines += new ScenarioRun(scenario).run();
    report(file, lines);
    expect(lines).toBeGreaterThan(0);
  }
});
