import { between, type Refusal, type RefusalsOf } from './refusal-forms.js';

export const plainSqlite = (table: string, { id = 'TEXT', v = 'TEXT', n = 'INTEGER' } = {}): string =>
  `CREATE TABLE ${table} (id ${id} PRIMARY KEY, v ${v}, n ${n}, changed TEXT)`;

const byTrigger = (table: string, when: string, body: string): NonNullable<Refusal['begin']> =>
  between([`CREATE TRIGGER of_${table} ${when} ON ${table} ${body}; END`], [`DROP TRIGGER of_${table}`]);
const bad = (work: string): string => `WHEN NEW.v = 'bad' BEGIN ${work}`;
const abort = `SELECT RAISE(ABORT, 'business rule 17')`;
/** SQLite changes a constraint by another table. */
const rebuilt = (table: string): readonly string[] => [
  `ALTER TABLE ${table} RENAME TO old_${table}`,
  plainSqlite(table),
  `INSERT INTO ${table} SELECT * FROM old_${table}`,
];

const idleView = (table: string, idle: 'INSERT' | 'UPDATE' | 'DELETE'): Refusal => {
  const works = {
    INSERT: `INSERT INTO base_${table} VALUES (NEW.id, NEW.v, NEW.n, NEW.changed)`,
    UPDATE: `UPDATE base_${table} SET v = NEW.v, n = NEW.n, changed = NEW.changed WHERE id = OLD.id`,
    DELETE: `DELETE FROM base_${table} WHERE id = OLD.id`,
  };
  const othersOnly = `INSERT INTO base_${table} SELECT NEW.id, NEW.v, NEW.n, NEW.changed WHERE NEW.v <> 'bad'`;
  const make = (action: keyof typeof works, work: string): string =>
    `CREATE TRIGGER ${table}_${action} INSTEAD OF ${action} ON ${table} BEGIN ${work}; END`;
  const drop = `DROP TRIGGER ${table}_${idle}`;
  return {
    table: [
      plainSqlite(`base_${table}`),
      `CREATE VIEW ${table} AS SELECT * FROM base_${table}`,
      ...(['INSERT', 'UPDATE', 'DELETE'] as const).map((action) => make(action, works[action])),
    ],
    begin: between([drop, make(idle, idle === 'INSERT' ? othersOnly : 'SELECT 1')], [drop, make(idle, works[idle])]),
    answer: 'DATA',
    says: /did not take over the record/,
  };
};

