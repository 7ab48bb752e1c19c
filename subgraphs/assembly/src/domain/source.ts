import type { Tier } from '@fds/assembly-contract';
import type { JsonObject } from '@fds/json';

/** An adaptor that may be asked. */
export interface Source {
  readonly adaptorUuid: string;
  readonly name: string;
  readonly zoneUuid: string;
  readonly zoneName: string;
  readonly tier: Tier;
}

/** Result of asking the adaptor. PENDING until it answered, failed, or was found to be down. */
export type Outcome = 'PENDING' | 'ANSWERED' | 'FAILED' | 'DOWN';

/** A record as an adaptor sent it. */
export interface SentRecord {
  /** Null: it no longer holds the record. */
  readonly data: JsonObject | null;
  /** Epoch ms. */
  readonly lastUpdated?: number | undefined;
  readonly additionalParams?: JsonObject | undefined;
  /** The result of a timestamp search, in epoch ms. */
  readonly timestamps?: readonly number[] | undefined;
}

/** The records of an answer, by uuid. Only records that the adaptor was asked for are among them. */
export type SentRecords = ReadonlyMap<string, SentRecord>;

/** A source with the records it holds and how far its answer is. */
export interface AskedSource {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  readonly outcome: Outcome;
  /** Empty until it answered. */
  readonly sent: SentRecords;
}
