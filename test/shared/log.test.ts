import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import {
  createLog,
  LOG_LEVELS,
  type Log,
  type LogOptions,
  type LogRecord,
  type LogSeverity,
} from '../../src/shared/log.ts';

const SEVERITIES = LOG_LEVELS.filter((level) => level !== 'off');

/** A log on a clock that the test sets, with everything it recorded. */
interface Bench {
  readonly log: Log;
  readonly clock: { nowMs: number };
  readonly records: LogRecord[];
  /** The records as `severity subsystem/event`, summaries with what they sum up. */
  readonly told: () => string[];
}

function bench(options: Partial<LogOptions> = {}): Bench {
  const clock = { nowMs: 0 };
  const records: LogRecord[] = [];
  const sink = (record: LogRecord): void => void records.push(record);
  const log = createLog({ nowMs: () => clock.nowMs, sink, ...options });
  const told = (): string[] =>
    records.map(({ severity, subsystem, event, fields }) => {
      const sum = event === 'rate_limited' ? ` ${fields.event} x${fields.suppressed}` : '';
      return `${severity} ${subsystem}/${event}${sum}`;
    });
  return { log, clock, records, told };
}

function codeOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof EscapementError ? error.code : error;
  }
  return 'nothing';
}

describe('levels', () => {
  it('let everything from debug on through by default', () => {
    const { log, told } = bench();
    const loop = log.for('loop');
    for (const severity of SEVERITIES) loop[severity]('step', 'A step.');
    expect(told()).toEqual(SEVERITIES.slice(1).map((severity) => `${severity} loop/step`));
  });

  it('pass what both the common and the subsystem level pass, in every combination', () => {
    for (const common of LOG_LEVELS) {
      for (const own of LOG_LEVELS) {
        const { log, records } = bench({ level: common, levels: { loop: own } });
        const least = Math.max(LOG_LEVELS.indexOf(common), LOG_LEVELS.indexOf(own));
        SEVERITIES.forEach((severity, rank) => {
          log.for('loop')[severity]('step', 'A step.');
          expect(log.for('loop').isEnabled(severity)).toBe(rank >= least);
          expect(log.isEnabled('loop', severity)).toBe(rank >= least);
        });
        expect(records.length).toBe(Math.max(0, SEVERITIES.length - least));
      }
    }
  });

  it('change for logs that were handed out before', () => {
    const { log, told } = bench({ level: 'warn' });
    const loop = log.for('loop');
    loop.info('a', '');
    log.setLevel('info');
    loop.info('b', '');
    log.setSubsystemLevel('loop', 'error');
    loop.info('c', '');
    log.for('net').info('d', '');
    log.setSubsystemLevel('loop', 'trace');
    loop.info('e', '');
    expect(told()).toEqual(['info loop/b', 'info net/d', 'info loop/e']);
    expect(log.isEnabled('never-named', 'info')).toBe(true);
    expect(log.isEnabled('never-named', 'debug')).toBe(false);
  });

  it('spare a disabled event its fields, its clock and its limit', () => {
    let reads = 0;
    const nowMs = (): number => ++reads;
    const { log, told } = bench({ level: 'off', nowMs });
    const fields = (): never => {
      throw new Error('The fields of a disabled event were made.');
    };
    for (const severity of SEVERITIES) log.for('loop')[severity]('step', 'A step.', fields);
    expect(reads).toBe(0);
    expect(log.stats()).toEqual({ recorded: 0, suppressed: 0, sinkFailures: 0, reentrant: 0 });
    log.setLevel('warn');
    log.for('loop').warn('step', 'A step.');
    expect(told()).toEqual(['warn loop/step']);
  });
});

describe('a record', () => {
  it('holds what was said, with the reading of the clock', () => {
    const { log, clock, records } = bench();
    clock.nowMs = 12.5;
    log.for('driver').warn('tick_dropped', 'Too late.', { tick: 7, why: 'stall', live: true });
    expect(records).toEqual([
      {
        timestampMs: 12.5,
        severity: 'warn',
        subsystem: 'driver',
        event: 'tick_dropped',
        message: 'Too late.',
        fields: { tick: 7, why: 'stall', live: true },
      },
    ]);
  });

  it('takes fields from a function, and empty ones from nothing', () => {
    const { log, records } = bench();
    log.for('a').info('x', '', () => ({ n: 1 }));
    log.for('a').info('y', '');
    expect(records.map((record) => record.fields)).toEqual([{ n: 1 }, {}]);
  });

  it('tells what a function of fields threw, and the caller goes on', () => {
    const { log, records } = bench();
    log.for('a').info('x', 'Still told.', () => {
      throw new RangeError('no such row');
    });
    expect(records[0]?.message).toBe('Still told.');
    expect(String(records[0]?.fields.fields_error)).toContain('RangeError: no such row');
  });

  it('comes from the one log that a subsystem has', () => {
    const { log } = bench();
    expect(log.for('loop')).toBe(log.for('loop'));
    expect(log.for('loop').subsystem).toBe('loop');
  });
});

