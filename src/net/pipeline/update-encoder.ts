import type { CodedReplica } from '../entropy/coded-replica.ts';
import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { STANDARD_RULES } from '../snapshot/snapshot-rules.ts';
import type { SnapshotRules } from '../snapshot/snapshot-rules.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import type { ClientReplicationState, PendingState } from './client-state.ts';
import { checkCoded } from './coded-checks.ts';
import { Technique } from './definition.ts';
import {
  checkEarlier,
  checkRelations,
  checkReplicas,
  recoveryCountOf,
  refused,
} from './encode-checks.ts';
import type { EncodeRequest, Replica } from './encode-request.ts';
import { EncodeResult } from './encode-result.ts';
import { InterestStage } from './interest-stage.ts';
import { QualityMeter } from './quality.ts';
import { ReportStage } from './report-stage.ts';
import { ScheduleStage } from './schedule-stage.ts';
import { Selection } from './selection.ts';
import type { SelectionSettings } from './selection-settings.ts';
import { tickModulo } from './tick-words.ts';
import type { Pipeline } from './pipeline.ts';
import { PipelineWriter } from './pipeline-writer.ts';
import type { TickSource } from './tick-source.ts';
import { UpdateDiff } from './update-diff.ts';
import type { UpdateWriter } from './update-writer.ts';

/** What an {@link UpdateEncoder} is made of where it is not made of a pipeline. */
export interface UpdateEncoderParts {
  readonly settings: SelectionSettings;
  readonly shape: RecordShape;
  readonly writer: UpdateWriter;
  /** What a baseline must keep to. Default: the rules of `validateSnapshot`. */
  readonly rules?: SnapshotRules | undefined;
}

const NOTHING: EncodeRequest = {};

/** What makes patches say which fields differ. */
const FIELD_BY_FIELD: number =
  Technique.DeltaFieldMask | Technique.DeltaPacking | Technique.Entropy;

const LAST_SEQUENCE = 2 ** 32 - 1;

/**
 * Encodes the updates of a pipeline: for each client, what it is told of a tick. It holds nothing
 * of a client, only memory that is used again, so one of them serves all clients of a thread.
 */
export class UpdateEncoder {
  readonly #settings: SelectionSettings;
  readonly #shape: RecordShape;
  readonly #writer: UpdateWriter;
  readonly #rules: SnapshotRules;
  readonly #delta: boolean;
  readonly #lod: boolean;
  readonly #inTurn: boolean;
  readonly #interest: InterestStage;
  readonly #schedule: ScheduleStage;
  readonly #diff: UpdateDiff;
  readonly #reports: ReportStage;
  readonly #selection = new Selection();
  readonly #result: EncodeResult;
  readonly #ownResult: Snapshot;
  readonly #ownCoded: CodedReplica | null;

  /**
   * Throws a {@link NetError}: PIPELINE_INVALID for a pipeline that is good for decoding only,
   * `aoi-needs-position` for an area of interest over a record without a position.
   */
  constructor(of: Pipeline | UpdateEncoderParts) {
    const { settings, shape, writer, rules = STANDARD_RULES } = 'records' in of ? partsOf(of) : of;
    const { techniques } = settings;
    this.#settings = settings;
    this.#shape = shape;
    this.#writer = writer;
    this.#rules = rules;
    this.#delta = (techniques & Technique.Delta) !== 0;
    this.#lod = settings.levelOfDetail.mode !== 'none';
    this.#inTurn = (techniques & Technique.Incremental) !== 0 && !this.#delta && !this.#lod;
    this.#interest = new InterestStage(settings.areaOfInterest, shape);
    this.#schedule = new ScheduleStage(settings);
    this.#diff = new UpdateDiff(shape);
    const masks = (techniques & FIELD_BY_FIELD) !== 0;
    this.#reports = new ReportStage(new QualityMeter(shape, headingOf(shape)), masks);
    this.#result = new EncodeResult(shape, writer.representation);
    this.#ownResult = this.#result.resulting;
    this.#ownCoded = writer.coding?.createReplica() ?? null;
  }

