import type { JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { TestedDatabase } from './test-sources.js';

/** A value that the adaptor reads from a column. The rows are those of `docs/reference/database-column-types.md`. */
export interface ColumnReading {
  /** Type of the column in its database. */
  readonly type: string;
  readonly columnType: ColumnType;
  /** Literal of the database. */
  readonly stored: string;
  /** The value of the property; undefined: the row is a data issue. */
  readonly read: JsonValue | undefined;
}

const reading = (type: string, columnType: ColumnType, stored: string, read?: JsonValue): ColumnReading => ({
  type,
  columnType,
  stored,
  read,
});

export const columnReadings: Readonly<Record<TestedDatabase, readonly ColumnReading[]>> = {
  PostgreSQL: [
    reading('smallint', 'INTEGER', '-32768', -32768),
    reading('integer', 'LONG', '2147483647', 2147483647),
    reading('bigint', 'LONG', '9223372036854775807', 9223372036854775807n),
    reading('numeric', 'DECIMAL', '8.90', 8.9),
    reading('numeric', 'DECIMAL', '9007199254740993', 9007199254740993n),
    reading('numeric', 'DECIMAL', '0.12345678901234567890'),
    reading('numeric', 'DECIMAL', '18446744073709551615'),
    reading('numeric', 'DECIMAL', `'NaN'`),
    reading('numeric', 'DECIMAL', `'Infinity'`),
    reading('numeric(40, 20)', 'STRING', '0.12345678901234567890', '0.12345678901234567890'),
    reading('numeric', 'LONG', '18446744073709551615'),
    reading('real', 'DOUBLE', '16777216', 16777216),
    reading('real', 'DOUBLE', '0.1', 0.1),
    reading('double precision', 'DOUBLE', '0.30000000000000004', 0.30000000000000004),
    reading('double precision', 'DOUBLE', '1152921504606846976', 1152921504606846976n),
    reading('double precision', 'DOUBLE', `'-0'`, 0),
    reading('double precision', 'DOUBLE', `'-Infinity'`),
    reading('money', 'DECIMAL', '1234.56'),
    reading('money', 'STRING', `'12.50'`, '$12.50'),
    reading('boolean', 'BOOLEAN', 'true', true),
    reading('bit(1)', 'BOOLEAN', `B'1'`, true),
    reading('bit varying', 'STRING', `B'1010'`, '1010'),
    reading('text', 'STRING', `E'a\\tb'`, 'a\tb'),
    reading('character(5)', 'STRING', `'ab'`, 'ab   '),
    reading('character varying(5)', 'STRING', `'ab '`, 'ab '),
    reading('text COLLATE "C"', 'STRING', `'é'`, 'é'),
    reading('uuid', 'STRING', `'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'`, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
    reading('bytea', 'BYTES', String.raw`'\x0001ff'`, 'AAH/'),
    reading('date', 'LOCAL_DATE', `'2026-02-28'`, '2026-02-28'),
    reading('date', 'LOCAL_DATE', `'infinity'`),
    reading('date', 'LOCAL_DATE', `'10000-01-01'`),
    reading('timestamp', 'TIMESTAMP', `'2026-01-02 03:04:05.123456'`, '2026-01-02T03:04:05.123456Z'),
    reading('timestamptz', 'TIMESTAMP', `'2026-01-02 03:04:05+02'`, '2026-01-02T01:04:05Z'),
    reading('timestamptz', 'TIMESTAMP', `'infinity'`),
    reading('timestamp', 'TIMESTAMP', `'0044-03-15 00:00:00 BC'`),
    reading('time', 'STRING', `'03:04:05.5'`, '03:04:05.5'),
    reading('interval', 'STRING', `'1 day 2 hours'`, '1 day 02:00:00'),
    reading('json', 'JSON', `'{"a": [1, 9223372036854775807]}'`, { a: [1, 9223372036854775807n] }),
    reading('jsonb', 'JSON', `'{"a": 1e400}'`),
    reading('jsonb', 'JSON', `'{"a": [18446744073709551615]}'`),
    reading('jsonb', 'JSON', `'{"a": {"b": 0.12345678901234567890}}'`),
    reading('jsonb', 'JSON', `'null'`, null),
    reading('integer[]', 'STRING', `'{1,2}'`, '{1,2}'),
    reading('integer[]', 'JSON', `'{1,2}'`),
    reading('int4range', 'STRING', `'[1,3)'`, '[1,3)'),
    reading('inet', 'STRING', `'192.0.2.1/24'`, '192.0.2.1/24'),
    reading('point', 'STRING', `'(1,2)'`, '(1,2)'),
    reading('xml', 'STRING', `'<a/>'`, '<a/>'),
    reading('tsvector', 'STRING', `'a b'`, `'a' 'b'`),
  ],
  MariaDB: [
    reading('tinyint', 'INTEGER', '-128', -128),
    reading('boolean', 'BOOLEAN', 'true', true),
    reading('int unsigned', 'LONG', '4294967295', 4294967295),
    reading('int(6) zerofill', 'LONG', '42', 42),
    reading('bigint', 'LONG', '9223372036854775807', 9223372036854775807n),
    reading('bigint unsigned', 'LONG', '18446744073709551615'),
    reading('bigint unsigned', 'DECIMAL', '18446744073709551615'),
    reading('bigint unsigned', 'STRING', '18446744073709551615', '18446744073709551615'),
    reading('decimal(12, 2)', 'DECIMAL', '8.90', 8.9),
    reading('decimal(40, 20)', 'DECIMAL', '0.12345678901234567890'),
    reading('decimal(40, 20)', 'STRING', '0.12345678901234567890', '0.12345678901234567890'),
    reading('float', 'DOUBLE', '16777216', 16777216),
    reading('float', 'DOUBLE', '0.1', 0.1),
    reading('float', 'STRING', '123456.79', '123456.79'),
    reading('float', 'DOUBLE', '3.4028235e38', 3.4028235e38),
    reading('double', 'DOUBLE', '0.30000000000000004', 0.30000000000000004),
    reading('double', 'DOUBLE', '1e300', 1e300),
    reading('double', 'DOUBLE', '1152921504606846976', 1152921504606846976n),
    reading('bit(1)', 'BOOLEAN', `b'1'`, true),
    reading('bit(10)', 'BYTES', `b'1000000001'`, 'AgE='),
    reading('bit(10)', 'LONG', `b'1000000001'`),
    reading('char(5)', 'STRING', `'ab '`, 'ab'),
    reading('varchar(5)', 'STRING', `'ab '`, 'ab '),
    reading('varchar(9) CHARACTER SET latin1', 'STRING', `'é'`, 'é'),
    reading('varchar(9) COLLATE utf8mb4_bin', 'STRING', `'名'`, '名'),
    reading('longtext', 'STRING', `'text'`, 'text'),
    reading('longtext', 'STRING', `concat('a', char(0), 'b')`, 'a\u0000b'),
    reading(`enum('a', 'b')`, 'STRING', `'b'`, 'b'),
    reading(`set('a', 'b')`, 'STRING', `'a,b'`, 'a,b'),
    reading('uuid', 'STRING', `'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'`, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
    reading('inet6', 'STRING', `'2001:db8::1'`, '2001:db8::1'),
    reading('binary(3)', 'BYTES', `x'0001ff'`, 'AAH/'),
    reading('varbinary(9)', 'STRING', `x'0001ff'`, 'AAH/'),
    reading('longblob', 'BYTES', `x'00'`, 'AA=='),
    reading('date', 'LOCAL_DATE', `'2026-02-28'`, '2026-02-28'),
    reading('date', 'LOCAL_DATE', `'0000-00-00'`),
    reading('date', 'LOCAL_DATE', `'2026-00-10'`),
    reading('datetime(6)', 'TIMESTAMP', `'2026-01-02 03:04:05.123456'`, '2026-01-02T03:04:05.123456Z'),
    reading('datetime', 'TIMESTAMP', `'0000-00-00 00:00:00'`),
    reading('timestamp(6) NULL', 'TIMESTAMP', `'2026-01-02 03:04:05.5'`, '2026-01-02T03:04:05.5Z'),
    reading('time', 'STRING', `'-12:34:56'`, '-12:34:56'),
    reading('year', 'INTEGER', '2026', 2026),
    reading('json', 'JSON', `'{"a": 9223372036854775807}'`, { a: 9223372036854775807n }),
    reading('json', 'JSON', `'[1e400]'`),
    reading('json', 'JSON', `'{"a": 18446744073709551615}'`),
    reading('point', 'BYTES', "ST_GeomFromText('POINT(0 0)')", 'AAAAAAEBAAAAAAAAAAAAAAAAAAAAAAAAAA=='),
  ],
  SQLite: [
    reading('INTEGER', 'LONG', '9223372036854775807', 9223372036854775807n),
    reading('INTEGER', 'BOOLEAN', '1', true),
    reading('INTEGER', 'BOOLEAN', '2'),
    reading('INTEGER', 'LONG', `'text'`),
    reading('NUMERIC', 'DECIMAL', '8.90', 8.9),
    reading('REAL', 'DOUBLE', '0.30000000000000004', 0.30000000000000004),
    reading('REAL', 'DOUBLE', '1152921504606846976', 1152921504606846976n),
    reading('REAL', 'DOUBLE', '9e999'),
    reading('REAL', 'LONG', '1e300'),
    reading('TEXT', 'DECIMAL', `'12345678901234567890.5'`),
    reading('TEXT', 'DECIMAL', `'0x10'`),
    reading('TEXT', 'STRING', `'0.12345678901234567890'`, '0.12345678901234567890'),
    reading('TEXT', 'STRING', `x'0001ff'`, 'AAH/'),
    reading('TEXT', 'DOUBLE', `x'0001ff'`),
    reading('TEXT COLLATE NOCASE', 'STRING', `'aB'`, 'aB'),
    reading('TEXT', 'STRING', `replace('a-b', '-', char(0))`, 'a\u0000b'),
    reading('BLOB', 'BYTES', `x'0001ff'`, 'AAH/'),
    reading('BLOB', 'BYTES', `'text'`),
    reading('TEXT', 'LOCAL_DATE', `'2026-02-28'`, '2026-02-28'),
    reading('TEXT', 'LOCAL_DATE', `'2026-02-30'`),
    reading('TEXT', 'TIMESTAMP', `'2026-01-02 03:04:05.123456'`, '2026-01-02T03:04:05.123456Z'),
    reading('TEXT', 'TIMESTAMP', `'2026-01-02T03:04:05+02:00'`, '2026-01-02T01:04:05Z'),
    reading('INTEGER', 'TIMESTAMP', '1767225600'),
    reading('TEXT', 'JSON', `'{"a": [1, 9223372036854775807]}'`, { a: [1, 9223372036854775807n] }),
    reading('TEXT', 'JSON', `'[1e400]'`),
    reading('TEXT', 'JSON', `'{'`),
  ],
};

/** Whether tables of a form can be read, by TIMESTAMP and by LOG. The definition creates the table `form`. */
export interface TableForm {
  readonly form: string;
  readonly ddl: readonly string[];
  readonly log: 'LOG' | 'TIMESTAMP instead';
}

const columns = 'id int PRIMARY KEY, v varchar(20)';
const pgColumns = `${columns}, changed timestamptz DEFAULT now()`;
const mysqlColumns = `${columns}, changed datetime(6) DEFAULT utc_timestamp(6)`;
const plainRow = `INSERT INTO form (id, v) VALUES (1, 'a')`;

const form = (name: string, log: TableForm['log'], ...ddl: readonly string[]): TableForm => ({ form: name, ddl, log });

export const tableForms: Readonly<Record<'PostgreSQL' | 'MariaDB', readonly TableForm[]>> = {
  PostgreSQL: [
    form('plain table', 'LOG', `CREATE TABLE form (${pgColumns})`, plainRow),
    form(
      'table with REPLICA IDENTITY FULL and no key',
      'LOG',
      `CREATE TABLE form (${pgColumns.replace(' PRIMARY KEY', '')})`,
      'ALTER TABLE form REPLICA IDENTITY FULL',
      plainRow,
    ),
    form(
      'table without a primary key',
      'TIMESTAMP instead',
      `CREATE TABLE form (${pgColumns.replace(' PRIMARY KEY', '')})`,
      plainRow,
    ),
    form('unlogged table', 'TIMESTAMP instead', `CREATE UNLOGGED TABLE form (${pgColumns})`, plainRow),
    form(
      'table from which others inherit',
      'TIMESTAMP instead',
      `CREATE TABLE form (${pgColumns})`,
      'CREATE TABLE child () INHERITS (form)',
      `INSERT INTO child (id, v) VALUES (1, 'a')`,
    ),
    form(
      'table that inherits from another one',
      'LOG',
      `CREATE TABLE parent (${pgColumns})`,
      'CREATE TABLE form (PRIMARY KEY (id)) INHERITS (parent)',
      plainRow,
    ),
    form(
      'partitioned table',
      'TIMESTAMP instead',
      `CREATE TABLE form (${pgColumns}) PARTITION BY HASH (id)`,
      'CREATE TABLE part PARTITION OF form FOR VALUES WITH (MODULUS 1, REMAINDER 0)',
      plainRow,
    ),
    form(
      'partition',
      'LOG',
      `CREATE TABLE whole (${pgColumns}) PARTITION BY HASH (id)`,
      'CREATE TABLE form PARTITION OF whole FOR VALUES WITH (MODULUS 1, REMAINDER 0)',
      plainRow,
    ),
    form(
      'view',
      'TIMESTAMP instead',
      `CREATE TABLE base (${pgColumns})`,
      'CREATE VIEW form AS SELECT * FROM base',
      plainRow,
    ),
    form(
      'table with a trigger that changes the row',
      'LOG',
      `CREATE TABLE form (${pgColumns})`,
      `CREATE FUNCTION set_v() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.v := 'a'; RETURN NEW; END $$`,
      'CREATE TRIGGER t BEFORE INSERT ON form FOR EACH ROW EXECUTE FUNCTION set_v()',
      `INSERT INTO form (id, v) VALUES (1, 'x')`,
    ),
    form(
      'table with a generated column',
      'LOG',
      `CREATE TABLE form (id int PRIMARY KEY, v varchar(20) GENERATED ALWAYS AS ('a') STORED, changed timestamptz DEFAULT now())`,
      'INSERT INTO form (id) VALUES (1)',
    ),
  ],
  MariaDB: [
    form('plain table', 'LOG', `CREATE TABLE form (${mysqlColumns})`, plainRow),
    form(
      'partitioned table',
      'LOG',
      `CREATE TABLE form (${mysqlColumns}) PARTITION BY HASH (id) PARTITIONS 2`,
      plainRow,
    ),
    form(
      'table with system versioning',
      'TIMESTAMP instead',
      `CREATE TABLE form (${mysqlColumns}) WITH SYSTEM VERSIONING`,
      plainRow,
    ),
    form(
      'view',
      'TIMESTAMP instead',
      `CREATE TABLE base (${mysqlColumns})`,
      'CREATE VIEW form AS SELECT * FROM base',
      plainRow,
    ),
    form('table of another engine (Aria)', 'LOG', `CREATE TABLE form (${mysqlColumns}) ENGINE = Aria`, plainRow),
    form(
      'table with a foreign key that cascades',
      'TIMESTAMP instead',
      'CREATE TABLE other (id int PRIMARY KEY)',
      'INSERT INTO other VALUES (1)',
      `CREATE TABLE form (${mysqlColumns}, FOREIGN KEY (id) REFERENCES other (id) ON DELETE CASCADE)`,
      plainRow,
    ),
    form(
      'table with a trigger that changes the row',
      'LOG',
      `CREATE TABLE form (${mysqlColumns})`,
      `CREATE TRIGGER t BEFORE INSERT ON form FOR EACH ROW SET NEW.v = 'a'`,
      `INSERT INTO form (id, v) VALUES (1, 'x')`,
    ),
    form(
      'table with a generated column',
      'LOG',
      `CREATE TABLE form (id int PRIMARY KEY, v varchar(20) AS ('a') STORED, changed datetime(6) DEFAULT utc_timestamp(6))`,
      'INSERT INTO form (id) VALUES (1)',
    ),
  ],
};
