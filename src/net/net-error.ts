import { EscapementError } from '../shared/error.ts';
import type { ErrorCode, ErrorDetail } from '../shared/error.ts';

/** An error of replication with the rule that was broken, so that a program can tell them apart. */
export class NetError<Fault extends string = string> extends EscapementError {
  override readonly name: string = 'NetError';
  /** The rule that was broken, such as `baseline-not-earlier`. */
  readonly fault: Fault;

  constructor(code: ErrorCode, fault: Fault, headline: string, detail: ErrorDetail = {}) {
    super(code, headline, detail);
    this.fault = fault;
  }
}
