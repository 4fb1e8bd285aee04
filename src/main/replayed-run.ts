import { EscapementError } from '../shared/error.ts';
import type { Hello, StartConfig } from '../shared/protocol.ts';
import { givenQuantum } from '../shared/rational.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import { checkIdentity, type RequestedRun } from '../shared/replay/replay-identity.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { type ResolvedRun, resolveRun, type RunOptions, seedWords } from '../shared/run-options.ts';

/** What makes a run, with the recording or the state that it comes from. */
export interface ReplayedRun {
  readonly run: ResolvedRun & Pick<StartConfig, 'replay' | 'restore'>;
  readonly replay: Replay | undefined;
}

/**
 * Fills in and checks what makes one run. One that is replayed or restored has the parameters, the
 * seed and the rate of its recording; those that are given too must be the same. Throws
 * OPTION_INVALID, REPLAY_INVALID and REPLAY_MISMATCH.
 */
export function resolveReplayedRun(options: RunOptions, hello: Hello): ReplayedRun {
  const { replay: bytes, restore, ...rest } = options;
  const source = bytes ?? restore;
  if (source === undefined) return { run: resolveRun(rest, hello.schema), replay: undefined };
  if (bytes !== undefined && restore !== undefined) throw bothGiven();
  const { params, seed, tickRateHz, fixedDt, ...pace } = rest;
  const replay = readReplay(source);
  const { header } = replay;
  checkIdentity(
    header,
    { schema: hello.schema, version: hello.identity },
    {
      quantum: givenQuantum({ tickRateHz, fixedDt }),
      seed: seed === undefined ? undefined : seedWords(seed),
      params: params as RequestedRun['params'],
    },
  );
  const run = {
    ...resolveRun(bytes === undefined ? pace : { mode: 'replay', ...pace }, hello.schema),
    quantum: header.schema.quantum,
    params: header.params,
    seed: header.seed,
  };
  if (bytes !== undefined) return { run: { ...run, replay: bytes }, replay };
  if (replay.keyframes.length === 0) throw noState();
  const newest = replay.loadKeyframe(replay.keyframes.length - 1);
  return { run: { ...run, restore: newest }, replay: undefined };
}

function bothGiven(): EscapementError {
  return new EscapementError('OPTION_INVALID', 'A run comes from one recording or one state.', {
    given: '`replay` and `restore`',
    allowed: 'one of them',
  });
}

function noState(): EscapementError {
  return new EscapementError('REPLAY_INVALID', 'There is no state to go on from in it.', {
    given: 'a recording without a keyframe',
    fix: 'Give what `save()` returned.',
  });
}
