import { between, held, type Refusal, type RefusalsOf } from './refusal-forms.js';

export const plainMariadb = (
  table: string,
  { id = 'varchar(40)', v = 'varchar(100)', n = 'bigint', more = ', PRIMARY KEY (id)' } = {},
): string =>
  `CREATE TABLE ${table} (id ${id}, v ${v}, n ${n}, changed datetime(6) NOT NULL DEFAULT utc_timestamp(6)${more})`;

const byTrigger = (table: string, when: string, body: string): NonNullable<Refusal['begin']> =>
  between(
    [`CREATE TRIGGER of_${table} ${when} ON ${table} FOR EACH ROW BEGIN ${body} END`],
    [`DROP TRIGGER of_${table}`],
  );
const ifBad = (work: string): string => `IF NEW.v = 'bad' THEN ${work} END IF;`;
const signal = (state: string, text: string): string => `SIGNAL SQLSTATE '${state}' SET MESSAGE_TEXT = '${text}';`;
const changedColumn = (table: string, to: string, back: string): NonNullable<Refusal['begin']> =>
  between([`ALTER TABLE ${table} MODIFY ${to}`], [`ALTER TABLE ${table} MODIFY ${back}`]);
const right = (table: string, action: string, account: string): NonNullable<Refusal['begin']> =>
  between([`REVOKE ${action} ON walk.${table} FROM ${account}`], [`GRANT ${action} ON walk.${table} TO ${account}`]);

