import { placeRing, type RingBlock, ringBlockBytes } from './ring-block.ts';
import { placeTickets, type TicketBlock, TICKET_BLOCK_BYTES } from './ticket-block.ts';
import { LINE_BYTES } from './words.ts';

/**
 * Where one controller's ends lie in a region: whoever claims it may send commands from its thread.
 *
 *     line 0  owner: one of CLAIM
 *     then    the ring of its commands, then their tickets
 */
export interface ControllerBlock {
  readonly ownerIndex: number;
  readonly commands: RingBlock;
  readonly tickets: TicketBlock;
}

/** Returns the bytes that a controller takes whose ring holds `commandWords`. */
export function controllerBytes(commandWords: number): number {
  return LINE_BYTES + ringBlockBytes(commandWords) + TICKET_BLOCK_BYTES;
}

/** Places a controller at a byte offset, which lies on a 64-byte line. */
export function placeController(byteOffset: number, commandWords: number): ControllerBlock {
  const ring = byteOffset + LINE_BYTES;
  return {
    ownerIndex: byteOffset / 4,
    commands: placeRing(ring, commandWords),
    tickets: placeTickets(ring + ringBlockBytes(commandWords)),
  };
}
