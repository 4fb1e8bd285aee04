/** How many entities the area of interest kept. */
export class InterestReport {
  /** The pipeline has an area of interest; else the rest is 0. */
  active = false;
  source = 0;
  candidates = 0;
  retained = 0;
  culled = 0;

  clear(): void {
    this.active = false;
    this.source = 0;
    this.candidates = 0;
    this.retained = 0;
    this.culled = 0;
  }
}

/** What comparing with the baseline left out. */
export class DeltaReport {
  /** There was a baseline to compare with; else the rest is 0. */
  active = false;
  candidates = 0;
  unchanged = 0;
  changedExisting = 0;
  spawned = 0;
  /** Upserts that are sent: changed and spawned ones. */
  produced = 0;
  /** Changed ones that are sent as complete records. */
  wholeRecords = 0;
  /** Changed ones that are sent with a field mask, or coded, field by field. */
  maskedRecords = 0;
  /** How often each field is in a field mask. */
  readonly inclusions: Uint32Array;
  /** Bytes that the upserts would take as complete records. */
  completeBytes = 0;
  /** Bytes that they take; where records are coded, with the deletes. */
  upsertBytes = 0;

  constructor(fields: number) {
    this.inclusions = new Uint32Array(fields);
  }

  clear(): void {
    this.active = false;
    this.candidates = 0;
    this.unchanged = 0;
    this.changedExisting = 0;
    this.spawned = 0;
    this.produced = 0;
    this.wholeRecords = 0;
    this.maskedRecords = 0;
    this.inclusions.fill(0);
    this.completeBytes = 0;
    this.upsertBytes = 0;
  }
}

/** The work of distance bands. Arrays count entities by band: near, medium, far. */
export class LodReport {
  /** The pipeline has distance bands; else the rest is 0. */
  active = false;
  readonly population: Uint32Array = new Uint32Array(3);
  /** Due now, or left over. */
  readonly eligible: Uint32Array = new Uint32Array(3);
  readonly serviced: Uint32Array = new Uint32Array(3);
  /** Upserts that a patch sends. */
  readonly represented: Uint32Array = new Uint32Array(3);
  /** Due, but left for later. */
  readonly deferred: Uint32Array = new Uint32Array(3);
  /** The sum of `deferred`. */
  pending = 0;
  /** Entities that changed their band. */
  transitions = 0;
  /** Entities that are due at once because they are new or came nearer. */
  forced = 0;
  deletes = 0;
  /** 1: a complete update was sent, so everything was due. */
  fullReplaceOverride = 0;
  encodedBytes = 0;

  clear(): void {
    this.active = false;
    this.population.fill(0);
    this.eligible.fill(0);
    this.serviced.fill(0);
    this.represented.fill(0);
    this.deferred.fill(0);
    this.pending = 0;
    this.transitions = 0;
    this.forced = 0;
    this.deletes = 0;
    this.fullReplaceOverride = 0;
    this.encodedBytes = 0;
  }
}

/** How far what is sent is from the truth; only of upserts that are sent. */
export class QualityReport {
  /** It was asked for; else the rest is 0. */
  active = false;
  samples = 0;
  /** World units. */
  positionSum = 0;
  positionMax = 0;
  /** Degrees. */
  headingSum = 0;
  headingMax = 0;

  clear(): void {
    this.active = false;
    this.samples = 0;
    this.positionSum = 0;
    this.positionMax = 0;
    this.headingSum = 0;
    this.headingMax = 0;
  }
}

/** How records are laid out. */
export interface Representation {
  /** Such as `raw` or `entropy-fast-own`. */
  readonly layout: string;
  /** Bits of a complete record; where records are coded, with `BitPacking` instead. */
  readonly recordBits: number;
}

/** Bytes of an update against what was aimed at. Nothing is cut: it only says so. */
export class SizeReport {
  /** 0: nothing was aimed at. */
  target = 0;
  bytes = 0;
  /** Bytes above the target. */
  over = 0;

  set(bytes: number, target: number): void {
    this.target = target;
    this.bytes = bytes;
    this.over = target > 0 && bytes > target ? bytes - target : 0;
  }
}
