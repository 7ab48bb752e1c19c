import { formatDateTime, formatSqliteTimestamp } from '../columns/timestamp-text.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { lockTimeoutSeconds } from './open/silent.js';

type Precision = NonNullable<TableMetadata['timestampSpec']>['precision'];

/** SQL that differs between the databases and that the query builder does not cover. */
export interface SqlOfDialect {
  /** The database's own clock, in UTC. */
  clock(precision: Precision): string;
  /** A moment in the format of the database. @param microseconds since the epoch */
  momentText(microseconds: bigint): string;
  /** An insert can return columns of the new row. */
  readonly returnsInserted: boolean;
  /** A statement that locks rows may limit their number. */
  readonly limitsLocked: boolean;
  /** True: integers are sent as numbers, because the database compares a text with a number inexactly. */
  readonly exactIntegersAsNumbers: boolean;
  /** Maximum number of parameters in one statement. */
  readonly maxParameters: number;
  /** An insert can have several rows. */
  readonly insertsMany: boolean;
  /**
   * A transaction of several events waits for locks only shortly: statements at its beginning and end. Undefined: a wait cannot be
   * limited, so each event has a separate transaction.
   */
  readonly shortLocks: { readonly begin: readonly string[]; readonly end: readonly string[] } | undefined;
}

const digits: Readonly<Record<Precision, number>> = { MICROSECONDS: 6, MILLISECONDS: 3, SECONDS: 0 };

const usual = {
  returnsInserted: true,
  limitsLocked: true,
  exactIntegersAsNumbers: false,
  maxParameters: 2_000,
  insertsMany: true,
};

export const sqlOfDialect: Readonly<Record<Dialect, SqlOfDialect>> = {
  postgresql: {
    ...usual,
    clock: () => 'clock_timestamp()',
    momentText: formatDateTime,
    shortLocks: { begin: ["SET LOCAL lock_timeout = '250ms'"], end: [] },
  },
  sqlite: {
    ...usual,
    clock: () => "strftime('%Y-%m-%d %H:%M:%f000', 'now')",
    momentText: formatSqliteTimestamp,
    exactIntegersAsNumbers: true,
    // the lock of the file is taken at the beginning
    shortLocks: { begin: [], end: [] },
  },
  mysql: {
    ...usual,
    // the precision matters: a fraction that the column does not keep is rounded, and the result may be in the future
    clock: (precision) => `UTC_TIMESTAMP(${digits[precision]})`,
    momentText: formatSqliteTimestamp,
    returnsInserted: false,
    exactIntegersAsNumbers: true,
    shortLocks: {
      begin: ['SET SESSION innodb_lock_wait_timeout = 1, lock_wait_timeout = 1'],
      end: [`SET SESSION innodb_lock_wait_timeout = ${lockTimeoutSeconds}, lock_wait_timeout = ${lockTimeoutSeconds}`],
    },
  },
  mssql: {
    ...usual,
    clock: () => 'SYSUTCDATETIME()',
    momentText: (microseconds) => formatSqliteTimestamp(microseconds).replace(' ', 'T'),
    shortLocks: { begin: ['SET LOCK_TIMEOUT 250'], end: ['SET LOCK_TIMEOUT -1'] },
  },
  oracle: {
    ...usual,
    clock: () => 'SYS_EXTRACT_UTC(SYSTIMESTAMP)',
    // the session sets the formats
    momentText: formatSqliteTimestamp,
    limitsLocked: false,
    maxParameters: 900,
    insertsMany: false,
    shortLocks: undefined,
  },
};
