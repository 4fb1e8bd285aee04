import { NetError } from '../net-error.ts';

/** How many bytes are taken and given. */
export interface CompressionLimits {
  /** Bytes before compression, and after inflating: 1 or more. Default 4 MiB. */
  readonly maxUncompressedBytes?: number | undefined;
  /**
   * Bytes that a compressor gives, and that an envelope may have that is inflated: 1 or more, of
   * which an envelope takes 17. Default 4 MiB.
   */
  readonly maxOutputBytes?: number | undefined;
}

/** The limits with every default filled in. */
export interface ResolvedLimits {
  readonly maxUncompressedBytes: number;
  readonly maxOutputBytes: number;
}

const DEFAULT_BYTES = 4 * 1024 * 1024;

/** Checks limits and fills in the defaults. Throws OPTION_INVALID, `limits-not-positive`. */
export function resolveLimits(limits: CompressionLimits): ResolvedLimits {
  return {
    maxUncompressedBytes: positive('maxUncompressedBytes', limits.maxUncompressedBytes),
    maxOutputBytes: positive('maxOutputBytes', limits.maxOutputBytes),
  };
}

function positive(name: keyof ResolvedLimits, given: number = DEFAULT_BYTES): number {
  if (Number.isSafeInteger(given) && given > 0) return given;
  throw new NetError('OPTION_INVALID', 'limits-not-positive', `${name} is no size.`, {
    given: `${name}: ${String(given)}`,
    allowed: 'a whole number of bytes from 1',
    fix: `Leave ${name} out for 4 MiB.`,
  });
}
