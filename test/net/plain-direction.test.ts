import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLossyLink } from '../../src/net/index.ts';
import { scaled } from '../scaled.ts';
import { anyConditions, anySteps, takeAll } from './link-model.ts';
import { PlainDirection } from './plain-direction.ts';

const runs = { numRuns: scaled({ tiny: 100, normal: 600, full: 20_000 }) };

test('a link delivers what plain lists deliver, in that order and at those times', () => {
  fc.assert(
    fc.property(fc.nat(), anyConditions, anyConditions, anySteps, (seed, aToB, bToA, steps) => {
      const link = createLossyLink({ seed, aToB, bToA });
      const model = { b: new PlainDirection(seed, 0, aToB), a: new PlainDirection(seed, 2, bToA) };
      for (const [index, step] of steps.entries()) {
        if (step.kind === 'advance') {
          link.advanceTo(link.nowMs + step.byMs);
          model.a.advanceTo(link.nowMs);
          model.b.advanceTo(link.nowMs);
        } else if (step.kind === 'receive') {
          expect(takeAll(link[step.at])).toEqual(model[step.at].receive());
        } else {
          const bytes = new Uint8Array(step.length).fill(index);
          const way = model[step.from === 'a' ? 'b' : 'a'];
          expect(link[step.from].send(bytes, step.delivery)).toBe('sent');
          if (step.delivery === 'reliable') way.sendMessage(bytes);
          else way.sendDatagram(bytes);
        }
      }
    }),
    runs,
  );
});
