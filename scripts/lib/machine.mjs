import { cpus, totalmem } from 'node:os';
import { run } from './process.mjs';

/** Describes what a result was measured on: the commit, and this machine. */
export async function describeMachine() {
  const head = await run('git', ['rev-parse', 'HEAD'], { output: 'capture' });
  const changes = await run('git', ['status', '--porcelain'], { output: 'capture' });
  const processors = cpus();
  return {
    commit: head.code === 0 ? head.output.trim() : 'unknown',
    changed: changes.output.trim() !== '',
    node: process.version,
    cpu: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
  };
}