describe('the rate limit', () => {
  it('records the first of a kind and counts its repeats within the window', () => {
    const { log, clock, told } = bench();
    for (clock.nowMs = 0; clock.nowMs < 1000; clock.nowMs++) log.for('a').warn('x', '');
    expect(told()).toEqual(['warn a/x']);
    expect(log.stats().suppressed).toBe(999);
  });

  it('tells the count before the first event at or after the end of the window', () => {
    const { log, clock, told, records } = bench();
    const a = log.for('a');
    a.warn('x', '');
    a.warn('x', '');
    clock.nowMs = 999.9;
    a.warn('x', '');
    clock.nowMs = 1000;
    a.warn('x', 'back');
    expect(told()).toEqual(['warn a/x', 'warn a/rate_limited x x2', 'warn a/x']);
    expect(records[1]?.timestampMs).toBe(1000);
    expect(records[2]?.message).toBe('back');
  });

  it('opens a new window with each event it lets through, and tells no count of none', () => {
    const { log, clock, told } = bench();
    const a = log.for('a');
    for (const nowMs of [0, 1000, 1999, 2000, 2001, 3500]) {
      clock.nowMs = nowMs;
      a.warn('x', '');
    }
    expect(told()).toEqual([
      'warn a/x',
      'warn a/x',
      'warn a/rate_limited x x1',
      'warn a/x',
      'warn a/rate_limited x x1',
      'warn a/x',
    ]);
  });

  it('has no timer: nothing is told until something is logged', () => {
    const { log, clock, told } = bench();
    log.for('a').warn('x', '');
    log.for('a').warn('x', '');
    clock.nowMs = 1e9;
    log.for('a').info('y', '');
    log.for('a').warn('z', '');
    expect(told()).toEqual(['warn a/x', 'info a/y', 'warn a/z']);
  });

  it('holds for warn, error and fatal, and never for trace, debug and info', () => {
    const { log, records } = bench({ level: 'trace' });
    for (const severity of SEVERITIES) {
      for (let repeat = 0; repeat < 3; repeat++) log.for('a')[severity]('x', '');
    }
    const count = (severity: LogSeverity): number =>
      records.filter((record) => record.severity === severity).length;
    expect(SEVERITIES.map(count)).toEqual([3, 3, 3, 1, 1, 1]);
  });

  it('keeps subsystems, events and severities apart', () => {
    const { log, told } = bench();
    for (let repeat = 0; repeat < 2; repeat++) {
      log.for('a').warn('x', '');
      log.for('a').warn('y', '');
      log.for('a').error('x', '');
      log.for('b').warn('x', '');
    }
    log.close();
    expect(told()).toEqual([
      'warn a/x',
      'warn a/y',
      'error a/x',
      'warn b/x',
      'warn a/rate_limited x x1',
      'warn a/rate_limited y x1',
      'error a/rate_limited x x1',
      'warn b/rate_limited x x1',
    ]);
  });

  it('has a window that can be set, to none as well', () => {
    const short = bench({ windowMs: 10 });
    for (short.clock.nowMs = 0; short.clock.nowMs < 20; short.clock.nowMs++) {
      short.log.for('a').warn('x', '');
    }
    expect(short.told()).toEqual(['warn a/x', 'warn a/rate_limited x x9', 'warn a/x']);
    const none = bench({ windowMs: 0 });
    for (let repeat = 0; repeat < 3; repeat++) none.log.for('a').warn('x', '');
    expect(none.told()).toEqual(['warn a/x', 'warn a/x', 'warn a/x']);
  });

  it('goes on telling when the clock says NaN', () => {
    const { log, clock, told } = bench();
    clock.nowMs = NaN;
    log.for('a').warn('x', '');
    log.for('a').warn('x', '');
    expect(told()).toEqual(['warn a/x', 'warn a/x']);
  });

  it('loses no event: each is recorded or counted in exactly one summary', () => {
    const step = fc.record({
      gapMs: fc.integer({ min: 0, max: 700 }),
      severity: fc.constantFrom(...SEVERITIES),
      subsystem: fc.constantFrom('a', 'b', 'c'),
      event: fc.constantFrom('x', 'y', 'z'),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, max) => {
          const { log, clock, records } = bench({ level: 'trace', keysMax: max });
          for (const { gapMs, severity, subsystem, event } of steps) {
            clock.nowMs += gapMs;
            log.for(subsystem)[severity](event, '');
          }
          log.close();
          const summaries = records.filter((record) => record.event === 'rate_limited');
          const counted = summaries.reduce((sum, { fields }) => sum + Number(fields.suppressed), 0);
          expect(records.length - summaries.length + counted).toBe(steps.length);
          expect(log.stats().suppressed).toBe(counted);
          expect(log.stats().recorded).toBe(records.length);
        },
      ),
    );
  });
});