  /** Says whether there is an update at a tick, so that nothing need be prepared for the others. */
  shouldEmit(tick: number): boolean {
    if ((this.#settings.techniques & Technique.SendInterval) === 0) return true;
    return tick % this.#settings.intervalTicks === 0;
  }

  /**
   * Encodes what a client is told of a tick. The client's state stays as it is until the result is
   * committed. The result is good until the next call. Throws a {@link NetError}, with a `fault`
   * that names the rule, when the request breaks one; then nothing has changed.
   */
  encode(
    tick: TickSource,
    state: ClientReplicationState,
    request: EncodeRequest = NOTHING,
  ): EncodeResult {
    const result = this.#result;
    const selection = this.#selection;
    result.begin();
    const pending = state.beginPending();
    const coded = this.#codedOf(request);
    this.#check(tick, request, coded);
    if (!this.#isDue(tick.source)) return result.skip('send-interval');
    if (!this.#interest.lookFrom(tick, request)) return result.skip('aoi-source-missing');
    const sequence = takeSequence(pending);
    checkEarlier(request, sequence);
    this.#interest.select(tick, request, selection, result.interest);
    const base = this.#baseOf(request, state);
    this.#schedule.schedule(tick, state, pending, request, base !== null, selection, result);
    this.#plan(tick, sequence, base, request.result ?? this.#ownResult);
    result.coded = coded;
    const heldCoded = base === null || coded === null ? null : (base.coded ?? null);
    result.byteCount = this.#writer.write(result.plan, heldCoded, coded);
    result.bytes = this.#writer.bytes;
    this.#reports.report(tick, request, pending, this.#diff, this.#writer, result);
    return result.offer(state);
  }

  /** What takes the coded replica of the update; null: records are not coded. */
  #codedOf(request: EncodeRequest): CodedReplica | null {
    return this.#ownCoded === null ? null : (request.resultCoded ?? this.#ownCoded);
  }

  #check(tick: TickSource, request: EncodeRequest, coded: CodedReplica | null): void {
    if (!tick.loaded)
      throw new NetError(
        'SNAPSHOT_INVALID',
        'snapshot-missing',
        'There is no snapshot to encode.',
        {
          fix: 'Load the population of the tick into the source first.',
        },
      );
    if (tick.shape !== this.#shape)
      throw refused('snapshot-foreign', 'The source is of another record than the pipeline.');
    checkReplicas(request, this.#shape, this.#rules, this.#ownResult);
    checkRelations(request, this.#lod || this.#delta, this.#lod);
    const { coding } = this.#writer;
    if (coding !== undefined && coded !== null) checkCoded(request, tick, coding, coded);
  }

  #isDue(snapshot: Snapshot): boolean {
    if ((this.#settings.techniques & Technique.SendInterval) === 0) return true;
    const { intervalTicks } = this.#settings;
    return tickModulo(snapshot.tickHigh, snapshot.tickLow, intervalTicks) === 0;
  }

  /** What the update is a change of; null: it is a complete one. */
  #baseOf(request: EncodeRequest, state: ClientReplicationState): Replica | null {
    const forced = request.forceFullReplace === true;
    const replica = request.replica ?? null;
    const baseline = request.baseline ?? null;
    const inTurn = this.#inTurn && state.incrementalSeeded && !forced;
    const byDistance = this.#lod && state.lodSeeded && !forced;
    if (replica !== null && !this.#inTurn)
      throw refused('replica-not-allowed', 'This pipeline takes no replica.');
    if (inTurn && replica === null)
      throw refused('incremental-patch-needs-replica', 'Updates in turn need what a client holds.');
    if (recoveryCountOf(request) > 0 && !inTurn && !byDistance && !(this.#delta && baseline))
      throw refused('recovery-needs-patch', 'A complete update has nothing to recover.');
    if (this.#lod && !byDistance && baseline !== null)
      throw refused('lod-seed-with-baseline', 'The first update by distance is a complete one.');
    if (byDistance && baseline === null)
      throw refused('lod-patch-needs-baseline', 'Updates by distance need a baseline.');
    return inTurn ? replica : baseline;
  }

  #plan(tick: TickSource, sequence: number, base: Replica | null, resulting: Snapshot): void {
    const result = this.#result;
    const { plan } = result;
    plan.kind = base === null ? SnapshotKind.FullReplace : SnapshotKind.Patch;
    plan.tickHigh = tick.source.tickHigh;
    plan.tickLow = tick.source.tickLow;
    plan.sequence = sequence;
    plan.baselineSequence = base === null ? 0 : base.sequence;
    plan.table = tick.tokens;
    result.resulting = resulting;
    const selection = this.#selection;
    const held = base === null ? null : base.snapshot;
    const trusted = base !== null && base.trusted === true;
    if (held === null) this.#diff.replace(selection, tick.canonical, plan, resulting);
    else this.#diff.patch(selection, tick.canonical, held, this.#delta, trusted, plan, resulting);
  }
}

function partsOf(pipeline: Pipeline): UpdateEncoderParts {
  const { definition, shape, encodeError } = pipeline;
  if (encodeError !== undefined) throw encodeError;
  return { settings: definition, shape, writer: new PipelineWriter(pipeline) };
}

/** The field that holds a direction, as it is named in the reference record. */
function headingOf(shape: RecordShape): number {
  return shape.fields.findIndex(({ name, codec }) => name === 'heading' && codec.width === 3);
}

function takeSequence(pending: PendingState): number {
  const sequence = pending.nextSequence;
  if (sequence === 0)
    throw refused('sequence-zero', 'The state has the sequence 0, which is reserved.');
  if (sequence === LAST_SEQUENCE)
    throw new NetError('SEQUENCE_EXHAUSTED', 'sequence-exhausted', 'There are no more sequences.', {
      given: String(sequence),
      allowed: `1 to ${LAST_SEQUENCE - 1}`,
      fix: 'Start with a new state on both sides.',
    });
  pending.nextSequence = sequence + 1;
  return sequence;
}
