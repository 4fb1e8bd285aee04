import type { Rational } from '../shared/rational.ts';
import { MemorySink, type RecordingResult } from '../shared/replay/memory-sink.ts';
import { type RecordOptions, resolveRecord } from '../shared/replay/record-options.ts';
import type { ReplayEndReason } from '../shared/replay/replay.ts';
import { ReplayWriter } from '../shared/replay/replay-writer.ts';
import { VERSION } from '../shared/version.ts';
import { Recorder } from './recorder.ts';
import type { Simulation } from './simulation.ts';
import { WriterOutput } from './writer-output.ts';

/** A recording of a run on the thread that records it. */
export class LocalRecording {
  readonly #recorder: Recorder;
  readonly #writer: ReplayWriter;
  readonly #memory: MemorySink | undefined;

  /** Begins with the present state. Throws OPTION_INVALID. */
  constructor(
    simulation: Simulation,
    quantum: Rational,
    seed: readonly [high: number, low: number],
    options: RecordOptions,
  ) {
    const { to, periods, maxBytes } = resolveRecord(options);
    const { numerator, denominator } = quantum;
    const { schema, definition, tick, isFromSetup } = simulation;
    this.#memory = to === undefined ? new MemorySink() : undefined;
    this.#writer = new ReplayWriter(
      to ?? (this.#memory as MemorySink),
      {
        formatVersion: 1,
        library: VERSION,
        schema: { ...schema, quantum: { numerator, denominator } },
        identity: definition.version,
        seed,
        params: schema.params,
        firstTick: tick,
        ...(tick === 0 && !isFromSetup && { fromSetup: false as const }),
        ...periods,
      },
      maxBytes === undefined ? {} : { maxBytes },
    );
    this.#recorder = new Recorder(simulation, new WriterOutput(this.#writer), periods);
  }

  /** Ends it with the present tick; after a failure with the last one that was completed. */
  end(isFailed: boolean): void {
    if (isFailed) this.#recorder.fail();
    else this.#recorder.end();
  }

  /** Settles when writing has caught up, where a run is faster than it; undefined if it is not. */
  relief(): Promise<void> | undefined {
    return this.#writer.relief();
  }

  /** Writes what is left and says what it came to. Rejects with what made writing fail. */
  async close(reason: ReplayEndReason): Promise<RecordingResult> {
    const writer = this.#writer;
    await writer.close(writer.lastTick, reason);
    if (writer.failure !== undefined) throw writer.failure;
    const { lastTick, bytesWritten } = writer;
    const { firstTick } = this.#recorder;
    const bytes = this.#memory?.bytes();
    return { firstTick, lastTick, bytesWritten, reason: writer.end ?? reason, bytes };
  }
}
