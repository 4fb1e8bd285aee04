import { EscapementError } from '../shared/error.ts';
import { seedWords } from '../shared/run-options.ts';

/**
 * Losses that come in runs, after E. N. Gilbert (1960) and E. O. Elliott (1963): before each packet
 * the link may go over from a good state to a bad one, or back. Within the good state `loss` of the
 * conditions holds. A bad state lasts for 1 / `leave` packets on average, and the link is in it for
 * `enter` / (`enter` + `leave`) of them.
 */
export interface BurstLoss {
  /** Probability a packet of going over to the bad state. */
  readonly enter: number;
  /** Probability a packet of going back to the good state. */
  readonly leave: number;
  /** Probability that a packet is lost in the bad state. Default 1. */
  readonly loss?: number | undefined;
}

/** What one direction of a link does to what is sent over it. By default nothing. */
export interface LinkConditions {
  /** Probability that a packet is lost, 0 to 1. Default 0. */
  readonly loss?: number | undefined;
  /** Losses in runs, beside `loss`. Default none. */
  readonly burstLoss?: BurstLoss | undefined;
  /** Milliseconds from the sender to the receiver. Default 0. */
  readonly delayMs?: number | undefined;
  /**
   * Milliseconds by which the delay of each packet differs; it is never below 0. Packets overtake
   * each other where this exceeds the time between them. Default 0.
   */
  readonly jitterMs?: number | undefined;
  /**
   * `uniform`: each delay within `jitterMs` of `delayMs` is as likely. `normal`: `jitterMs` is the
   * standard deviation, and no packet is further off than six of them. Default `uniform`.
   */
  readonly jitterShape?: JitterShape | undefined;
  /** Probability that a second copy of a datagram arrives, with a jitter of its own. Default 0. */
  readonly duplicate?: number | undefined;
  /** Probability that a datagram is held back, so that later ones overtake it. Default 0. */
  readonly reorder?: number | undefined;
  /** Milliseconds by which such a datagram is held back. Default 20. */
  readonly reorderMs?: number | undefined;
  /** Probability that one bit of a datagram arrives inverted. Default 0. */
  readonly corrupt?: number | undefined;
  /** Bytes that leave the sender in a second. Default: no limit. */
  readonly bandwidthBytesPerS?: number | undefined;
  /**
   * Bytes that may wait for their turn to leave; a datagram that comes on top is dropped. Without
   * `bandwidthBytesPerS` nothing waits. Default 65,536.
   */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Milliseconds after which a reliable message that was lost is sent again; doubled each time it
   * is lost once more, up to a minute. Default 200.
   */
  readonly retransmitMs?: number | undefined;
}

/** How far delays lie from their mean. */
export type JitterShape = 'uniform' | 'normal';

/** Options of a lossy link. */
export interface LossyLinkOptions {
  /** An integer from 0 to 2^53 - 1: the same seed and calls give the same deliveries. Default 0. */
  readonly seed?: number | undefined;
  /** Conditions of both directions. */
  readonly conditions?: LinkConditions | undefined;
  /** Conditions from end `a` to end `b`, in place of those of both directions that it names. */
  readonly aToB?: LinkConditions | undefined;
  /** Conditions from end `b` to end `a`, in place of those of both directions that it names. */
  readonly bToA?: LinkConditions | undefined;
  /** Bytes of the longest datagram. Default 1200. */
  readonly maxDatagramBytes?: number | undefined;
  /** Bytes of the longest reliable message. Default 65,536. */
  readonly maxMessageBytes?: number | undefined;
  /** Packets that are on their way at once in one direction. Default 4096. */
  readonly maxInFlight?: number | undefined;
  /** Bytes that are on their way at once in one direction. Default 4 MiB. */
  readonly maxInFlightBytes?: number | undefined;
}

/** Conditions with every default filled in. Probabilities count 1 as 2^32. */
export interface ResolvedConditions {
  readonly lossOf32: number;
  readonly enterOf32: number;
  readonly leaveOf32: number;
  readonly badLossOf32: number;
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly isNormal: boolean;
  readonly duplicateOf32: number;
  readonly reorderOf32: number;
  readonly reorderMs: number;
  readonly corruptOf32: number;
  /** Infinity where there is no limit. */
  readonly bandwidthBytesPerS: number;
  readonly maxQueuedBytes: number;
  readonly retransmitMs: number;
}

/** What a direction can hold, and how long a message may be. */
export interface LinkBounds {
  readonly maxDatagramBytes: number;
  readonly maxMessageBytes: number;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
}

/** The options of a link with every default filled in. */
export interface ResolvedLink {
  readonly seed: readonly [high: number, low: number];
  readonly aToB: ResolvedConditions;
  readonly bToA: ResolvedConditions;
  readonly bounds: LinkBounds;
}

const TWO_32 = 2 ** 32;
const MIB = 2 ** 20;
const MS_MAX = 3_600_000;

const BURST_NAMES = ['enter', 'leave', 'loss'];
const CONDITION_NAMES = [
  'loss',
  'burstLoss',
  'delayMs',
  'jitterMs',
  'jitterShape',
  'duplicate',
  'reorder',
  'reorderMs',
  'corrupt',
  'bandwidthBytesPerS',
  'maxQueuedBytes',
  'retransmitMs',
];
const LINK_NAMES = [
  'seed',
  'conditions',
  'aToB',
  'bToA',
  'maxDatagramBytes',
  'maxMessageBytes',
  'maxInFlight',
  'maxInFlightBytes',
];

