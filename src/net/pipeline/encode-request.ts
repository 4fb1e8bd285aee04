import type { CodedReplica } from '../entropy/coded-replica.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { InterestSource } from './interest.ts';

/** A snapshot that a client holds, or will hold, by the sequence of the update that made it. */
export interface Replica {
  /** 1 to 2^32 - 1. */
  readonly sequence: number;
  readonly snapshot: Snapshot | null;
  /**
   * The snapshot is the result of an encode and nobody has changed it, so it is not checked again.
   * Default: it is checked.
   */
  readonly trusted?: boolean | undefined;
  /**
   * What the update left beside the snapshot; needed of a baseline if the pipeline has a `coding`.
   */
  readonly coded?: CodedReplica | null | undefined;
}

/** What an encode for one client is asked for. All of it may be left out. */
export interface EncodeRequest {
  /** What a patch is a change of; for delta and for distance bands. */
  readonly baseline?: Replica | null | undefined;
  /** What the client holds; for updates in turn without delta. */
  readonly replica?: Replica | null | undefined;
  /** Where the client looks from; for an area of interest. Without it the call is skipped. */
  readonly source?: InterestSource | null | undefined;
  /**
   * Rows of the population that may be within the area, strictly ascending. Default: those that the
   * grid of the tick finds.
   */
  readonly candidates?: Uint32Array | null | undefined;
  /** How many of `candidates` count. Default: all. */
  readonly candidateCount?: number | undefined;
  /** Ids that have to be sent again, strictly ascending, from 1. */
  readonly recovery?: Uint32Array | null | undefined;
  /** How many of `recovery` count. Default: all. */
  readonly recoveryCount?: number | undefined;
  /** Send everything, whatever the client holds. */
  readonly forceFullReplace?: boolean | undefined;
  /** Bytes that an update should not exceed; for the report only. Default: 0, none. */
  readonly sizeTarget?: number | undefined;
  /** Measure how far what is sent is from the truth. Default: no, which costs nothing. */
  readonly quality?: boolean | undefined;
  /**
   * Takes the population that the client will hold. Default: one that the next encode overwrites.
   */
  readonly result?: Snapshot | null | undefined;
  /**
   * If the pipeline has a `coding`: takes what is to be kept beside `result`, as made by
   * `codedExtra`. Default: one that the next encode overwrites.
   */
  readonly resultCoded?: CodedReplica | null | undefined;
}