export const sqliteRefusals: RefusalsOf = {
  not_null: {
    table: [plainSqlite('not_null', { v: 'TEXT NOT NULL' })],
    end: rebuilt('not_null'),
    answer: 'DATA',
    says: /v must not be empty/,
    row: { v: null, n: 3 },
  },
  not_null_update: {
    table: [plainSqlite('not_null_update', { v: 'TEXT NOT NULL' })],
    end: rebuilt('not_null_update'),
    answer: 'DATA',
    says: /v must not be empty/,
  },
  violated_check: {
    table: [plainSqlite('violated_check', { v: `TEXT CHECK (v <> 'bad')` })],
    end: rebuilt('violated_check'),
    answer: 'DATA',
    says: /a rule of the table is not met/,
  },
  foreign_key: {
    table: [
      'CREATE TABLE parent (k TEXT PRIMARY KEY)',
      `INSERT INTO parent VALUES ('taken'), ('fine')`,
      plainSqlite('foreign_key', { v: 'TEXT REFERENCES parent' }),
    ],
    end: [`INSERT INTO parent VALUES ('absent')`],
    answer: 'DATA',
    says: /refers to does not exist/,
  },
  foreign_key_at_commit: {
    table: [
      'CREATE TABLE parent_at_commit (k TEXT PRIMARY KEY)',
      `INSERT INTO parent_at_commit VALUES ('taken'), ('fine')`,
      plainSqlite('foreign_key_at_commit', { v: 'TEXT REFERENCES parent_at_commit DEFERRABLE INITIALLY DEFERRED' }),
    ],
    end: [`INSERT INTO parent_at_commit VALUES ('absent')`],
    answer: 'DATA',
    says: /refers to does not exist/,
  },
  foreign_key_of_another: {
    begin: between(
      [`CREATE TABLE child (k TEXT REFERENCES foreign_key_of_another)`, `INSERT INTO child VALUES ('first')`],
      ['DELETE FROM child'],
    ),
    answer: 'DATA',
    says: /another row refers to it/,
  },
  unique_value: {
    begin: between(['CREATE UNIQUE INDEX one_v ON unique_value (v)'], ['DROP INDEX one_v']),
    answer: 'DATA',
    says: /another row already has this value of v/,
  },
  raised: { begin: byTrigger('raised', 'BEFORE INSERT', bad(abort)), answer: 'DATA', says: /business rule 17$/ },
  raised_update: {
    begin: byTrigger('raised_update', 'BEFORE UPDATE', bad(abort)),
    answer: 'DATA',
    says: /business rule 17$/,
  },
  raised_delete: {
    begin: byTrigger('raised_delete', 'BEFORE DELETE', `BEGIN ${abort}`),
    answer: 'DATA',
    says: /business rule 17$/,
  },
  ignored: {
    begin: byTrigger('ignored', 'BEFORE INSERT', bad('SELECT RAISE(IGNORE)')),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  ignored_update: {
    begin: byTrigger('ignored_update', 'BEFORE UPDATE', bad('SELECT RAISE(IGNORE)')),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  ignored_delete: {
    begin: byTrigger('ignored_delete', 'BEFORE DELETE', 'BEGIN SELECT RAISE(IGNORE)'),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  set_back: {
    begin: byTrigger('set_back', 'AFTER UPDATE', bad('UPDATE set_back SET v = OLD.v WHERE id = NEW.id')),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  removed_again: {
    begin: byTrigger('removed_again', 'AFTER INSERT', bad('DELETE FROM removed_again WHERE id = NEW.id')),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  idle_view: idleView('idle_view', 'INSERT'),
  idle_view_update: idleView('idle_view_update', 'UPDATE'),
  idle_view_delete: idleView('idle_view_delete', 'DELETE'),
  other_key: {
    begin: byTrigger('other_key', 'AFTER INSERT', bad(`UPDATE other_key SET id = NEW.id || '-2' WHERE id = NEW.id`)),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  other_key_update: {
    begin: byTrigger(
      'other_key_update',
      'AFTER UPDATE',
      bad(`UPDATE other_key_update SET id = NEW.id || '-2' WHERE id = NEW.id`),
    ),
    answer: 'DATA',
    says: /did not take over the record/,
  },
  computed: {
    table: [plainSqlite('computed', { v: `TEXT GENERATED ALWAYS AS (id || 'x') STORED` })],
    end: [
      'DROP TABLE computed',
      plainSqlite('computed'),
      `INSERT INTO computed VALUES ('first', 'firstx', 1, '2026-01-01 00:00:00'), ('other', 'otherx', 2, '2026-01-01 00:00:00')`,
    ],
    answer: 'DATA',
    says: /the database computes v itself/,
  },
  coarse_key: {
    table: [plainSqlite('coarse_key', { id: 'TEXT COLLATE NOCASE' })],
    end: rebuilt('coarse_key'),
    answer: 'DATA',
    says: /meets another row of the table: .*first/,
  },
  dropped_column: {
    begin: between(['ALTER TABLE dropped_column DROP v'], ['ALTER TABLE dropped_column ADD v TEXT']),
    answer: 'CONFIGURATION',
    says: /v/,
    hidden: true,
  },
  dropped_table: {
    begin: between(['DROP TABLE dropped_table'], [plainSqlite('dropped_table')]),
    answer: 'CONFIGURATION',
    says: /no such table/,
    hidden: true,
  },
};
