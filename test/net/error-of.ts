import { NetError } from '../../src/net/net-error.ts';

/** Returns the code and the fault that something throws, as `CODE/fault`; `none` if it does not. */
export function errorOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof NetError ? `${error.code}/${error.fault}` : String(error);
  }
  return 'none';
}
