import type { RowKey } from '../../source/row-key.js';

/** Receives the changes of one table from the log. */
export interface LogListener {
  /** Maximum number of keys in one call. */
  readonly batchSize: number;
  /** Called when reading the log has started. */
  onStart(): void;
  /** Reports the current content of rows. Resolves when it is durable. */
  onKeys(keys: readonly RowKey[]): Promise<void>;
  /** Called when rows changed without their keys in the log, for example by TRUNCATE. Compares the whole table. @throws Error unless it was compared to its end */
  onUnknownRows(): Promise<void>;
}

/** A log that is ready to be read. */
export interface OpenedLog {
  /** The adaptor stores this mark when everything before it is reported. From then on the log is read without a gap. */
  readonly mark: string;
  /** True: the log begins now and does not contain earlier changes. */
  readonly isNew: boolean;
  /**
   * Reads the log of the table until the signal is aborted.
   *
   * @throws LogLost when changes are no longer in the log; LogUnavailable when the source does not allow it; Error when
   * it fails
   */
  follow(listener: LogListener, signal: AbortSignal): Promise<void>;
}

/** The log of a table's database. */
export interface LogAccess {
  /**
   * @param beforeNew called before a new log begins, which does not contain earlier changes
   * @throws LogUnavailable when the source does not allow it; Error when it fails
   */
  open(beforeNew: () => Promise<void>): Promise<OpenedLog>;
}