/** Checks a link's options and fills in the defaults. Throws OPTION_INVALID. */
export function resolveLink(options: LossyLinkOptions): ResolvedLink {
  checkNames('options', options, LINK_NAMES);
  const { seed = 0, conditions = {}, aToB = {}, bToA = {} } = options;
  checkNames('conditions', conditions, CONDITION_NAMES);
  checkNames('aToB', aToB, CONDITION_NAMES);
  checkNames('bToA', bToA, CONDITION_NAMES);
  const maxMessageBytes = whole('maxMessageBytes', options.maxMessageBytes ?? 65_536, 16 * MIB);
  const maxDatagramBytes = whole('maxDatagramBytes', options.maxDatagramBytes ?? 1200, 65_507);
  const bytes = whole('maxInFlightBytes', options.maxInFlightBytes ?? 4 * MIB, 1024 * MIB);
  if (bytes < Math.max(maxMessageBytes, maxDatagramBytes)) {
    throw new EscapementError('OPTION_INVALID', 'A link could not hold its longest message.', {
      given: `maxInFlightBytes ${bytes}`,
      allowed: `maxMessageBytes ${maxMessageBytes}, maxDatagramBytes ${maxDatagramBytes}, or more`,
      fix: 'Raise maxInFlightBytes, or lower the others.',
    });
  }
  return {
    seed: seedWords(seed),
    aToB: resolveConditions({ ...conditions, ...aToB }),
    bToA: resolveConditions({ ...conditions, ...bToA }),
    bounds: {
      maxDatagramBytes,
      maxMessageBytes,
      maxInFlight: whole('maxInFlight', options.maxInFlight ?? 4096, MIB),
      maxInFlightBytes: bytes,
    },
  };
}

/** Checks the conditions of a direction and fills in the defaults. Throws OPTION_INVALID. */
export function resolveConditions(conditions: LinkConditions): ResolvedConditions {
  checkNames('conditions', conditions, CONDITION_NAMES);
  const { burstLoss, jitterShape = 'uniform', bandwidthBytesPerS } = conditions;
  if (burstLoss !== undefined) checkNames('burstLoss', burstLoss, BURST_NAMES);
  if (jitterShape !== 'uniform' && jitterShape !== 'normal') {
    throw invalid('jitterShape', jitterShape, '`uniform` or `normal`', 'Leave it out for uniform.');
  }
  return {
    lossOf32: of32('loss', conditions.loss ?? 0),
    enterOf32: of32('burstLoss.enter', burstLoss === undefined ? 0 : burstLoss.enter),
    leaveOf32: of32('burstLoss.leave', burstLoss === undefined ? 1 : burstLoss.leave),
    badLossOf32: of32('burstLoss.loss', burstLoss?.loss ?? 1),
    delayMs: ms('delayMs', conditions.delayMs ?? 0, 0),
    jitterMs: ms('jitterMs', conditions.jitterMs ?? 0, 0),
    isNormal: jitterShape === 'normal',
    duplicateOf32: of32('duplicate', conditions.duplicate ?? 0),
    reorderOf32: of32('reorder', conditions.reorder ?? 0),
    reorderMs: ms('reorderMs', conditions.reorderMs ?? 20, 0),
    corruptOf32: of32('corrupt', conditions.corrupt ?? 0),
    bandwidthBytesPerS: bandwidthBytesPerS === undefined ? Infinity : rate(bandwidthBytesPerS),
    maxQueuedBytes: whole('maxQueuedBytes', conditions.maxQueuedBytes ?? 65_536, 1024 * MIB),
    retransmitMs: ms('retransmitMs', conditions.retransmitMs ?? 200, 1),
  };
}

function checkNames(what: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw invalid(what, given, 'an object', `It may have: ${names.join(', ')}.`);
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new EscapementError('OPTION_INVALID', `\`${what}\` of a link has no such member.`, {
    given: JSON.stringify(unknown),
    allowed: names.join(', '),
    fix: 'Mend the name, or leave it out.',
  });
}

function of32(name: string, probability: number): number {
  if (typeof probability === 'number' && probability >= 0 && probability <= 1) {
    return probability * TWO_32;
  }
  throw invalid(name, probability, 'a probability from 0 to 1', 'Five in a hundred are 0.05.');
}

function ms(name: string, value: number, low: number): number {
  if (typeof value === 'number' && value >= low && value <= MS_MAX) return value;
  const allowed = `milliseconds from ${low} to ${MS_MAX}`;
  throw invalid(name, value, allowed, 'Half a tenth of a second is 50.');
}

function rate(value: number): number {
  if (typeof value === 'number' && value >= 1 && value <= 1e12) return value;
  const fix = 'A megabit a second is 125,000. Leave it out for no limit.';
  throw invalid('bandwidthBytesPerS', value, 'bytes a second from 1 to 10^12', fix);
}

function whole(name: string, value: number, high: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= high) return value;
  throw invalid(name, value, `a whole number from 1 to ${high}`, 'Leave it out for the default.');
}

function invalid(name: string, given: unknown, allowed: string, fix: string): EscapementError {
  const shown = typeof given === 'string' ? JSON.stringify(given) : String(given);
  return new EscapementError('OPTION_INVALID', `\`${name}\` of a link is out of range.`, {
    given: shown,
    allowed,
    fix,
  });
}
