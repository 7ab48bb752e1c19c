import type { TimestampSearch } from '../assembly/temporal-request.js';
import type { RecordChange, RecordVersion } from '../events/record-version.js';

/** A domain version. */
export interface HandlerKey {
  readonly domain: string;
  readonly version: number;
}

/** The moment and the source that a question is about. */
export interface Moment {
  /** Epoch milliseconds; undefined: now. */
  readonly at: number | undefined;
  /** Undefined: all sources. */
  readonly sourceAdaptorUuid: string | undefined;
}

export interface PageOrder {
  readonly property: string;
  readonly direction: 'ASC' | 'DESC';
}

interface PageRequest extends Moment {
  readonly offset: number;
  readonly limit: number;
  readonly order: readonly PageOrder[];
}

/** The history of records, durable. */
export interface VersionStore {
  /**
   * Adds the version that a change makes. The same change of the same transaction counts once. Changes of one record must
   * come one after the other.
   */
  append(handler: HandlerKey, change: RecordChange, transactionUuid: string): Promise<void>;
  /** The latest versions at the moment, by record; records without one are left out. */
  versionsAt(
    handler: HandlerKey,
    drUuids: readonly string[],
    moment: Moment,
  ): Promise<ReadonlyMap<string, RecordVersion>>;
  /** A page of the records that exist at the moment, and their number. */
  page(
    handler: HandlerKey,
    request: PageRequest,
  ): Promise<{ readonly versions: readonly RecordVersion[]; readonly total: number }>;
  /** Times at which the record changed, each once. @param limit at most that many */
  timestamps(
    handler: HandlerKey,
    drUuid: string,
    search: Pick<TimestampSearch, 'start' | 'end' | 'ascending'> & { readonly limit: number },
    sourceAdaptorUuid: string | undefined,
  ): Promise<readonly number[]>;
  /**
   * Removes versions that no question about a moment since `before` needs.
   *
   * @param limit at most that many in one call
   * @returns the number of removed versions
   */
  removeOlder(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}
