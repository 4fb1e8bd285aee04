import { EscapementError } from '../../src/shared/error.ts';

/** Returns the code of the error that `run` throws, or what it returns. */
export function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof EscapementError) return error.code;
    throw error;
  }
}

/** Returns the error of the product that `run` throws. */
export function errorOf(run: () => unknown): EscapementError {
  try {
    run();
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
