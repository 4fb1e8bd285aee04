import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLossyLink, type LinkConditions } from '../../../src/net/index.ts';
import { scaled } from '../../scaled.ts';
import { badNetwork } from '../bad-network.ts';
import { ToyClient, type ToyOptions, ToyServer, huesOf } from './toy-ends.ts';

const runs = { numRuns: scaled({ tiny: 20, normal: 100, full: 3000 }) };
const TICK_MS = 16;

const anyConditions: fc.Arbitrary<LinkConditions> = fc
  .record(
    {
      burstLoss: fc.record({ enter: fc.constant(0.05), leave: fc.constantFrom(0.05, 0.5) }),
      delayMs: fc.constantFrom(0, 100, 700),
      jitterMs: fc.constantFrom(0, 5, 200),
    },
    { requiredKeys: [] },
  )
  .map((part) => ({ ...badNetwork, ...part }));

const anyOptions: fc.Arbitrary<ToyOptions> = fc.record({
  delivery: fc.constantFrom('unreliable' as const, 'unreliable' as const, 'reliable' as const),
  control: fc.constantFrom('unreliable' as const, 'reliable' as const),
  cap: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
  bounds: fc.record({
    maxResults: fc.constantFrom(2, 8, 64),
    maxBytes: fc.constantFrom(1300, 6000, 1e8),
    maxAgeMs: fc.constantFrom(200, 5000),
    maxRecoveryRows: fc.constantFrom(4, 100),
  }),
});

