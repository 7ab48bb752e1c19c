import type { JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { TestedDatabase } from './test-sources.js';

/** A value that an event writes to a column. The rows are those of `docs/reference/database-column-types.md`. */
export interface ColumnWriting {
  /** Type of the column in its database. */
  readonly type: string;
  readonly columnType: ColumnType;
  /** The value of the event. */
  readonly received: JsonValue;
  /** The value of the property in the row after the event; undefined: the event is a data issue. */
  readonly held: JsonValue | undefined;
}

const refused = (type: string, columnType: ColumnType, received: JsonValue): ColumnWriting => ({
  type,
  columnType,
  received,
  held: undefined,
});

/** @param held absent: the row holds the value of the event */
const writing = (
  type: string,
  columnType: ColumnType,
  received: JsonValue,
  held: JsonValue = received,
): ColumnWriting => ({
  type,
  columnType,
  received,
  held,
});

const moment = '2026-01-02T03:04:05.678901Z';
const uuid = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11';
const exactDecimal = '0.12345678901234567890';

export const columnWritings: Readonly<Record<TestedDatabase, readonly ColumnWriting[]>> = {
  PostgreSQL: [
    writing('smallint', 'INTEGER', -32768),
    refused('smallint', 'INTEGER', 32768),
    refused('integer', 'LONG', 1.5),
    writing('bigint', 'LONG', 9223372036854775807n),
    writing('numeric', 'DECIMAL', 0.1),
    writing('numeric(10, 2)', 'DECIMAL', 10.125, 10.13),
    refused('numeric(4, 2)', 'DECIMAL', 100),
    writing('numeric(40, 20)', 'STRING', exactDecimal),
    refused('numeric', 'STRING', 'ten'),
    writing('real', 'DOUBLE', 0.123456789, 0.12345679),
    refused('real', 'DOUBLE', 1e300),
    writing('double precision', 'DOUBLE', 0.30000000000000004),
    writing('money', 'STRING', '12.5', '$12.50'),
    refused('money', 'DECIMAL', 12.5),
    writing('boolean', 'BOOLEAN', true),
    writing('bit(3)', 'STRING', '101'),
    refused('bit(3)', 'STRING', '1010'),
    writing('text', 'STRING', '名'),
    refused('text', 'STRING', 'a\u0000b'),
    writing('character varying(3)', 'STRING', 'abc  ', 'abc'),
    refused('character varying(3)', 'STRING', 'abcd'),
    writing('character(5)', 'STRING', 'ab', 'ab   '),
    writing('uuid', 'STRING', uuid, uuid.toLowerCase()),
    refused('uuid', 'STRING', 'a0ee'),
    writing('bytea', 'BYTES', 'AAH/'),
    refused('bytea', 'BYTES', 'no base64'),
    writing('date', 'LOCAL_DATE', '2026-02-28'),
    refused('date', 'LOCAL_DATE', '2026-02-30'),
    writing('timestamp', 'TIMESTAMP', '2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456Z'),
    writing('timestamptz(0)', 'TIMESTAMP', moment, '2026-01-02T03:04:06Z'),
    writing('timestamptz', 'TIMESTAMP', '2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'),
    refused('timestamptz', 'TIMESTAMP', 'soon'),
    writing('time', 'STRING', '03:04:05.5'),
    refused('time', 'STRING', '25:00'),
    writing('interval', 'STRING', '1 day 2 hours', '1 day 02:00:00'),
    writing('json', 'JSON', { a: [1, 9223372036854775807n] }),
    writing('json', 'JSON', 'a\u0000b'),
    writing('jsonb', 'JSON', { bb: 1.5, a: 2 }, { a: 2, bb: 1.5 }),
    refused('jsonb', 'JSON', 'a\u0000b'),
    writing('integer[]', 'STRING', '{1,2}'),
    writing('inet', 'STRING', '192.0.2.1/24'),
    refused('inet', 'STRING', '300.0.0.1'),
    writing('xml', 'STRING', '<a/>'),
    refused('xml', 'STRING', '<a>'),
    writing('tsvector', 'STRING', 'b a', `'a' 'b'`),
  ],
  MariaDB: [
    writing('tinyint', 'INTEGER', -128),
    refused('tinyint', 'INTEGER', 128),
    refused('int unsigned', 'LONG', -1),
    writing('bigint', 'LONG', 9223372036854775807n),
    writing('bigint unsigned', 'STRING', '18446744073709551615'),
    writing('decimal(10, 2)', 'DECIMAL', 10.125, 10.13),
    refused('decimal(4, 2)', 'DECIMAL', 100),
    writing('decimal(40, 20)', 'STRING', exactDecimal),
    writing('float', 'DOUBLE', 0.123456789, 0.12345679),
    refused('float', 'DOUBLE', 1e300),
    writing('double', 'DOUBLE', 0.30000000000000004),
    writing('boolean', 'BOOLEAN', true),
    writing('bit(1)', 'BOOLEAN', true),
    writing('bit(10)', 'BYTES', 'AgE='),
    writing('varchar(3)', 'STRING', 'abc  ', 'abc'),
    refused('varchar(3)', 'STRING', 'abcd'),
    writing('char(5)', 'STRING', 'ab  ', 'ab'),
    writing('varchar(9) CHARACTER SET latin1', 'STRING', 'é'),
    refused('varchar(9) CHARACTER SET latin1', 'STRING', '名'),
    writing('longtext', 'STRING', 'a\u0000b'),
    writing(`enum('a', 'b')`, 'STRING', 'B', 'b'),
    refused(`enum('a', 'b')`, 'STRING', 'c'),
    writing(`set('a', 'b')`, 'STRING', 'b,a', 'a,b'),
    refused(`set('a', 'b')`, 'STRING', 'c'),
    writing('uuid', 'STRING', uuid, uuid.toLowerCase()),
    refused('uuid', 'STRING', 'a0ee'),
    writing('inet6', 'STRING', '2001:DB8::1', '2001:db8::1'),
    writing('binary(3)', 'BYTES', 'AQ==', 'AQAA'),
    refused('binary(3)', 'BYTES', 'AQIDBA=='),
    writing('longblob', 'BYTES', 'AAH/'),
    writing('date', 'LOCAL_DATE', '2026-02-28'),
    refused('date', 'LOCAL_DATE', '2026-02-30'),
    writing('datetime(6)', 'TIMESTAMP', '2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456Z'),
    writing('datetime', 'TIMESTAMP', moment, '2026-01-02T03:04:05Z'),
    writing('datetime(6)', 'TIMESTAMP', '2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'),
    refused('timestamp(6) NULL', 'TIMESTAMP', '1960-01-01T00:00:00Z'),
    writing('time', 'STRING', '-12:34:56'),
    refused('time', 'STRING', 'noon'),
    writing('year', 'INTEGER', 2026),
    refused('year', 'INTEGER', 1800),
    writing('json', 'JSON', { a: 9223372036854775807n }),
    writing('json', 'JSON', 'a\u0000b'),
    refused('point', 'BYTES', 'AAH/'),
  ],
  SQLite: [
    writing('INTEGER', 'LONG', 9223372036854775807n),
    refused('INTEGER', 'LONG', 1.5),
    writing('INTEGER', 'BOOLEAN', true),
    writing('INTEGER', 'STRING', '007', '7'),
    writing('NUMERIC', 'STRING', '10.50', '10.5'),
    writing('NUMERIC', 'DECIMAL', 0.1),
    writing('REAL', 'DOUBLE', 0.30000000000000004),
    writing('REAL', 'LONG', 9007199254740993n, 9007199254740992n),
    writing('TEXT', 'DECIMAL', 10.125),
    writing('TEXT', 'STRING', exactDecimal),
    writing('TEXT COLLATE NOCASE', 'STRING', 'aB'),
    writing('TEXT', 'STRING', 'a\u0000b'),
    writing('TEXT', 'JSON', 'a\u0000b'),
    writing('BLOB', 'BYTES', 'AAH/'),
    refused('BLOB', 'BYTES', 'no base64'),
    writing('TEXT', 'LOCAL_DATE', '2026-02-28'),
    refused('TEXT', 'LOCAL_DATE', '2026-02-30'),
    writing('TEXT', 'TIMESTAMP', '2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456Z'),
    writing('TEXT', 'TIMESTAMP', '2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'),
    writing('TEXT', 'JSON', { bb: 1.5, a: [1, 9223372036854775807n] }),
  ],
};