describe('the memory of the rate limit', () => {
  it('is bounded: beyond it, all keys of one severity share one place', () => {
    const { log, told } = bench({ keysMax: 2 });
    for (let id = 0; id < 1000; id++) {
      log.for('a').warn(`x${id}`, '');
      log.for('a').error(`x${id}`, '');
    }
    log.close();
    expect(told()).toEqual([
      'warn a/x0',
      'error a/x0',
      'warn a/x1',
      'error a/x1',
      'warn log/rate_limited * x998',
      'error log/rate_limited * x998',
    ]);
  });

  it('goes to a new key from the one let through longest ago, which tells its count', () => {
    const { log, clock, told } = bench({ keysMax: 2 });
    const a = log.for('a');
    a.warn('old', '');
    a.warn('old', '');
    clock.nowMs = 500;
    a.warn('young', '');
    clock.nowMs = 1000;
    a.warn('new', '');
    a.warn('young', '');
    expect(told()).toEqual([
      'warn a/old',
      'warn a/young',
      'warn a/rate_limited old x1',
      'warn a/new',
    ]);
  });

  it('forgets the key whose place was taken', () => {
    const { log, clock, told } = bench({ keysMax: 1 });
    const a = log.for('a');
    a.warn('x', '');
    clock.nowMs = 1000;
    a.warn('y', '');
    clock.nowMs = 1100;
    a.warn('x', '');
    a.warn('x', '');
    log.close();
    expect(told()).toEqual(['warn a/x', 'warn a/y', 'warn a/x', 'warn log/rate_limited * x1']);
  });

  it('counts a key that was let through again as young', () => {
    const { log, clock, told } = bench({ keysMax: 2 });
    const a = log.for('a');
    for (const [nowMs, event] of [
      [0, 'x'],
      [500, 'y'],
      [1000, 'x'],
      [1500, 'z'],
      [1500, 'z'],
    ] as const) {
      clock.nowMs = nowMs;
      a.warn(event, '');
    }
    log.close();
    expect(told().at(-1)).toBe('warn a/rate_limited z x1');
  });
});

describe('the sink', () => {
  it('may throw: the caller goes on and the loss is counted', () => {
    const { log } = bench({
      sink: () => {
        throw new Error('disk full');
      },
    });
    log.for('a').info('x', '');
    log.for('a').warn('x', '');
    log.for('a').warn('x', '');
    log.close();
    expect(log.stats()).toEqual({ recorded: 0, suppressed: 1, sinkFailures: 3, reentrant: 0 });
  });

  it('cannot call itself: what it logs is discarded and counted', () => {
    let calls = 0;
    const log = createLog({
      nowMs: () => 0,
      sink: () => {
        calls += 1;
        log.for('sink').error('called', '');
      },
    });
    log.for('a').info('x', '');
    log.for('a').info('y', '');
    expect(calls).toBe(2);
    expect(log.stats()).toEqual({ recorded: 2, suppressed: 0, sinkFailures: 0, reentrant: 2 });
  });

  it('can be replaced', () => {
    const { log, told } = bench();
    const second: string[] = [];
    log.for('a').info('x', '');
    log.setSink((record) => void second.push(record.event));
    log.for('a').info('y', '');
    expect(told()).toEqual(['info a/x']);
    expect(second).toEqual(['y']);
  });
});

describe('close', () => {
  it('tells what is pending, once, and then discards everything', () => {
    const { log, clock, told, records } = bench();
    const a = log.for('a');
    for (let repeat = 0; repeat < 5; repeat++) a.fatal('x', '');
    clock.nowMs = 3;
    log.close();
    log.close();
    a.fatal('x', '');
    a.info('y', '');
    log.setLevel('trace');
    log.setSubsystemLevel('a', 'trace');
    log.for('born-late').error('z', '');
    expect(told()).toEqual(['fatal a/x', 'fatal a/rate_limited x x4']);
    expect(records[1]?.timestampMs).toBe(3);
    expect(a.isEnabled('fatal')).toBe(false);
    expect(log.isEnabled('b', 'fatal')).toBe(false);
  });
});

describe('a log refuses', () => {
  it('unknown levels', () => {
    const wrong = 'loud' as LogSeverity;
    expect(codeOf(() => bench({ level: wrong }))).toBe('OPTION_INVALID');
    expect(codeOf(() => bench({ levels: { loop: wrong } }))).toBe('OPTION_INVALID');
    expect(codeOf(() => bench().log.setLevel(wrong))).toBe('OPTION_INVALID');
  });

  it('windows and limits that make no sense', () => {
    for (const windowMs of [-1, NaN])
      expect(codeOf(() => bench({ windowMs }))).toBe('OPTION_INVALID');
    for (const keysMax of [0, 1.5, NaN])
      expect(codeOf(() => bench({ keysMax }))).toBe('OPTION_INVALID');
  });

  it('subsystem names that would spoil a line', () => {
    for (const name of ['', 'a b', 'a/b', 'a\nb']) {
      expect(codeOf(() => bench().log.for(name))).toBe('VALUE_INVALID');
    }
  });

  it('more subsystems than a program has parts', () => {
    const { log } = bench();
    for (let part = 0; part < 256; part++) log.for(`part${part}`);
    expect(codeOf(() => log.for('one-more'))).toBe('CAPACITY_EXHAUSTED');
    expect(log.for('part0').subsystem).toBe('part0');
  });
});
