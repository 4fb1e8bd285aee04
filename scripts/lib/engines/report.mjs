/**
 * @typedef {import('../../../test/engines/harness/plan.ts').Job} Job
 * @typedef {import('../../../test/engines/harness/compare.ts').Verdict} Verdict
 *
 * What one engine came to: a verdict for each job, in the order of the jobs. `missing` says why an
 * engine could not be had; it has no verdicts then.
 * @typedef {{
 *   title: string,
 *   jobs: readonly Job[],
 *   verdicts: readonly Verdict[],
 *   note?: string | undefined,
 *   hello?: import('../../../test/engines/harness/plan.ts').EngineHello | undefined,
 *   ms: number,
 *   jobMs?: readonly number[],
 *   missing?: string,
 * }} EngineResult
 *
 * The engines' own functions: for each, the engines that agree with each other.
 * @typedef {ReadonlyMap<string, readonly (readonly string[])[]>} ControlGroups
 */

/**
 * Counts jobs: those that gave the golden hashes, the others, and those an engine cannot do.
 * @param {readonly EngineResult[]} results
 */
export function countResults(results) {
  const verdicts = results.flatMap((result) => result.verdicts);
  const count = (/** @type {Verdict['result'][]} */ ...kinds) =>
    verdicts.filter(({ result }) => kinds.includes(result)).length;
  return {
    passed: count('same'),
    failed: count('different', 'failed'),
    skipped: count('unavailable') + results.filter((it) => it.missing !== undefined).length,
  };
}

/**
 * Makes a table of engines against what their jobs have in common.
 * @param {readonly EngineResult[]} results
 * @param {'scene' | 'way'} by
 * @param {readonly string[]} names the scenes or the ways, in their order
 * @returns {string[][]} rows of cells, the first one the head
 */
export function tableBy(results, by, names) {
  const nameOf = (/** @type {Job} */ job) => (job.kind === 'run' ? job[by] : job.kind);
  const present = results.filter((result) => result.missing === undefined);
  const found = new Set(present.flatMap(({ jobs }) => jobs.map(nameOf)));
  const rows = names
    .filter((name) => found.has(name))
    .map((name) => [
      name,
      ...present.map(({ jobs, verdicts }) =>
        cell(verdicts.filter((_, k) => nameOf(at(jobs, k)) === name)),
      ),
    ]);
  return [[by, ...present.map(({ title }) => title)], ...rows];
}

/**
 * Says of some verdicts how they went, with the number of hashes that were compared.
 * @param {readonly Verdict[]} verdicts
 */
function cell(verdicts) {
  if (verdicts.length === 0) return '';
  const bad = verdicts.filter(({ result }) => result === 'different' || result === 'failed');
  const absent = verdicts.filter(({ result }) => result === 'unavailable').length;
  if (bad.length > 0) {
    const isDifferent = bad.some(({ result }) => result === 'different');
    return `${isDifferent ? 'DIFFERENT' : 'FAILED'}, ${bad.length} of ${verdicts.length}`;
  }
  if (absent === verdicts.length) return 'not there';
  const compared = verdicts.reduce((total, verdict) => total + verdict.compared, 0);
  return `same, ${compared}${absent > 0 ? `, ${absent} not there` : ''}`;
}

/**
 * Lists everything that is not as it should be: a line for each engine that is missing, and for
 * each job that differs, failed, or cannot be done.
 * @param {readonly EngineResult[]} results
 */
export function listTrouble(results) {
  return results.flatMap(({ title, jobs, verdicts, missing }) => {
    if (missing !== undefined) return [`${title}: not run: ${missing}`];
    return verdicts.flatMap(({ result, note }, k) => {
      if (result === 'same' || result === 'control') return [];
      const word = result === 'unavailable' ? 'not there' : result;
      return [`${title}: ${describeJob(at(jobs, k))}: ${word}: ${note}`];
    });
  });
}

/** @param {Job} job */
function describeJob(job) {
  return job.kind === 'run' ? `${job.scene} (${job.way})` : job.kind;
}

/**
 * Says what is unusual about how engines were started.
 * @param {readonly EngineResult[]} results
 */
export function listNotes(results) {
  return results.flatMap(({ title, note }) => (note === undefined ? [] : [`${title}: ${note}`]));
}

/**
 * Says which of the engines' own functions differ, and who agrees with whom.
 * @param {ControlGroups} groups
 */
export function listControl(groups) {
  return [...groups].map(([name, engines]) =>
    engines.length === 1
      ? `Math.${name}: all agree`
      : `Math.${name}: ${engines.map((group) => group.join(' = ')).join(' | ')}`,
  );
}

/**
 * Lays a table out for a terminal.
 * @param {readonly (readonly string[])[]} rows
 */
export function layOut(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => at(cells, column).length)),
  );
  return rows.map((cells) =>
    cells
      .map((text, column) => text.padEnd(at(widths, column)))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Writes a table as Markdown.
 * @param {readonly (readonly string[])[]} rows
 */
function markdown(rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(head.map(() => '---')), ...rest.map(line)];
}

/**
 * Writes the page of a full run.
 * @param {readonly EngineResult[]} results
 * @param {ControlGroups} groups
 * @param {{ ticks: number, scenes: readonly string[], ways: readonly string[] }} plan
 * @param {Awaited<ReturnType<typeof import('../machine.mjs').describeMachine>>} machine
 */
export function composePage(results, groups, { ticks, scenes, ways }, machine) {
  const { passed, failed, skipped } = countResults(results);
  const trouble = listTrouble(results);
  const seconds = (/** @type {number} */ ms) => String(Math.round(ms / 1000));
  const engines = results.map(({ title, hello, ms, missing }) => [
    title,
    missing === undefined ? (hello?.isolated === true ? 'yes' : 'no') : 'not run',
    hello?.waitAsync === true ? 'yes' : 'no',
    seconds(ms),
  ]);
  const lines = [
    '# The same run on every engine',
    '',
    'Written by `npm run test:engines -- --full`.',
    '',
    `- commit ${machine.commit}${machine.changed ? ' with uncommitted changes' : ''}`,
    `- ${machine.platform}, ${machine.cpu}, ${machine.memoryGiB} GiB`,
    `- ${ticks} ticks; ${passed} runs and tables are the golden ones, ${failed} are not, ` +
      `${skipped} could not be made`,
    '',
    ...markdown([['engine', 'shares memory', '`Atomics.waitAsync`', 'seconds'], ...engines]),
    '',
    ...listNotes(results).map((line) => `- ${line}`),
    '',
    'A cell says how many hashes were compared with the golden ones.',
    '',
    '## By scene',
    '',
    ...markdown(tableBy(results, 'scene', scenes)),
    '',
    '## By way',
    '',
    ...markdown(tableBy(results, 'way', ways)),
    '',
    '## What is not the same, or not there',
    '',
    ...(trouble.length === 0 ? ['Nothing.'] : trouble.map((line) => `- ${line}`)),
    '',
    '## Control: the functions of the engines themselves',
    '',
    ...listControl(groups).map((line) => `- ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} index
 */
function at(list, index) {
  return /** @type {T} */ (list[index]);
}
