import { EscapementError } from '../shared/error.ts';
import { publishedComponents } from '../shared/layout.ts';
import type { ComponentSchema, Schema } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { ChannelName } from './frame.ts';
import { unknownName } from './pinned-pair.ts';

/**
 * How one channel moves by its velocity instead of in straight pieces: at least one of the three
 * choices. All are off by default. Only for channels of f32 or f64 that are blended linearly.
 */
export interface ChannelMotion<T extends SimulationTypes = SimulationTypes> {
  /**
   * The published channel with the velocity, in units of this channel per second of world time:
   * f32 or f64, blended linearly or stepped, as wide as this channel.
   */
  readonly velocity: ChannelName<T>;
  /** Blend along the cubic that has the velocity of both ticks at its ends (Hermite). */
  readonly blend?: 'hermite';
  /**
   * Go on along the velocity beyond the newest tick, for at most so many milliseconds of world
   * time: when ticks are late, or the view has a lead.
   */
  readonly extrapolateMs?: number;
  /**
   * Let a new entity move in its first tick: from where its velocity puts it one quantum before.
   * Without it a new entity stands still until its second tick.
   */
  readonly backdateSpawn?: boolean;
}

/** Motions by the names of their channels. */
export type ChannelMotions<T extends SimulationTypes = SimulationTypes> = {
  readonly [K in ChannelName<T>]?: ChannelMotion<T>;
};

/**
 * Checks motions against the published channels. Throws NAME_UNKNOWN for a channel that is not
 * published, OPTION_INVALID for one that cannot move like that and for a choice that is none.
 */
export function checkMotions(motions: AnyMotions, schema: Schema): void {
  const published = publishedComponents(schema);
  for (const [name, motion] of Object.entries(motions)) {
    if (motion === undefined) continue;
    if (typeof motion !== 'object' || motion === null) {
      throw invalid(`\`channels.${name}\` is no motion.`, motion, 'an object with a `velocity`');
    }
    checkMotion(name, motion, published);
  }
}

/** Motions of whatever simulation. */
export interface AnyMotions {
  readonly [name: string]: ChannelMotion | undefined;
}

function checkMotion(
  name: string,
  motion: ChannelMotion,
  published: readonly ComponentSchema[],
): void {
  checkKinds(find(name, published), find(motion.velocity, published));
  const { blend, extrapolateMs, backdateSpawn } = motion;
  const where = `\`channels.${name}`;
  if (blend !== undefined && blend !== 'hermite') {
    throw invalid(`${where}.blend\` is no blend of motion.`, blend, "'hermite', or left out");
  }
  if (extrapolateMs !== undefined && !(extrapolateMs > 0 && Number.isFinite(extrapolateMs))) {
    const allowed = 'milliseconds above 0, or left out';
    throw invalid(`${where}.extrapolateMs\` is not possible.`, extrapolateMs, allowed);
  }
  if (blend === undefined && extrapolateMs === undefined && backdateSpawn !== true) {
    const allowed = 'at least one of blend, extrapolateMs and backdateSpawn';
    throw invalid(`${where}\` gives a velocity that nothing uses.`, motion.velocity, allowed);
  }
}

function find(name: string, published: readonly ComponentSchema[]): ComponentSchema {
  const found = published.find((component) => component.name === name);
  if (found !== undefined) return found;
  throw unknownName(
    'channel',
    name,
    published.map((component) => component.name),
  );
}

function checkKinds(position: ComponentSchema, velocity: ComponentSchema): void {
  if (!(isFloat(position) && position.blend === 'lerp')) {
    throw invalid(
      `Channel "${position.name}" cannot move by a velocity.`,
      `${position.scalar}, blended by ${position.blend}`,
      'f32 or f64, blended by lerp',
    );
  }
  if (!(isFloat(velocity) && (velocity.blend === 'lerp' || velocity.blend === 'step'))) {
    throw invalid(
      `Channel "${velocity.name}" is no velocity.`,
      `${velocity.scalar}, blended by ${velocity.blend}`,
      'f32 or f64, blended by lerp or step',
    );
  }
  if (velocity === position) {
    throw invalid(`Channel "${position.name}" is no velocity of itself.`, velocity.name, 'another');
  }
  if (velocity.width !== position.width) {
    throw invalid(
      `Channels "${position.name}" and "${velocity.name}" have different widths.`,
      `${position.width} and ${velocity.width}`,
      'a number of the velocity for each number of the position',
    );
  }
}

function isFloat({ scalar }: ComponentSchema): boolean {
  return scalar === 'f32' || scalar === 'f64';
}

function invalid(headline: string, given: string | number, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', headline, { given: String(given), allowed });
}
