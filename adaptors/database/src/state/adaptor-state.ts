/** The adaptor's memory of a row: the content it last reported or applied, and the record it belongs to. */
export interface KnownRow {
  readonly keyText: string;
  readonly digest: string;
  /** Known once the server named the record. */
  readonly drUuid: string | null;
  /** JSON of the row's record when it was last seen: gives the DR Key of a row that is gone. */
  readonly record: string;
}

/** The digest of a row whose first event is not known to be durable. */
export const unreported = '';

/** How far one table was read. */
interface ProcessingState {
  /** Latest modification seen, microseconds since the epoch. */
  scannedUntil(): Promise<bigint | undefined>;
  rememberScan(scannedUntil: bigint): Promise<void>;
  /** The slot or the position since which the log is read without a gap. */
  scannedLog(): Promise<string | undefined>;
  rememberLog(mark: string | undefined): Promise<void>;
}

/** The rows of one table that the adaptor knows. */
interface KnownRows {
  knownRows(keyTexts: readonly string[]): Promise<ReadonlyMap<string, KnownRow>>;
  byRecord(drUuid: string): Promise<KnownRow | undefined>;
  /** Known keys behind one, in an order that stays the same; for the search of deleted rows. */
  keysAfter(keyText: string | undefined, limit: number): Promise<readonly string[]>;
  /** Remembers rows, each key once. A row without `drUuid` keeps the one that it has. */
  rememberRows(rows: readonly KnownRow[]): Promise<void>;
  /**
   * Remembers rows that are not known yet, before their first event is durable: their digest reads as `unreported` until they are
   * confirmed or remembered.
   */
  announceRows(rows: readonly KnownRow[]): Promise<void>;
  /** The events of these announced rows are durable. */
  confirmRows(rows: readonly KnownRow[]): Promise<void>;
  forget(keyTexts: readonly string[]): Promise<void>;
}

/** The adaptor's own memory of one table. It survives a crash. A remote store fails with a StateStoreFailure. */
export type TableState = ProcessingState & KnownRows;

/** A place that keeps the state of tables. The caller that opens it closes it. */
export interface StateStore {
  table(domain: string, version: number): TableState;
  close(): Promise<void>;
}
