import { EscapementError } from '../../shared/error.ts';
import type { ComponentSpec } from '../../shared/schema.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName } from '../frame.ts';
import type { View } from '../view.ts';
import { describeChannel, type ShaderChannel } from '../webgl/channel-glsl.ts';

/** Names the published channels that say where, how turned, how large and in which colour. */
export interface InstanceChannels<T extends SimulationTypes = SimulationTypes> {
  /** Two or three f32; a third that is not there is 0. */
  readonly position: ChannelName<T>;
  /** A quaternion (x, y, z, w), or an angle about z. Not turned without it. */
  readonly orientation?: ChannelName<T>;
  /** One f32 for all directions, or two or three for each of them. 1 without it. */
  readonly scale?: ChannelName<T>;
  /** Red, green and blue of linear light; an opacity behind them is not used. */
  readonly colour?: ChannelName<T>;
}

/** The parts of an instance. */
export const INSTANCE_PARTS = ['position', 'orientation', 'scale', 'colour'] as const;

/** A part of an instance. */
export type InstancePart = (typeof INSTANCE_PARTS)[number];

/** Which channel makes each part; what is absent takes its default. */
export type InstanceLayout = Readonly<Partial<Record<InstancePart, ShaderChannel>>> & {
  readonly position: ShaderChannel;
};

const ALLOWED: Readonly<Record<InstancePart, string>> = {
  position: 'two or three f32',
  orientation: 'a quaternion, or one angle, of f32',
  scale: 'one to three f32',
  colour: 'three or four f32',
};

/**
 * Looks up how the channels of an instance are stored. Throws NAME_UNKNOWN for what is not
 * published, and VALUE_INVALID for a channel that cannot be that part.
 */
export function resolveLayout<T extends SimulationTypes>(
  view: View<T>,
  channels: InstanceChannels<T>,
): InstanceLayout {
  const layout: Partial<Record<InstancePart, ShaderChannel>> = {};
  for (const part of INSTANCE_PARTS) {
    const name = channels[part];
    if (name === undefined) continue;
    const spec = view.channel(name);
    checkPart(part, name, spec);
    layout[part] = describeChannel(name, spec);
  }
  return layout as InstanceLayout;
}

/** Lists the channels of a layout, each once. */
export function channelsOf(layout: InstanceLayout): readonly ShaderChannel[] {
  const byName = new Map<string, ShaderChannel>();
  for (const part of INSTANCE_PARTS) {
    const channel = layout[part];
    if (channel !== undefined) byName.set(channel.name, channel);
  }
  return [...byName.values()];
}

function checkPart(part: InstancePart, name: string, spec: ComponentSpec): void {
  const { scalar, width, blend, element } = spec;
  if (scalar === 'f32' && (element ?? width) === width && suits(part, spec)) return;
  throw new EscapementError('VALUE_INVALID', `No ${part} can be made of this channel.`, {
    given: `${name}: ${width} x ${scalar}, ${blend}`,
    allowed: ALLOWED[part],
  });
}

function suits(part: InstancePart, { width, blend, period }: ComponentSpec): boolean {
  switch (part) {
    case 'position':
      return width === 2 || width === 3;
    case 'orientation':
      return (width === 4 && blend !== 'angle') || (width === 1 && period > 0);
    case 'scale':
      return width >= 1 && width <= 3;
    case 'colour':
      return width === 3 || width === 4;
  }
}
