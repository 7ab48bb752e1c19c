import type { TimestampSearch } from './temporal-request.js';
import type { RecordChange, RecordVersion } from '../events/record-version.js';

/** A domain version. */
export interface HandlerKey {
  readonly domain: string;
  readonly version: number;
}

/** The moment and the source that a request asks for. */
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

/** The durable history of records. */
export interface VersionStore {
  /**
   * Adds the version that results from a change. A repeated change of the same transaction is stored once. The caller
   * must add the changes of one record one after the other.
   */
  append(handler: HandlerKey, change: RecordChange, transactionUuid: string): Promise<void>;
  /** The version of each record at the moment. Records without a version at that time are left out. */
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
  /** Times at which the record changed, each once. @param limit maximum number of times */
  timestamps(
    handler: HandlerKey,
    drUuid: string,
    search: Pick<TimestampSearch, 'start' | 'end' | 'ascending'> & { readonly limit: number },
    sourceAdaptorUuid: string | undefined,
  ): Promise<readonly number[]>;
  /**
   * Removes versions that are not needed to answer requests for a moment at or after `before`.
   *
   * @param limit maximum number of versions that one call removes
   * @returns the number of removed versions
   */
  removeOlder(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}
