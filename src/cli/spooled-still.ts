import { join } from 'node:path';

/** Returns where a frame lies between the thread that took it and the film it belongs to. */
export function spooledStill(spool: string, index: number): string {
  return join(spool, `${index}.still`);
}