/** @param account of the adaptor */
export const mariadbRefusals = (account: string): RefusalsOf => ({
  not_null: {
    begin: changedColumn('not_null', 'v varchar(100) NOT NULL', 'v varchar(100)'),
    answer: 'DATA',
    says: /v must not be empty/,
    row: { v: null, n: 3 },
  },
  not_null_update: {
    begin: changedColumn('not_null_update', 'v varchar(100) NOT NULL', 'v varchar(100)'),
    answer: 'DATA',
    says: /v must not be empty/,
  },
  violated_check: {
    begin: between(
      [`ALTER TABLE violated_check ADD CONSTRAINT good CHECK (v <> 'bad')`],
      ['ALTER TABLE violated_check DROP CONSTRAINT good'],
    ),
    answer: 'DATA',
    says: /a rule of the table is not met/,
  },
  foreign_key: {
    table: [
      'CREATE TABLE parent (k varchar(100) PRIMARY KEY)',
      `INSERT INTO parent VALUES ('taken'), ('fine')`,
      plainMariadb('foreign_key', { more: ', PRIMARY KEY (id), FOREIGN KEY (v) REFERENCES parent (k)' }),
    ],
    end: [`INSERT INTO parent VALUES ('absent')`],
    answer: 'DATA',
    says: /refers to does not exist/,
  },
  foreign_key_of_another: {
    begin: between(
      [
        'CREATE TABLE child (k varchar(40), FOREIGN KEY (k) REFERENCES foreign_key_of_another (id))',
        `INSERT INTO child VALUES ('first')`,
      ],
      ['DELETE FROM child'],
    ),
    answer: 'DATA',
    says: /another row refers to it/,
  },
  unique_value: {
    begin: between(['CREATE UNIQUE INDEX one_v ON unique_value (v)'], ['DROP INDEX one_v ON unique_value']),
    answer: 'DATA',
    says: /another row already has this value of/,
  },
  too_long: {
    begin: changedColumn('too_long', 'v varchar(10)', 'v varchar(100)'),
    answer: 'DATA',
    says: /the text of v is too long/,
  },
  out_of_range: {
    begin: changedColumn('out_of_range', 'n smallint', 'n bigint'),
    answer: 'DATA',
    says: /the number of n is out of range/,
  },
  unlisted: {
    table: [plainMariadb('unlisted', { v: `ENUM ('taken', 'fine')` })],
    end: ['ALTER TABLE unlisted MODIFY v varchar(100)'],
    answer: 'DATA',
    says: /v cannot hold the value/,
  },
  unlisted_of_set: {
    table: [plainMariadb('unlisted_of_set', { v: `SET ('taken', 'fine')` })],
    end: ['ALTER TABLE unlisted_of_set MODIFY v varchar(100)'],
    answer: 'DATA',
    says: /v cannot hold the value/,
  },
  raised: {
    begin: byTrigger('raised', 'BEFORE INSERT', ifBad(signal('45000', 'business rule 17'))),
    answer: 'DATA',
    says: /business rule 17$/,
  },
  raised_update: {
    begin: byTrigger('raised_update', 'BEFORE UPDATE', ifBad(signal('45000', 'business rule 17'))),
    answer: 'DATA',
    says: /business rule 17$/,
  },
  raised_delete: {
    begin: byTrigger('raised_delete', 'BEFORE DELETE', signal('45000', 'business rule 17')),
    answer: 'DATA',
    says: /business rule 17$/,
  },
  raised_own: {
    begin: byTrigger('raised_own', 'BEFORE INSERT', ifBad(signal('AB123', 'business rule 18'))),
    answer: 'DATA',
    says: /business rule 18$/,
  },
  set_back: {
    begin: byTrigger('set_back', 'BEFORE UPDATE', ifBad('SET NEW.v = OLD.v;')),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  view_check: {
    table: [
      plainMariadb('base_view_check'),
      `CREATE VIEW view_check AS SELECT * FROM base_view_check WHERE v <> 'bad' WITH CHECK OPTION`,
    ],
    end: ['CREATE OR REPLACE VIEW view_check AS SELECT * FROM base_view_check'],
    answer: 'DATA',
    says: /the view does not show such a row/,
  },
  other_key: {
    begin: byTrigger('other_key', 'BEFORE INSERT', ifBad(`SET NEW.id = concat(NEW.id, '-2');`)),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  other_key_update: {
    begin: byTrigger('other_key_update', 'BEFORE UPDATE', ifBad(`SET NEW.id = concat(NEW.id, '-2');`)),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  lost_connection: {
    begin: byTrigger('lost_connection', 'BEFORE INSERT', ifBad('KILL CONNECTION_ID();')),
    answer: 'WAITS',
  },
  full_disk: {
    // the smallest table in memory takes few rows, and rows from before 1970 are not scanned
    table: [
      'SET SESSION max_heap_table_size = 131072',
      `${plainMariadb('full_disk', { v: 'varchar(2000)' })} ENGINE = MEMORY`,
    ],
    begin: async (database) => {
      const filler = (n: number): string =>
        `INSERT INTO full_disk (id, n, changed) VALUES ('filler ${n}', ${n}, '1960-01-01')`;
      for (let n = 0; ; n += 1) {
        const failed = await database.run(filler(n)).then(
          () => false,
          () => true,
        );
        if (failed) break;
      }
      return () => database.run(`DELETE FROM full_disk WHERE id LIKE 'filler %'`);
    },
    answer: 'WAITS',
    says: /is full/,
  },
  computed: {
    table: [plainMariadb('computed', { v: `varchar(100) AS (concat(id, 'x')) STORED` })],
    end: ['ALTER TABLE computed MODIFY v varchar(100)'],
    answer: 'DATA',
    says: /the database computes v itself/,
  },
  no_partition: {
    table: [
      plainMariadb('no_partition', {
        more: `, PRIMARY KEY (id, v)) PARTITION BY LIST COLUMNS (v) (PARTITION p VALUES IN ('taken', 'fine')`,
      }),
    ],
    end: [`ALTER TABLE no_partition ADD PARTITION (PARTITION q VALUES IN ('bad'))`],
    answer: 'DATA',
    says: /no partition of the table takes it/,
  },
  coarse_key: {
    table: [plainMariadb('coarse_key', { id: 'varchar(40) COLLATE utf8mb4_general_ci' })],
    end: ['ALTER TABLE coarse_key MODIFY id varchar(40) COLLATE utf8mb4_bin'],
    answer: 'DATA',
    says: /meets another row of the table: .*first/,
  },
  no_insert: { begin: right('no_insert', 'INSERT', account), answer: 'CONFIGURATION', says: /denied/ },
  no_update: { begin: right('no_update', 'UPDATE', account), answer: 'CONFIGURATION', says: /denied/ },
  no_delete: { begin: right('no_delete', 'DELETE', account), answer: 'CONFIGURATION', says: /denied/ },
  no_update_of_column: {
    begin: between(
      [
        `REVOKE UPDATE ON walk.no_update_of_column FROM ${account}`,
        `GRANT UPDATE (n, changed) ON walk.no_update_of_column TO ${account}`,
      ],
      [`GRANT UPDATE ON walk.no_update_of_column TO ${account}`],
    ),
    answer: 'CONFIGURATION',
    says: /denied/,
  },
  dropped_column: {
    begin: between(['ALTER TABLE dropped_column DROP v'], ['ALTER TABLE dropped_column ADD v varchar(100)']),
    answer: 'CONFIGURATION',
    says: /Unknown column/,
    hidden: true,
  },
  dropped_table: {
    begin: between(
      ['DROP TABLE dropped_table'],
      [plainMariadb('dropped_table'), `GRANT SELECT, INSERT, UPDATE, DELETE ON walk.dropped_table TO ${account}`],
    ),
    answer: 'CONFIGURATION',
    says: /doesn't exist/,
    hidden: true,
  },
  locked_table: { begin: held('BEGIN', 'SELECT 1 FROM locked_table FOR UPDATE'), answer: 'WAITS' },
  locked_row: { begin: held('BEGIN', `SELECT 1 FROM locked_row WHERE id = 'first' FOR UPDATE`), answer: 'WAITS' },
  slow_statement: {
    begin: byTrigger(
      'slow_statement',
      'BEFORE INSERT',
      ifBad(`SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO = 1969, MESSAGE_TEXT = 'max_statement_time exceeded';`),
    ),
    answer: 'WAITS',
  },
});
