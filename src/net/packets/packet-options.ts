import type { ErrorDetail } from '../../shared/error.ts';
import { NetError } from '../net-error.ts';

/** How groups of bytes are cut into packets, and what a receiver is willing to hold. */
export interface PacketOptions {
  /**
   * False: a group is one packet as it is, without a header, and is refused when it is longer than
   * `maxPayloadBytes`. Both ends must agree. Default true.
   */
  readonly enabled?: boolean | undefined;
  /** Bytes of the longest packet, its header of 25 bytes included. Default 1200. */
  readonly maxPayloadBytes?: number | undefined;
  /** Bytes of the longest group, 4 MiB at most. Default 4 MiB. */
  readonly maxGroupBytes?: number | undefined;
  /** Packets of one group, 4096 at most. Default 4096. */
  readonly maxChunks?: number | undefined;
  /** Groups of which only a part is here, 64 at most. Default 4. */
  readonly maxGroupsInFlight?: number | undefined;
  /** Their bytes when they are whole, from `maxGroupBytes` to 8 MiB. Default 8 MiB. */
  readonly maxIncompleteBytes?: number | undefined;
  /** Milliseconds from a group's first packet to the end of the wait for the rest. Default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** The rule that options of packets break, as `fault` of the error. */
export type PacketOptionFault =
  | 'unknown-option'
  | 'option-invalid'
  | 'byte-limits-not-positive'
  | 'group-limit-too-large'
  | 'chunk-limit-out-of-range'
  | 'in-flight-out-of-range'
  | 'incomplete-budget-invalid'
  | 'timeout-not-positive'
  | 'payload-too-small-for-header'
  | 'group-limit-above-capacity';

/** The options with every default filled in. */
export type PacketSettings = { readonly [Name in keyof PacketOptions]-?: Given<Name> };

type Given<Name extends keyof PacketOptions> = Exclude<PacketOptions[Name], undefined>;

/** Bytes of a packet before its share of the group. */
export const PACKET_HEADER_BYTES = 25;

const MIB = 2 ** 20;
const GROUP_BYTES_MAX = 4 * MIB;
const INCOMPLETE_BYTES_MAX = 8 * MIB;
const CHUNKS_MAX = 4096;
const IN_FLIGHT_MAX = 64;

const DEFAULTS: PacketSettings = {
  enabled: true,
  maxPayloadBytes: 1200,
  maxGroupBytes: GROUP_BYTES_MAX,
  maxChunks: CHUNKS_MAX,
  maxGroupsInFlight: 4,
  maxIncompleteBytes: INCOMPLETE_BYTES_MAX,
  timeoutMs: 5000,
};

/** Checks options of packets and fills in the defaults. Throws a {@link NetError}. */
export function resolvePackets(options: PacketOptions): PacketSettings {
  const settings = fillIn(options);
  checkBounds(settings);
  if (settings.enabled) checkCapacity(settings);
  return settings;
}

function fillIn(options: PacketOptions): PacketSettings {
  const settings: Record<string, number | boolean> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw fault('unknown-option', 'Packets have no such option.', {
        given: JSON.stringify(name),
        allowed: Object.keys(DEFAULTS).join(', '),
        fix: 'Mend the name, or leave it out.',
      });
    }
    if (value === undefined) continue;
    if (!isFit(name, value)) {
      throw fault('option-invalid', `\`${name}\` of packets is no value of its kind.`, {
        given: show(value),
        allowed: kindOf(name),
        fix: 'Leave it out for the default.',
      });
    }
    settings[name] = value as number | boolean;
  }
  return settings as unknown as PacketSettings;
}

function isFit(name: string, value: unknown): boolean {
  if (name === 'enabled') return typeof value === 'boolean';
  return name === 'timeoutMs' ? Number.isFinite(value) : Number.isSafeInteger(value);
}

function kindOf(name: string): string {
  if (name === 'enabled') return 'true or false';
  return name === 'timeoutMs' ? 'a finite number' : 'a whole number';
}

