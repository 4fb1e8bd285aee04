import type { LinkConditions } from '../../src/net/index.ts';

/** Three in ten lost, some doubled, some overtaken. */
export const badNetwork: LinkConditions = {
  loss: 0.3,
  delayMs: 40,
  jitterMs: 30,
  duplicate: 0.2,
  reorder: 0.2,
  reorderMs: 50,
  retransmitMs: 60,
};
