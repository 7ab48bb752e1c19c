import type { RowKey } from '../../source/row-key.js';

/** Takes what the log says about one table. */
export interface LogListener {
  /** Most keys of one call. */
  readonly batchSize: number;
  /** Called when the log is being read. */
  onStart(): void;
  /** Reports the current content of rows; resolves when that is durable. */
  onKeys(keys: readonly RowKey[]): Promise<void>;
  /** Rows changed that the log does not name, for example by TRUNCATE: compares the whole table. */
  onUnknownRows(): Promise<void>;
}

/** A log that is ready to be read. */
interface OpenedLog {
  /** What the adaptor remembers when everything before it is reported: the log is read without a gap since then. */
  readonly mark: string;
  /** The log begins now: it does not contain earlier changes. */
  readonly isNew: boolean;
  /**
   * Reads the log of the table until the signal is aborted.
   *
   * @throws LogLost when changes are gone; LogUnavailable when the source does not allow it; Error when it fails
   */
  follow(listener: LogListener, signal: AbortSignal): Promise<void>;
}

/** The log of the database that a table is in. */
export interface LogAccess {
  /**
   * @param beforeNew called before a log begins that does not contain earlier changes
   * @throws LogUnavailable when the source does not allow it; Error when it fails
   */
  open(beforeNew: () => Promise<void>): Promise<OpenedLog>;
}
