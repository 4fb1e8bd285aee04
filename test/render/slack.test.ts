import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slack } from '../../src/render/slack.ts';

const QUANTUM_NS = 1e9 / 60;
const FRAME_NS = 1e9 / 144;

/** Follows one delay for some frames. */
function follow(slack: Slack, delayNs: number, frames: number, quantumNs = QUANTUM_NS): void {
  for (let i = 0; i < frames; i++) stepBy(slack, delayNs, quantumNs, FRAME_NS);
}

function stepBy(slack: Slack, delayP99Ns: number, quantumWallNs: number, frameNs: number): void {
  Object.assign(slack, { delayP99Ns, quantumWallNs, frameNs });
  slack.follow();
}

function noteAge(slack: Slack, ageNs: number): void {
  slack.ageNs = ageNs;
  slack.noteAge();
}

describe('the slack of a reader', () => {
  it('takes the first delay as it is and keeps it while the delay stays', () => {
    const slack = new Slack();
    follow(slack, Number.NaN, 10);
    expect(slack.ns).toBe(0);
    follow(slack, 3e6, 1);
    expect(slack.ns).toBe(3e6);
    follow(slack, 3e6, 1000);
    expect(slack.ns).toBe(3e6);
  });

  it('changes the pace of motion by no more than 0.5 % for small changes of the delay', () => {
    const slack = new Slack();
    follow(slack, 3e6, 1);
    for (const delayNs of [4.9e6, 3e6, 0, 2e6, 1.99e6, 2.01e6]) {
      for (let i = 0; i < 3000; i++) {
        const before = slack.ns;
        follow(slack, delayNs, 1);
        expect(Math.abs(slack.ns - before) / FRAME_NS).toBeLessThanOrEqual(0.005);
      }
      expect(Math.abs(slack.ns - delayNs)).toBeLessThan(1e3);
    }
  });

  it('closes in on a much larger delay within a second, and never runs time backwards', () => {
    const slack = new Slack();
    follow(slack, 0, 1);
    let presentedNs = 0;
    for (let i = 0; i < 144; i++) {
      const before = slack.ns;
      follow(slack, 12e6, 1);
      const step = FRAME_NS - (slack.ns - before);
      expect(step).toBeGreaterThan(0.9 * FRAME_NS);
      presentedNs += step;
    }
    expect(slack.ns).toBeGreaterThan(11e6);
    expect(presentedNs).toBeGreaterThan(0.98e9);
  });

  it('is at most one quantum, also at once after quanta became shorter', () => {
    const slack = new Slack();
    follow(slack, 1e9, 1);
    expect(slack.ns).toBe(QUANTUM_NS);
    follow(slack, 1e9, 1, QUANTUM_NS / 4);
    expect(slack.ns).toBe(QUANTUM_NS / 4);
  });

  it('adds the age of the timestamps it is given, the 99th percentile of them', () => {
    const slack = new Slack();
    for (let i = 1; i <= 100; i++) noteAge(slack, i === 100 ? 9e6 : 1e6);
    follow(slack, 2e6, 1);
    expect(slack.ns).toBe(3e6);
  });

  it('takes an old timestamp for a look back itself: both stay within the second tick', () => {
    const slack = new Slack();
    noteAge(slack, 12e6);
    follow(slack, 8e6, 1);
    expect(slack.ns).toBe(8e6);
    const younger = new Slack();
    noteAge(younger, 12e6);
    follow(younger, 1e6, 1);
    expect(younger.ns).toBeCloseTo(QUANTUM_NS - 12e6, 3);
    const fixed = new Slack(QUANTUM_NS);
    noteAge(fixed, 4e6);
    follow(fixed, 1e6, 1);
    expect(fixed.ns).toBeCloseTo(QUANTUM_NS - 4e6, 3);
    const older = new Slack();
    noteAge(older, 2 * QUANTUM_NS);
    follow(older, 8e6, 1);
    expect(older.ns).toBe(8e6);
  });

  it('adds as much for timestamps that lie ahead, such as predicted display times', () => {
    const slack = new Slack();
    noteAge(slack, -5e6);
    follow(slack, 2e6, 1);
    expect(slack.ns).toBe(7e6);
  });

  it('stands at the clock while nothing runs by it, and goes back gradually', () => {
    const slack = new Slack();
    follow(slack, 5e6, 10);
    slack.rest();
    expect(slack.ns).toBe(0);
    follow(slack, 5e6, 1);
    expect(slack.ns).toBeGreaterThan(0);
    expect(slack.ns).toBeLessThanOrEqual(0.05 * FRAME_NS);
    follow(slack, 5e6, 1000);
    expect(slack.ns).toBeCloseTo(5e6, -4);
  });

  it('takes the first delay of another run as it is', () => {
    const slack = new Slack();
    follow(slack, 5e6, 10);
    slack.forget();
    follow(slack, 1e6, 1);
    expect(slack.ns).toBe(1e6);
  });

  it('is what the option says when it is fixed', () => {
    const slack = new Slack(4e6);
    follow(slack, 12e6, 100);
    slack.rest();
    expect(slack.ns).toBe(4e6);
  });

  it('is at most one quantum when it is fixed, and a lead as far ahead as it says', () => {
    const slack = new Slack(2 * QUANTUM_NS);
    follow(slack, 12e6, 1);
    expect(slack.ns).toBe(QUANTUM_NS);
    const ahead = new Slack(-3 * QUANTUM_NS);
    follow(ahead, 12e6, 1);
    expect(ahead.ns).toBe(-3 * QUANTUM_NS);
  });

  it('never jumps and stays within a quantum, whatever delays and frames come', () => {
    const step = fc.record({
      delayNs: fc.oneof(fc.double({ min: -1e6, max: 2e8, noNaN: true }), fc.constant(Number.NaN)),
      frameNs: fc.double({ min: -1e6, max: 5e9, noNaN: true }),
      ageNs: fc.double({ min: -1e8, max: 1e9, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.double({ min: 1e5, max: 1e10, noNaN: true }),
        fc.array(step, { maxLength: 200 }),
        (quantumNs, steps) => {
          const slack = new Slack();
          stepBy(slack, 0, quantumNs, 0);
          for (const { delayNs, frameNs, ageNs } of steps) {
            const before = slack.ns;
            noteAge(slack, ageNs);
            stepBy(slack, delayNs, quantumNs, frameNs);
            const frame = Math.max(0, frameNs);
            expect(slack.ns).toBeGreaterThanOrEqual(0);
            expect(slack.ns).toBeLessThanOrEqual(quantumNs);
            expect(slack.ns - before).toBeLessThanOrEqual(0.05 * frame + 1e-3);
            expect(before - slack.ns).toBeLessThanOrEqual(0.002 * frame + 1e-3);
          }
        },
      ),
    );
  });
});
