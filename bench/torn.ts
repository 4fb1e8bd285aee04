import { report, sized } from './lib/report.ts';
import { race } from './lib/torn.ts';

/**
 * Reads that saw more than one tick in a slot, with two threads at full speed: none may, and with
 * the confirming load left out some must.
 */
const milliseconds = sized(1000, 10_000, 600_000);
const guarded = await race(true, milliseconds);
const unguarded = await race(false, Math.min(milliseconds, 10_000));
report('torn', {
  seconds: milliseconds / 1000,
  published: guarded.published,
  reads: guarded.reads,
  torn: guarded.torn,
  tornWithoutGuard: unguarded.torn,
  bound: '0, > 0',
  ok: guarded.torn === 0 && unguarded.torn > 0,
});
