/** One thing that a machine or a page has, or lacks. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Whether nothing works without it. */
  readonly needed: boolean;
  /** What was found, for people. */
  readonly found: string;
  /** What to do about it, and what is missing until then. */
  readonly fix?: string | undefined;
}

/** Makes a check without which nothing works. */
export function needed(name: string, ok: boolean, found: string, fix: string): HealthCheck {
  return { name, ok, needed: true, found, fix: ok ? undefined : fix };
}

/** Makes a check of something that makes things better. */
export function optional(name: string, ok: boolean, found: string, fix: string): HealthCheck {
  return { name, ok, needed: false, found, fix: ok ? undefined : fix };
}

/** Returns checks for people, a line each, with what to do below. */
export function formatHealth(checks: readonly HealthCheck[]): string {
  return checks
    .map(({ name, ok, needed: isNeeded, found, fix }) => {
      const mark = ok ? 'ok' : isNeeded ? 'MISSING' : 'absent';
      const line = `  ${mark.padEnd(9)}${name}: ${found}\n`;
      return fix === undefined ? line : `${line}           ${fix}\n`;
    })
    .join('');
}
