#!/usr/bin/env node
/*
 * Runs the SPIN models of this folder: the protocols as they are must hold in every interleaving
 * within the bounds, and each guard taken away must give a counterexample.
 *
 *   node proof/run.mjs [--full]        large bounds (about ten minutes, up to 6 GB)
 *   node proof/run.mjs --quick         smaller bounds (about a minute, under 1 GB)
 *   node proof/run.mjs --only TEXT     variants whose name has TEXT
 *   node proof/run.mjs --trail         prints each counterexample, step by step
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    trail: { type: 'boolean', default: false },
  },
});

if (options.full && options.quick) throw new Error('Give --full or --quick, not both.');

const MEMORY_MB = options.quick ? 1500 : 6000;
const DEPTH_MAX = 100_000;

/** A protocol as it is: every interleaving within the bounds must satisfy every claim. */
const holds = (model, name, defines) => ({ model, name, defines, expected: 'verified' });

/** A protocol without one guard: SPIN must find an interleaving that breaks a claim. */
const breaks = (model, name, defines) => ({ model, name, defines, expected: 'counterexample' });

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

const publication = (readers, fresh, publications, more = []) =>
  holds(
    'publication',
    `${count(readers, 'reader')}, ${count(fresh, 'fresh slot')}, ` +
      count(publications, 'publication') +
      (more.includes('ROSTERS') ? ', rosters' : ''),
    [`READERS=${readers}`, `FRESH=${fresh}`, `PUBLICATIONS=${publications}`, ...more],
  );

const waiting = (waiters, commands) =>
  holds('waiting', `${count(waiters, 'waiter')}, ${count(commands, 'command')}`, [
    `WAITERS=${waiters}`,
    `COMMANDS=${commands}`,
  ]);

const quickProtocols = [
  publication(1, 3, 4),
  publication(1, 3, 3, ['ROSTERS']),
  publication(2, 3, 2),
  publication(2, 1, 3),
  waiting(1, 3),
  waiting(2, 1),
  holds('tick', '5 publications', ['PUBLICATIONS=5']),
];

const largeProtocols = [
  publication(1, 3, 6),
  publication(1, 3, 5, ['ROSTERS']),
  publication(2, 3, 3),
  publication(2, 1, 4),
  publication(2, 3, 2, ['ROSTERS']),
  waiting(1, 5),
  waiting(2, 2),
  holds('tick', '9 publications', ['PUBLICATIONS=9']),
];

/** Guards of the publication, and the claims that fall with each. */
const publicationGuards = [
  ['CONFIRMATION', "the reader's confirming load", [1, 2]],
  ['SCAN', "the writer's scan of the hazard words", [1, 2]],
  ['LATE_SCAN', 'the scan after the last store to current', [1, 2]],
  ['UNCONFIRMED_PINS', 'sparing what is announced but not confirmed', [1, 2]],
  ['CURRENT_SLOTS_SPARED', 'sparing the slots of the record in force', [1, 2]],
  ['CURRENT_RECORD_SPARED', 'sparing the record in force', [1, 2]],
  ['CONFIRMED_FIELDS', 'reading fields only after confirmation', [2, 5]],
  ['LATE_RELEASE', 'releasing only after the last read', [1, 2]],
  ['FILL_BEFORE_STORE', 'filling before the store to current', [1, 2]],
  ['CERTAIN_END', 'freeing an index only when its thread has ended', [1, 2]],
].flatMap(([guard, words, claims]) =>
  claims.map((claim) =>
    breaks('publication', `without ${words}: claim ${claim}`, [
      'READERS=1',
      'FRESH=1',
      'PUBLICATIONS=3',
      `WITHOUT_${guard}`,
      `CLAIM=${claim}`,
    ]),
  ),
);

/** One record or one slot less than the region has: claim 3 falls. */
const publicationPools = [
  [1, 3, 2, 'RECORDS=2', 'one record less'],
  [2, 3, 3, 'RECORDS=3', 'one record less'],
  [1, 3, 2, 'SLOTS=8', 'one slot less'],
  [1, 1, 4, 'SLOTS=6', 'one slot less'],
  [2, 3, 3, 'SLOTS=11', 'one slot less'],
].map(([readers, fresh, publications, pool, words]) =>
  breaks(
    'publication',
    `${words}, ${count(readers, 'reader')}, ${count(fresh, 'fresh slot')}: claim 3`,
    [`READERS=${readers}`, `FRESH=${fresh}`, `PUBLICATIONS=${publications}`, pool],
  ),
);

const waitingGuards = [
  ['SEQUENCE_LOADED_FIRST', 'loading sequence before looking'],
  ['STORE_BEFORE_ADD', 'storing before adding to sequence'],
  ['ADD_BEFORE_NOTIFY', 'adding before notifying'],
  ['NOTIFY_ALL', 'notifying all'],
  ['COMPARISON', 'the comparison on going to sleep'],
  ['SECOND_LOOK', 'looking again after a wake-up'],
  ['WAKE_LOADED_FIRST', 'loading wake before draining'],
  ['COMMAND_BEFORE_WAKE', 'writing the command before raising wake'],
  ['COUNT_BEFORE_WAKE', 'counting a message before raising wake'],
].map(([guard, words]) =>
  breaks('waiting', `without ${words}`, ['WAITERS=2', 'COMMANDS=2', `WITHOUT_${guard}`]),
);