function checkBounds(settings: PacketSettings): void {
  const { maxPayloadBytes, maxGroupBytes, maxChunks, maxGroupsInFlight } = settings;
  const { maxIncompleteBytes, timeoutMs } = settings;
  if (maxPayloadBytes < 1 || maxGroupBytes < 1) {
    throw fault('byte-limits-not-positive', 'Packets or groups could hold nothing.', {
      given: `maxPayloadBytes ${maxPayloadBytes}, maxGroupBytes ${maxGroupBytes}`,
      allowed: '1 or more',
      fix: 'Leave them out for 1200 and 4 MiB.',
    });
  }
  if (maxGroupBytes > GROUP_BYTES_MAX) {
    const allowed = `up to ${GROUP_BYTES_MAX}`;
    const fix = 'Say less in one update.';
    throw outOfRange('group-limit-too-large', 'maxGroupBytes', maxGroupBytes, allowed, fix);
  }
  if (maxChunks < 1 || maxChunks > CHUNKS_MAX) {
    const fix = 'Raise maxPayloadBytes where a group needs more.';
    const allowed = `1 to ${CHUNKS_MAX}`;
    throw outOfRange('chunk-limit-out-of-range', 'maxChunks', maxChunks, allowed, fix);
  }
  if (maxGroupsInFlight < 1 || maxGroupsInFlight > IN_FLIGHT_MAX) {
    const name = 'maxGroupsInFlight';
    const allowed = `1 to ${IN_FLIGHT_MAX}`;
    const fix = 'Leave it out for 4.';
    throw outOfRange('in-flight-out-of-range', name, maxGroupsInFlight, allowed, fix);
  }
  if (maxIncompleteBytes < maxGroupBytes || maxIncompleteBytes > INCOMPLETE_BYTES_MAX) {
    const name = 'maxIncompleteBytes';
    const allowed = `${maxGroupBytes}, which is maxGroupBytes, to ${INCOMPLETE_BYTES_MAX}`;
    const fix = 'Raise it or lower maxGroupBytes: the longest group must find room.';
    throw outOfRange('incomplete-budget-invalid', name, maxIncompleteBytes, allowed, fix);
  }
  if (timeoutMs <= 0) {
    const fix = 'Leave it out for 5000.';
    throw outOfRange('timeout-not-positive', 'timeoutMs', timeoutMs, 'above 0', fix);
  }
}

function checkCapacity({ maxPayloadBytes, maxGroupBytes, maxChunks }: PacketSettings): void {
  const capacity = maxPayloadBytes - PACKET_HEADER_BYTES;
  if (capacity < 1) {
    const name = 'maxPayloadBytes';
    const allowed = `${PACKET_HEADER_BYTES + 1} or more`;
    const fix = `Raise it: the header alone takes ${PACKET_HEADER_BYTES}.`;
    throw outOfRange('payload-too-small-for-header', name, maxPayloadBytes, allowed, fix);
  }
  if (maxGroupBytes <= capacity * maxChunks) return;
  throw fault('group-limit-above-capacity', 'Packets could not carry the longest group.', {
    given: `maxGroupBytes ${maxGroupBytes}`,
    allowed: `up to (maxPayloadBytes - 25) * maxChunks, which is ${capacity * maxChunks}`,
    fix: 'Lower it, or raise maxPayloadBytes or maxChunks.',
  });
}

function outOfRange(
  rule: PacketOptionFault,
  name: string,
  given: number,
  allowed: string,
  fix: string,
): NetError<PacketOptionFault> {
  const headline = `\`${name}\` of packets is out of range.`;
  return fault(rule, headline, { given: String(given), allowed, fix });
}

function fault(
  rule: PacketOptionFault,
  headline: string,
  detail: ErrorDetail,
): NetError<PacketOptionFault> {
  return new NetError('OPTION_INVALID', rule, headline, detail);
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
