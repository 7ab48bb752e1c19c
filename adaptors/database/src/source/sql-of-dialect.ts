import { formatDateTime, formatSqliteTimestamp } from '../columns/timestamp-text.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';

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
}

const digits: Readonly<Record<Precision, number>> = { MICROSECONDS: 6, MILLISECONDS: 3, SECONDS: 0 };

const usual = { returnsInserted: true, limitsLocked: true, exactIntegersAsNumbers: false, maxParameters: 2_000 };

export const sqlOfDialect: Readonly<Record<Dialect, SqlOfDialect>> = {
  postgresql: { ...usual, clock: () => 'clock_timestamp()', momentText: formatDateTime },
  sqlite: {
    ...usual,
    clock: () => "strftime('%Y-%m-%d %H:%M:%f000', 'now')",
    momentText: formatSqliteTimestamp,
    exactIntegersAsNumbers: true,
  },
  mysql: {
    ...usual,
    // the precision matters: a fraction that the column does not keep is rounded, and the result may be in the future
    clock: (precision) => `UTC_TIMESTAMP(${digits[precision]})`,
    momentText: formatSqliteTimestamp,
    returnsInserted: false,
    exactIntegersAsNumbers: true,
  },
  mssql: {
    ...usual,
    clock: () => 'SYSUTCDATETIME()',
    momentText: (microseconds) => formatSqliteTimestamp(microseconds).replace(' ', 'T'),
  },
  oracle: {
    ...usual,
    clock: () => 'SYS_EXTRACT_UTC(SYSTIMESTAMP)',
    // the session sets the formats
    momentText: formatSqliteTimestamp,
    limitsLocked: false,
    maxParameters: 900,
  },
};