/** Something that happens in a tick beside its update. */
const anyEvent = fc.oneof(
  { weight: 6, arbitrary: fc.record({ verb: fc.constant('hue' as const), id: fc.nat(11) }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('toggle' as const), id: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.constant({ verb: 'refuse' as const, id: 0 }) },
  { weight: 1, arbitrary: fc.constant({ verb: 'idle' as const, id: 0 }) },
);

/** Two or three results are gone before an acknowledgement can come back: recovery cannot end. */
function canHoldRoundTrip({ bounds }: ToyOptions): boolean {
  return (bounds?.maxResults ?? 64) > 2 && (bounds?.maxBytes ?? 1e8) > 1300;
}

/** A world, a server, a client and the network between them. */
class Run {
  readonly link: ReturnType<typeof createLossyLink>;
  readonly server: ToyServer;
  readonly client: ToyClient;
  world = new Map([1, 2, 3, 4, 5, 6].map((id) => [id, 0]));
  tick = 0;

  constructor(seed: number, conditions: LinkConditions, options: ToyOptions) {
    this.link = createLossyLink({ seed, conditions });
    this.server = new ToyServer(this.link.a, options);
    this.client = new ToyClient(this.link.b, this.server, options);
  }

  step(event?: { readonly verb: string; readonly id: number }): void {
    const { world, tick } = this;
    const id = (event?.id ?? 0) + 1;
    if (event?.verb === 'hue' && world.has(id)) world.set(id, tick % 256);
    if (event?.verb === 'toggle' && !world.delete(id)) world.set(id, tick % 256);
    this.world = new Map([...world].sort(([a], [b]) => a - b));
    this.server.receive();
    if (event?.verb !== 'idle') {
      this.server.send(this.world, tick, this.link.nowMs, event?.verb === 'refuse');
    }
    this.tick++;
    this.link.advanceTo(this.link.nowMs + TICK_MS);
    this.client.receive();
  }
}

describe('a server and a client over a badNetwork network', () => {
  test('agree at each update, and come to the same world once the losses end', () => {
    const program = fc.property(
      fc.nat(),
      anyConditions,
      anyOptions,
      fc.array(anyEvent, { minLength: 20, maxLength: 150, size: 'max' }),
      (seed, conditions, options, events) => {
        const run = new Run(seed, conditions, options);
        for (const event of events) run.step(event);
        run.link.setConditions({ delayMs: 20 });
        for (let n = 0; n < 150; n++) run.step();
        expect(huesOf(run.client.book.newest)).toEqual(run.world);
        expect(canHoldRoundTrip(options) && run.server.book.isRecovering).toBe(false);
        expect(run.client.applied).toEqual([...new Set(run.client.applied)].sort((a, b) => a - b));
      },
    );
    fc.assert(program, runs);
  });

  test('recover when the client has lost all that it had', () => {
    const program = fc.property(fc.nat(), anyOptions, fc.nat(60), (seed, options, before) => {
      const run = new Run(seed, badNetwork, options);
      for (let n = 0; n < 40 + before; n++) run.step({ verb: 'hue', id: n % 6 });
      run.client.book.reset();
      run.client.applied.length = 0;
      for (let n = 0; n < 60; n++) run.step({ verb: 'hue', id: n % 6 });
      run.link.setConditions({ delayMs: 20 });
      for (let n = 0; n < 150; n++) run.step();
      expect(huesOf(run.client.book.newest)).toEqual(run.world);
      expect(canHoldRoundTrip(options) && run.server.book.isRecovering).toBe(false);
    });
    fc.assert(program, runs);
  });

  test('send patches most of the time at a loss of three in ten', () => {
    const options = { delivery: 'unreliable', control: 'unreliable', cap: 3 } as const;
    const run = new Run(5, badNetwork, options);
    for (let n = 0; n < 2000; n++) run.step({ verb: 'hue', id: n % 6 });
    expect(run.server.book.forcedReplacements).toBeLessThan(40);
    expect(run.client.applied.length).toBeGreaterThan(800);
    expect(run.client.requests).toBe(0);
  });

  test('ask for a baseline that is not there once, and recover within a round trip', () => {
    const options = { delivery: 'unreliable', control: 'reliable', cap: 3 } as const;
    const run = new Run(1, { delayMs: 100 }, options);
    for (let n = 0; n < 40; n++) run.step();
    run.client.book.reset();
    for (let n = 0; n < 40; n++) run.step();
    expect(run.server.book.isRecovering).toBe(false);
    // Every tick's patch had a baseline of its own while the acknowledgements came in.
    expect(run.client.requests).toBeLessThan(2 * (200 / TICK_MS));
    expect(run.server.book.ackCounts.missing).toBe(0);
    expect(huesOf(run.client.book.newest)).toEqual(run.world);
  });
});

test('an old state does not live on where turns and the round trip have a common period', () => {
  const bounds = { maxBytes: 6000, maxAgeMs: 200, maxRecoveryRows: 4 };
  const run = new Run(0, badNetwork, {
    delivery: 'unreliable',
    control: 'unreliable',
    cap: 3,
    bounds,
  });
  for (let n = 0; n < 61; n++) run.step({ verb: 'hue', id: n % 6 });
  run.client.book.reset();
  for (let n = 0; n < 60; n++) run.step({ verb: 'hue', id: n % 6 });
  run.link.setConditions({ delayMs: 20 });
  for (let n = 0; n < 20; n++) run.step();
  for (let n = 0; n < 20; n++) {
    run.step();
    expect(huesOf(run.client.book.newest)).toEqual(run.world);
  }
});

describe('case 121: what was only in a lost update comes', () => {
  const options = { delivery: 'unreliable', control: 'unreliable', cap: 1 } as const;

  test('with the next one, though it is the turn of others', () => {
    const run = new Run(1, {}, options);
    for (let n = 0; n < 10; n++) run.step();
    run.link.setConditions({ loss: 1 });
    for (const id of run.world.keys()) run.world.set(id, 200);
    run.step();
    run.link.setConditions({});
    const { recoveryRows } = run.server.book;
    const [lost = 0] = recoveryRows.ids.slice(0, recoveryRows.count);
    expect(huesOf(run.client.book.newest).get(lost)).toBe(0);
    run.step();
    const hues = huesOf(run.client.book.newest);
    expect(hues.get(lost)).toBe(200);
    expect([...hues.values()].filter((hue) => hue === 200).length).toBe(2);
  });

  test('after 70 in a row were lost, by one replacement', () => {
    const run = new Run(1, {}, options);
    for (let n = 0; n < 10; n++) run.step({ verb: 'hue', id: n % 6 });
    run.link.setConditions({ loss: 1 });
    for (let n = 0; n < 70; n++) run.step({ verb: 'hue', id: n % 6 });
    expect(run.server.book.recoveryReason).toBe('ack-stalled');
    run.link.setConditions({});
    run.step();
    expect(huesOf(run.client.book.newest)).toEqual(run.world);
    run.step();
    expect(run.server.book.isRecovering).toBe(false);
  });
});
