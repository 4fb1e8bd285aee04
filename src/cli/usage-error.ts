import { EscapementError } from '../shared/error.ts';

/** A fault of the command line itself: the process ends with code 2. */
export class UsageError extends EscapementError {
  /** Turns what another part refused into a fault of the command line. */
  static from(error: EscapementError): UsageError {
    return new UsageError(error.code, error.headline, error.detail);
  }
}
