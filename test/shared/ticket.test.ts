import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOutcome } from '../../src/shared/command.ts';
import { TicketReader, TICKETS_OUTSTANDING_MAX, TicketWriter } from '../../src/shared/ticket.ts';
import { placeTickets, RESULTS_WORDS, TICKET_BLOCK_BYTES } from '../../src/shared/ticket-block.ts';

const CANARY = 0x0ca9a21e;
const block = placeTickets(64);

function setUp(done = 0): { words: Int32Array; writer: TicketWriter; reader: TicketReader } {
  const words = new Int32Array(new SharedArrayBuffer(64 + TICKET_BLOCK_BYTES + 64)).fill(CANARY);
  words[block.doneIndex] = done;
  return { words, writer: new TicketWriter(words, block), reader: new TicketReader(words, block) };
}

function take(reader: TicketReader, ticket: number): number {
  return reader.takeOutcome(ticket).code;
}

function issue(reader: TicketReader): number {
  const ticket = reader.tryIssue();
  if (ticket === undefined) throw new Error('no ticket to be had');
  return ticket;
}

describe('tickets', () => {
  test('are numbered from 1 and answered in order', () => {
    const { writer, reader } = setUp();
    expect([issue(reader), issue(reader)]).toEqual([1, 2]);
    expect([reader.isDone(1), reader.isDone(2)]).toEqual([false, false]);
    writer.complete(1, createOutcome(70));
    expect([reader.isDone(1), reader.isDone(2)]).toEqual([true, false]);
    writer.complete(2, createOutcome(-5));
    expect([take(reader, 2), take(reader, 1)]).toEqual([-5, 70]);
  });

  test('are 63 at most before one is done', () => {
    const { writer, reader } = setUp();
    for (let i = 1; i <= TICKETS_OUTSTANDING_MAX; i++) expect(reader.tryIssue()).toBe(i);
    expect(reader.tryIssue()).toBe(undefined);
    writer.complete(1, createOutcome(0));
    expect(reader.tryIssue()).toBe(64);
    expect(reader.tryIssue()).toBe(undefined);
  });

  test('do not overwrite a result that nobody took or forgot yet', () => {
    const { writer, reader } = setUp();
    for (let ticket = 1; ticket <= 64; ticket++) {
      expect(reader.tryIssue()).toBe(ticket);
      writer.complete(ticket, createOutcome(ticket * 3));
    }
    expect(reader.tryIssue()).toBe(undefined);
    expect(take(reader, 1)).toBe(3);
    expect(reader.tryIssue()).toBe(65);
    writer.complete(65, createOutcome(1000));
    reader.forget(2);
    expect(reader.tryIssue()).toBe(66);
    expect(take(reader, 64)).toBe(192);
    expect(take(reader, 65)).toBe(1000);
  });

  test('that were withdrawn are issued again', () => {
    const { writer, reader } = setUp();
    expect(issue(reader)).toBe(1);
    reader.withdraw(1);
    expect(issue(reader)).toBe(1);
    expect(issue(reader)).toBe(2);
    expect(() => reader.withdraw(1)).toThrow('only the last ticket');
    writer.complete(1, createOutcome(8));
    expect(take(reader, 1)).toBe(8);
  });

  test('have one result each, and only once done', () => {
    const { writer, reader } = setUp();
    issue(reader);
    expect(() => reader.takeOutcome(1)).toThrow('when its command is done');
    writer.complete(1, createOutcome(1));
    expect(take(reader, 1)).toBe(1);
    expect(() => reader.takeOutcome(1)).toThrow('taken once');
    expect(() => reader.forget(1)).toThrow('forgotten once');
    expect(() => reader.takeOutcome(7)).toThrow('taken once');
  });

  test('are carried out in order, or the writer asserts', () => {
    const { writer } = setUp();
    expect(() => writer.complete(2, createOutcome(0))).toThrow('in order');
    writer.complete(1, createOutcome(0));
    expect(() => writer.complete(1, createOutcome(0))).toThrow('in order');
  });

  test('keep to their order and results across 2^31 and 2^32, whatever the interleaving', () => {
    const starts = fc.constantFrom(0, 0x7fffffe0, 0x7fffffff, 0xffffffe0, 0xffffffff);
    const actions = fc.array(fc.constantFrom('issue', 'complete', 'take'), { maxLength: 400 });
    const runs = fc.property(starts, actions, (start, steps) => {
      const { words, writer, reader } = setUp(start | 0);
      let issued = 0;
      let completed = 0;
      let taken = 0;
      const number = (count: number): number => (start + count) >>> 0;
      for (const action of steps) {
        if (action === 'issue') {
          const room = issued - completed < 63 && issued - taken < 64;
          expect(reader.tryIssue()).toBe(room ? number(issued + 1) : undefined);
          if (room) issued++;
        } else if (action === 'complete' && completed < issued) {
          completed++;
          writer.complete(number(completed), createOutcome(completed * 7));
        } else if (action === 'take' && taken < issued) {
          expect(reader.isDone(number(taken + 1))).toBe(taken < completed);
          if (taken === completed) continue;
          taken++;
          expect(take(reader, number(taken))).toBe(taken * 7);
        }
      }
      const touched = words.findIndex((word, index) => {
        const isResult = index >= block.resultsIndex && index < block.resultsIndex + RESULTS_WORDS;
        return !isResult && index !== block.doneIndex && word !== CANARY;
      });
      expect(touched).toBe(-1);
    });
    fc.assert(runs, { numRuns: 300 });
  });

  test.each([4, 32, -64])('assert that %s is the offset of a line', (byteOffset) => {
    expect(() => placeTickets(byteOffset)).toThrow('tickets start on a cache line');
  });
});
