import type { Delivery } from '../link-direction.ts';
import { NetError } from '../net-error.ts';
import type { ResultExtra } from './retained-result.ts';

/** Options of the client's end; the server's has these too. */
export interface ClientDeliveryOptions<Extra = undefined> {
  /** Results that are kept at most, 2 to 64. Default 64. */
  readonly maxResults?: number | undefined;
  /** Bytes of memory that the kept results may hold. Default 128 MiB. */
  readonly maxBytes?: number | undefined;
  /** What is kept beside each snapshot. Default nothing. */
  readonly extra?: ResultExtra<Extra> | undefined;
}

/** Options of the server's end, for one client. */
export interface ServerDeliveryOptions<Extra = undefined> extends ClientDeliveryOptions<Extra> {
  /**
   * How updates travel. `unreliable`: they may be lost, so a patch is a difference to what the
   * client has acknowledged. `reliable`: all come, in order, so it is a difference to the latest
   * one sent. Default `unreliable`.
   */
  readonly delivery?: Delivery | undefined;
  /**
   * Whether an update may leave out rows that differ from its baseline, as with a cap or distance
   * bands. Over unreliable delivery, rows to recover are then kept until every result that may
   * become a baseline has their newest state. Default false: until the acknowledged one has it.
   */
  readonly isPartial?: boolean | undefined;
  /** A result older than this is not kept, in milliseconds. Default 5 s. */
  readonly maxAgeMs?: number | undefined;
  /** Rows to recover beyond which no patch may add more. Default 131,072. */
  readonly maxRecoveryRows?: number | undefined;
  /**
   * Updates without progress of the acknowledgement after which the client gets complete
   * replacements: 1 to 63, and below `maxResults`. Default 32, or `maxResults` - 1 if that is less.
   */
  readonly stallThreshold?: number | undefined;
}

/** The options of the server's end with every default filled in. */
export interface ResolvedServerDelivery {
  readonly isReliable: boolean;
  readonly isPartial: boolean;
  readonly maxResults: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly maxRecoveryRows: number;
  readonly stallThreshold: number;
}

/** The options of the client's end with every default filled in. */
export interface ResolvedClientDelivery {
  readonly maxResults: number;
  readonly maxBytes: number;
}

const RESULTS_MAX = 64;
const BYTES_DEFAULT = 128 * 1024 * 1024;
const AGE_DEFAULT_MS = 5000;
const RECOVERY_ROWS_DEFAULT = 131_072;
const STALL_DEFAULT = 32;
const U32_MAX = 0xffff_ffff;

/** Fills in and checks the options of the server's end. Throws OPTION_INVALID. */
export function resolveServerDelivery<Extra>(
  options: ServerDeliveryOptions<Extra>,
): ResolvedServerDelivery {
  const { delivery = 'unreliable' } = options;
  if (delivery !== 'unreliable' && delivery !== 'reliable') {
    throw new NetError('OPTION_INVALID', 'delivery-unknown', 'Updates do not travel that way.', {
      given: String(delivery),
      allowed: 'unreliable, reliable',
      fix: 'Leave it out for datagrams.',
    });
  }
  const bounds = resolveClientDelivery(options);
  const below = bounds.maxResults - 1;
  const stall = options.stallThreshold ?? Math.min(STALL_DEFAULT, below);
  const maxRows = options.maxRecoveryRows ?? RECOVERY_ROWS_DEFAULT;
  return Object.freeze({
    ...bounds,
    isReliable: delivery === 'reliable',
    isPartial: checkFlag('isPartial', options.isPartial ?? false) && delivery !== 'reliable',
    maxAgeMs: checkAge(options.maxAgeMs ?? AGE_DEFAULT_MS),
    maxRecoveryRows: checkInteger('maxRecoveryRows', maxRows, 1, U32_MAX),
    stallThreshold: checkInteger('stallThreshold', stall, 1, below),
  });
}

/** Fills in and checks the options of the client's end. Throws OPTION_INVALID. */
export function resolveClientDelivery<Extra>(
  options: ClientDeliveryOptions<Extra>,
): ResolvedClientDelivery {
  const { maxResults = RESULTS_MAX, maxBytes = BYTES_DEFAULT } = options;
  return Object.freeze({
    maxResults: checkInteger('maxResults', maxResults, 2, RESULTS_MAX),
    maxBytes: checkInteger('maxBytes', maxBytes, 1, 2 ** 53 - 1),
  });
}

function checkInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new NetError('OPTION_INVALID', 'option-range', `${name} is out of range.`, {
    given: String(value),
    allowed: `an integer from ${min} to ${max}`,
    fix: 'Leave it out for its default.',
  });
}

function checkFlag(name: string, value: boolean): boolean {
  if (typeof value === 'boolean') return value;
  throw new NetError('OPTION_INVALID', 'option-range', `${name} is neither yes nor no.`, {
    given: String(value),
    allowed: 'true or false',
    fix: 'Leave it out for false.',
  });
}

function checkAge(ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw new NetError('OPTION_INVALID', 'option-range', 'maxAgeMs is out of range.', {
    given: String(ms),
    allowed: 'a finite number of milliseconds above 0',
    fix: 'Leave it out for five seconds.',
  });
}
