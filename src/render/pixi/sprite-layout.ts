import type { PointData } from 'pixi.js';
import { EscapementError } from '../../shared/error.ts';
import type { ComponentSpec } from '../../shared/schema.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName } from '../frame.ts';
import type { View } from '../view.ts';
import { describeChannel, type ShaderChannel } from '../webgl/channel-glsl.ts';

/** Names the published channels that say where, how turned, how large and in which colour. */
export interface SpriteChannels<T extends SimulationTypes = SimulationTypes> {
  /** Two or three f32, in the units of the container; of a third nothing is seen. */
  readonly position: ChannelName<T>;
  /** An angle of any period, or one f32 in radians: from x to y. Not turned without it. */
  readonly rotation?: ChannelName<T>;
  /** One f32 for both directions, or two or three for each of them. 1 without it. */
  readonly scale?: ChannelName<T>;
  /** Red, green and blue of linear light, and an opacity if there is a fourth. */
  readonly colour?: ChannelName<T>;
}

/** How large a pixel of a texture is. */
export interface SpriteSize {
  /**
   * Units of the container a pixel of the texture, for both directions or for each; 1 by default.
   * Negative ones turn the texture over: with `y` below 0 it is upright in a container whose own
   * scale has y upwards.
   */
  readonly unitsPerPixel?: number | Readonly<PointData>;
}

/** The parts of a sprite. */
export const SPRITE_PARTS = ['position', 'rotation', 'scale', 'colour'] as const;

/** A part of a sprite. */
export type SpritePart = (typeof SPRITE_PARTS)[number];

/** Which channel makes each part. */
export type SpriteLayout = Readonly<Partial<Record<SpritePart, ShaderChannel>>> & {
  readonly position: ShaderChannel;
};

const ALLOWED: Readonly<Record<SpritePart, string>> = {
  position: 'two or three f32',
  rotation: 'one f32, an angle or radians',
  scale: 'one to three f32',
  colour: 'three or four f32',
};

/**
 * Looks up how the channels of a sprite are stored. Throws NAME_UNKNOWN for what is not published,
 * and VALUE_INVALID for a channel that cannot be that part.
 */
export function resolveSprite<T extends SimulationTypes>(
  view: View<T>,
  channels: SpriteChannels<T>,
): SpriteLayout {
  const layout: Partial<Record<SpritePart, ShaderChannel>> = {};
  for (const part of SPRITE_PARTS) {
    const name = channels[part];
    if (name === undefined) continue;
    const spec = view.channel(name);
    checkPart(part, name, spec);
    layout[part] = describeChannel(name, spec);
  }
  return layout as SpriteLayout;
}

/** Lists the channels of a layout, each once; the position comes first. */
export function channelsOf(layout: SpriteLayout): readonly ShaderChannel[] {
  const byName = new Map<string, ShaderChannel>();
  for (const part of SPRITE_PARTS) {
    const channel = layout[part];
    if (channel !== undefined) byName.set(channel.name, channel);
  }
  return [...byName.values()];
}

/** Returns how large a pixel of the texture is in both directions. Throws OPTION_INVALID. */
export function resolveUnits({ unitsPerPixel = 1 }: SpriteSize): Readonly<PointData> {
  const { x, y } =
    typeof unitsPerPixel === 'number' ? { x: unitsPerPixel, y: unitsPerPixel } : unitsPerPixel;
  if (Number.isFinite(x) && Number.isFinite(y)) return { x, y };
  throw new EscapementError('OPTION_INVALID', 'A pixel of the texture has no size.', {
    given: `unitsPerPixel ${x}, ${y}`,
    allowed: 'finite numbers',
  });
}

/** Returns how many radians one unit of a rotation is. */
export function radiansOf({ blend, period }: ComponentSpec): number {
  return blend === 'angle' ? (2 * Math.PI) / period : 1;
}

function checkPart(part: SpritePart, name: string, spec: ComponentSpec): void {
  const { scalar, width, blend, element } = spec;
  if (scalar === 'f32' && (element ?? width) === width && suits(part, spec)) return;
  throw new EscapementError('VALUE_INVALID', `No ${part} can be made of this channel.`, {
    given: `${name}: ${width} x ${scalar}, ${blend}`,
    allowed: ALLOWED[part],
  });
}

function suits(part: SpritePart, { width, blend }: ComponentSpec): boolean {
  switch (part) {
    case 'position':
      return (width === 2 || width === 3) && blend !== 'angle';
    case 'rotation':
      return width === 1;
    case 'scale':
      return width >= 1 && width <= 3 && blend !== 'angle';
    case 'colour':
      return (width === 3 || width === 4) && blend !== 'angle';
  }
}
