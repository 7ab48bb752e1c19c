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

/** The state of a question to the adaptor. PENDING until the adaptor has answered, has failed, or is found to be down. */
export type Outcome = 'PENDING' | 'ANSWERED' | 'FAILED' | 'DOWN';

/** A record in an adaptor's answer. */
export interface SentRecord {
  /** Null when the adaptor no longer has the record. */
  readonly data: JsonObject | null;
  /** Epoch ms. */
  readonly lastUpdated?: number | undefined;
  readonly additionalParams?: JsonObject | undefined;
  /** The result of a timestamp search, in epoch ms. */
  readonly timestamps?: readonly number[] | undefined;
}

/** The records of an answer, by uuid. They contain only records that the adaptor was asked for. */
export type SentRecords = ReadonlyMap<string, SentRecord>;

/** A source with its records and the state of its answer. */
export interface AskedSource {
  readonly source: Source;
  readonly recordUuids: ReadonlySet<string>;
  readonly outcome: Outcome;
  /** Empty until the source has answered. */
  readonly sent: SentRecords;
}