const tickGuards = [
  ['RECORDS_OF_THEIR_OWN', 'words of its own for each record'],
  ['WORDS_BEFORE_CURRENT', 'storing the words before current'],
  ['SECOND_LOAD', 'the second load of sequence'],
].map(([guard, words]) => breaks('tick', `without ${words}`, [`WITHOUT_${guard}`]));

const variants = [
  ...(options.quick ? quickProtocols : largeProtocols),
  ...publicationGuards,
  ...publicationPools,
  ...waitingGuards,
  ...tickGuards,
].filter(({ model, name }) => `${model}: ${name}`.includes(options.only));

const compiler = checkTools();
let failures = 0;
for (const variant of variants) {
  const started = performance.now();
  const { verdict, detail, trail } = explore(variant);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const ok = verdict === variant.expected;
  if (!ok) failures++;
  const result = ok ? `ok ${verdict === 'verified' ? 'verified ' : ''}${detail}` : 'FAILED';
  console.log(`${result} | ${variant.model}: ${variant.name} (${seconds} s)`);
  if (!ok) console.log(`  expected ${variant.expected}, got ${verdict}: ${detail}`);
  if (trail !== '' && (options.trail || !ok)) console.log(trail);
}
if (variants.length === 0) console.log(`no variant has "${options.only}" in its name`);
console.log(`${variants.length - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 && variants.length > 0 ? 0 : 1;

/** Returns the C compiler's name; ends the process with advice when a tool is missing. */
function checkTools() {
  const works = (command, flag) => spawnSync(command, [flag]).status === 0;
  const cc = ['cc', 'gcc', 'clang'].find((name) => works(name, '--version'));
  if (cc !== undefined && works('spin', '-V')) return cc;
  console.error(
    'The proof needs SPIN and a C compiler on the PATH.\n' +
      'On Debian and Ubuntu: apt-get install spin gcc libc6-dev',
  );
  return process.exit(1);
}

/** Generates, compiles and runs the verifier of one variant in a folder of its own. */
function explore({ model, defines, expected }) {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-proof-'));
  try {
    const file = `${model}.pml`;
    copyFileSync(new URL(file, import.meta.url), join(folder, file));
    const flags = defines.map((define) => `-D${define}`);
    const run = (command, args) =>
      spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });

    const generated = run('spin', ['-a', ...flags, file]);
    if (generated.status !== 0 || !existsSync(join(folder, 'pan.c'))) {
      return { verdict: 'no model', detail: generated.stdout + generated.stderr, trail: '' };
    }
    const level = expected === 'verified' ? '-O2' : '-O0';
    const settings = ['-DSAFETY', '-DCOLLAPSE', `-DMEMLIM=${MEMORY_MB}`];
    const compiled = run(compiler, [level, '-w', ...settings, '-o', 'pan', 'pan.c']);
    if (compiled.status !== 0) {
      return { verdict: 'no verifier', detail: compiled.stderr, trail: '' };
    }
    const { verdict, detail } = judge(run('./pan', [`-m${DEPTH_MAX}`]));
    const trail =
      verdict === 'counterexample' ? run('spin', ['-t', '-p', '-g', ...flags, file]).stdout : '';
    return { verdict, detail, trail };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads what the verifier printed. A search that was cut short proves nothing. */
function judge({ stdout, stderr, error, signal }) {
  const output = `${stdout}\n${stderr}`;
  if (error !== undefined || signal !== null) {
    return { verdict: 'no result', detail: String(error ?? signal) };
  }
  const errors = /errors: (\d+)/.exec(output);
  if (errors !== null && Number(errors[1]) > 0) {
    return output.includes('assertion violated')
      ? { verdict: 'counterexample', detail: 'counterexample found' }
      : { verdict: 'other error', detail: output };
  }
  if (/out of memory|reached -DMEMLIM|max search depth too small|not complete/i.test(output)) {
    return { verdict: 'incomplete', detail: output };
  }
  const states = /^\s*(\S+)\s+states, stored/m.exec(output);
  if (errors === null || states === null) return { verdict: 'no result', detail: output };
  const unreached = unreachedStatements(stdout);
  if (unreached.length > 0) {
    return { verdict: 'vacuous', detail: `statements never reached:\n${unreached.join('\n')}` };
  }
  return { verdict: 'verified', detail: `${Number(states[1])} states` };
}

/** Lists statements that no interleaving reached; the ends of endless processes do not count. */
function unreachedStatements(stdout) {
  return stdout
    .split('\n')
    .filter((line) => /^\t\S+\.pml:\d+, state \d+, /.test(line) && !line.includes('"-end-"'));
}
