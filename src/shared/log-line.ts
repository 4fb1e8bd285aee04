import type { LogRecord } from './log.ts';

/**
 * Returns a record as one line, `[severity] subsystem/event: message | key=value ...`. With
 * `timestampMs`, wall-clock milliseconds since 1970, the line begins with that as RFC 3339 in UTC
 * to the microsecond. A key or value that is empty or holds a space, `=`, `|`, a quote or a
 * backslash is quoted; control characters are escaped everywhere, so that it stays one line.
 */
export function formatLogLine(record: LogRecord, timestampMs?: number): string {
  const { severity, subsystem, event, message, fields } = record;
  let line = timestampMs === undefined ? '' : `${formatUtc(timestampMs)} `;
  line += `[${severity}] ${printable(subsystem)}/${printable(event)}: ${printable(message)}`;
  let separator = ' | ';
  for (const [key, value] of Object.entries(fields)) {
    line += `${separator}${quoted(key)}=${typeof value === 'string' ? quoted(value) : value}`;
    separator = ' ';
  }
  return line;
}

function quoted(text: string): string {
  const safe = printable(text);
  if (safe === text && /^[^\s="|\\]+$/.test(text)) return text;
  return `"${printable(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))}"`;
}

/** Escapes what would break a line or steer a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (control) => {
    if (control === '\n') return '\\n';
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** RFC 3339 in UTC; the date by H. Hinnant's algorithm, whose years begin in March. */
function formatUtc(timestampMs: number): string {
  let ms = Math.floor(timestampMs);
  let micros = Math.round((timestampMs - ms) * 1000);
  if (micros === 1000) {
    ms += 1;
    micros = 0;
  }
  const days = Math.floor(ms / 86_400_000);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leaps =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  if (!(year >= 0 && year <= 9999)) return String(timestampMs);
  const time = ms - days * 86_400_000;
  const clock = [time / 3_600_000, (time / 60_000) % 60, (time / 1000) % 60];
  const fraction = pad(time % 1000, 3) + pad(micros, 3);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return `${date}T${clock.map((part) => pad(part, 2)).join(':')}.${fraction}Z`;
}

function pad(value: number, digits: number): string {
  return String(Math.floor(value)).padStart(digits, '0');
}
