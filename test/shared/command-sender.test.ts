import { expect, test } from 'vitest';
import { COMMAND, createOutcome } from '../../src/shared/command.ts';
import { claimController } from '../../src/shared/controller-claim.ts';
import type { ControllerBlock } from '../../src/shared/controller-block.ts';
import { EscapementError } from '../../src/shared/error.ts';
import type { Region } from '../../src/shared/region.ts';
import { RingReader } from '../../src/shared/ring-reader.ts';
import { createSystemClock } from '../../src/shared/system-clock.ts';
import { TicketWriter } from '../../src/shared/ticket.ts';
import { HEADER, REGION_STATE } from '../../src/shared/words.ts';
import { bareRegion } from './bare-region.ts';
import { codeOf } from './clock-frames.ts';

const clock = createSystemClock(globalThis);

function blockOf(region: Region): ControllerBlock {
  const block = region.layout.controllers[1];
  if (block === undefined) throw new Error('the region has two controllers');
  return block;
}

const ticketsOf = (region: Region): TicketWriter =>
  new TicketWriter(region.i32, blockOf(region).tickets);

test('a blocking command is given up in time, and its answer is nobody else’s', () => {
  const { region } = bareRegion();
  const { sender } = claimController(region);
  const send = (): unknown => sender.double(1).sendBlocking(COMMAND.advance, 20.3, clock);
  const began = performance.now();
  expect(codeOf(send)).toBe('TIMED_OUT');
  expect(performance.now() - began).toBeGreaterThanOrEqual(20.3);
  expect(sender.isIdle).toBe(false);
  const tickets = ticketsOf(region);
  tickets.complete(1, { ...createOutcome(), steps: 7 });
  expect(sender.isIdle).toBe(true);
  // Answered before it looks: what the simulation does meanwhile on its own thread.
  sender.onWritten = () => tickets.complete(2, { ...createOutcome(), steps: 8, firstTick: 7 });
  const outcome = sender.sendBlocking(COMMAND.step, 1000, clock);
  expect([outcome.steps, outcome.firstTick]).toEqual([8, 7]);
});

test('64 commands that were given up do not keep the next from being sent', () => {
  const { region } = bareRegion();
  const { sender } = claimController(region);
  const tickets = ticketsOf(region);
  const commands = new RingReader(region.i32, blockOf(region).commands);
  for (let ticket = 1; ticket <= 200; ticket++) {
    expect(codeOf(() => sender.sendBlocking(COMMAND.resume, 0, clock))).toBe('TIMED_OUT');
    expect(commands.next()).toBe(true);
    tickets.complete(ticket, createOutcome());
  }
});

test('a blocking command throws what ended the run', () => {
  const { region } = bareRegion();
  const { sender } = claimController(region);
  Atomics.store(region.i32, HEADER.state, REGION_STATE.failed);
  const send = (): unknown => sender.sendBlocking(COMMAND.resume, 1000, clock);
  expect(codeOf(send)).toBe('SIMULATION_FAILED');
  sender.end(new EscapementError('STATE_INVALID', 'closed'));
  expect(codeOf(send)).toBe('STATE_INVALID');
});

test('a controller with commands under way is not handed to another', () => {
  const { region } = bareRegion();
  const claim = claimController(region);
  void claim.sender.send(COMMAND.resume).catch(() => undefined);
  claim.release(new EscapementError('STATE_INVALID', 'closed'));
  expect(codeOf(() => claimController(region))).toBe('CONTROLS_EXHAUSTED');
});
