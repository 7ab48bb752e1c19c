import type { KnownRow } from '../source/row-base.js';

/** Digest of a row whose first event may not be durable. */
export const unreported = '';

/** The position up to which one table was read. */
interface ProcessingState {
  /** Latest modification time that was read, in microseconds since the epoch. */
  scannedUntil(): Promise<bigint | undefined>;
  rememberScan(scannedUntil: bigint): Promise<void>;
  /** The slot or the position since which the log is read without a gap. */
  scannedLog(): Promise<string | undefined>;
  rememberLog(mark: string | undefined): Promise<void>;
  /** The identity of the source to which the state belongs, as JSON. */
  knownSource(): Promise<string | undefined>;
  rememberSource(source: string): Promise<void>;
}

/** The rows of one table that the adaptor knows. */
interface KnownRows {
  knownRows(keyTexts: readonly string[]): Promise<ReadonlyMap<string, KnownRow>>;
  /** The rows of these records, by the uuid of the record. */
  byRecords(drUuids: readonly string[]): Promise<ReadonlyMap<string, KnownRow>>;
  /** Known keys after the given key, in a stable order; for the search of deleted rows. */
  keysAfter(keyText: string | undefined, limit: number): Promise<readonly string[]>;
  /** Stores rows, each key once. A row without `drUuid` keeps its stored `drUuid`. */
  rememberRows(rows: readonly KnownRow[]): Promise<void>;
  /**
   * Stores rows that are not known yet, before their first event is durable. Their digest is `unreported` until they
   * are confirmed or stored again.
   */
  announceRows(rows: readonly KnownRow[]): Promise<void>;
  /** Notes that the events of these announced rows are durable. */
  confirmRows(rows: readonly KnownRow[]): Promise<void>;
  forget(keyTexts: readonly string[]): Promise<void>;
}

/** The adaptor's state of one table. It survives a crash. A remote store fails with a StateStoreFailure. */
export type TableState = ProcessingState & KnownRows;

/** A store for the state of tables. The caller that opens it closes it. */
export interface StateStore {
  table(domain: string, version: number): TableState;
  close(): Promise<void>;
}
