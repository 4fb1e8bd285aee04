import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HAND_PACKED, libraryNames, ourNames } from './lib/replicate-contender.ts';
import type { Allocated, Decoded, Encoded, ReplicateRun } from './lib/replicate-run.ts';
import { type Line, report, round, sized } from './lib/report.ts';

/**
 * What it costs to send a herd's motion to a client, beside six other ways. At each tick a random
 * 30 % turn a little and step on. Each contender encodes in one process, in turns with f32 packed
 * by hand, and decodes in another, which checks what it got against the herd.
 */

/** The most that ours may take; a contender that is not named here has no bound. */
interface Bound {
  readonly bytesPerMoved?: number;
  readonly ratioToHandPacked: number;
}

const BOUNDS: Readonly<Record<string, Bound>> = {
  'escapement-packed': { ratioToHandPacked: 12 },
  'escapement-full': { bytesPerMoved: 4, ratioToHandPacked: 24 },
};

/** Herds, and ticks that warm each of them up. A small one needs more to be compiled. */
const HERDS = sized(
  [{ entities: 200, warmTicks: 4 }],
  [
    { entities: 1000, warmTicks: 300 },
    { entities: 10_000, warmTicks: 60 },
  ],
  [
    { entities: 1000, warmTicks: 500 },
    { entities: 10_000, warmTicks: 100 },
  ],
);

/** Processes for each contender: an unlucky compilation lasts as long as its process. */
const turns = sized(1, 3, 5);
const rounds = sized(2, 15, 31);
const decodedTicks = sized(4, 40, 120);
const heapTicks = sized(4, 20, 40);

/** What the processes of one contender found: those that are timed, of every turn. */
interface Found {
  allocatedBytes: number;
  readonly encoded: Encoded[];
  readonly decoded: Decoded[];
}

/** In MiB; a young generation that no herd's encoding fills. */
const ROOMY = ['--min-semi-space-size=256', '--max-semi-space-size=256'];

async function runChild<V>(
  name: string,
  run: ReplicateRun,
  execArgv: readonly string[] = [],
): Promise<V> {
  const file = fileURLToPath(new URL(`./workers/${name}.js`, import.meta.url));
  const child = fork(file, [JSON.stringify(run)], {
    execArgv: [...execArgv],
    stdio: ['ignore', 2, 'inherit', 'ipc'],
  });
  let found: V | undefined;
  child.once('message', (message) => {
    found = message as V;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || found === undefined) {
    throw new Error(`${run.contender} failed; its words are above.`);
  }
  return found;
}

async function compare(entities: number, warmTicks: number, directory: string): Promise<void> {
  const names = [HAND_PACKED, ...libraryNames, ...ourNames];
  const all = new Map<string, Found>();
  const file = join(directory, 'packets');
  const sentTicks = warmTicks + decodedTicks;
  const common = { entities, file, warmTicks, sentTicks, rounds, heapTicks };
  for (const contender of names) {
    const run = { contender, ...common };
    const { allocatedBytes } = await runChild<Allocated>('replicate-heap', run, ROOMY);
    all.set(contender, { allocatedBytes, encoded: [], decoded: [] });
  }
  for (let turn = 0; turn < turns; turn++) {
    for (const [contender, { encoded, decoded }] of all) {
      const run = { contender, ...common };
      encoded.push(await runChild<Encoded>('replicate-encode', run));
      decoded.push(await runChild<Decoded>('replicate-decode', run));
    }
  }
  const lines = Array.from(all, ([contender, found]) => summarise(contender, entities, found));
  const libraries = lines.filter(({ contender }) => libraryNames.includes(contender));
  const fastestLibraryMs = Math.min(...libraries.map(({ encodeMs }) => encodeMs));
  for (const line of lines) report('replicate', { ...line, ...judge(line, fastestLibraryMs) });
}

interface Summary {
  readonly contender: string;
  readonly entities: number;
  readonly bytesPerTick: number;
  readonly bytesPerMoved: number;
  readonly encodeMs: number;
  readonly decodeMs: number;
  readonly handPackedMs: number;
  readonly ratioToHandPacked: number;
  readonly allocatedBytes: number;
  readonly takeMs: number;
  readonly positionErrorM: number;
  readonly headingErrorDegrees: number;
}

/** The fastest process counts: what else runs on the machine, and bad luck, only ever add. */
function summarise(contender: string, entities: number, found: Found): Summary {
  const { encoded, decoded, allocatedBytes } = found;
  const best = encoded.reduce((least, it) => (it.encodeMs < least.encodeMs ? it : least));
  return {
    contender,
    entities,
    bytesPerTick: round(best.bytesPerTick),
    bytesPerMoved: round(best.bytesPerMoved),
    encodeMs: round(best.encodeMs),
    decodeMs: round(Math.min(...decoded.map(({ decodeMs }) => decodeMs))),
    handPackedMs: round(best.handPackedMs),
    ratioToHandPacked: round(best.ratio),
    allocatedBytes,
    takeMs: round(best.takeMs),
    positionErrorM: round(Math.max(...decoded.map(({ positionM }) => positionM))),
    headingErrorDegrees: round(Math.max(...decoded.map((it) => it.headingDegrees))),
  };
}

/** Says what the line of one of ours must keep to, and whether it does. */
function judge(line: Summary, fastestLibraryMs: number): Line {
  const bound = BOUNDS[line.contender];
  if (bound === undefined) return {};
  const { bytesPerMoved: bytesBound, ratioToHandPacked: ratioBound } = bound;
  return {
    fastestLibraryMs,
    ...(bytesBound === undefined ? {} : { bytesBound }),
    ratioBound,
    ok:
      line.bytesPerMoved <= (bytesBound ?? Number.POSITIVE_INFINITY) &&
      line.ratioToHandPacked <= ratioBound &&
      line.encodeMs < fastestLibraryMs,
  };
}

const directory = mkdtempSync(join(tmpdir(), 'escapement-replicate-'));
try {
  for (const { entities, warmTicks } of HERDS) await compare(entities, warmTicks, directory);
} finally {
  rmSync(directory, { recursive: true });
}
