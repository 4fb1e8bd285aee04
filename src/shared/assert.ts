/** A broken invariant of this library: our fault, never the caller's. Please report it. */
export class AssertionError extends Error {
  override readonly name: string = 'AssertionError';
}

/** Throws an {@link AssertionError} unless `condition` holds. Always on, in production too. */
export function assert(condition: unknown, claim: string): asserts condition {
  if (!condition)
    throw new AssertionError(`escapement: broken invariant: ${claim}. Please report this.`);
}
