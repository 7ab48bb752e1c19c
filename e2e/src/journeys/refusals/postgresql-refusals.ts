import { between, held, type Refusal, type RefusalsOf } from './refusal-forms.js';
import type { WalkedDatabase } from './walked-databases.js';

export const plainPostgresql = (table: string, { v = 'text', n = 'bigint', more = '' } = {}): string =>
  `CREATE TABLE ${table} (id text PRIMARY KEY, v ${v}, n ${n}, changed timestamptz NOT NULL DEFAULT clock_timestamp()${more})`;

const notTaken = /did not take over the record/;

/** A trigger for each row, with the body of its function. */
const trigger = (table: string, when: string, body: string): readonly string[] => [
  `CREATE FUNCTION of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`,
  `CREATE TRIGGER refuse ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION of_${table}()`,
];
const byTrigger = (table: string, when: string, body: string): NonNullable<Refusal['begin']> =>
  between(trigger(table, when, body), [`DROP TRIGGER refuse ON ${table}`]);
const ifBad = (work: string, otherwise = 'RETURN NEW;'): string => `IF NEW.v = 'bad' THEN ${work} END IF; ${otherwise}`;

const idleWork = {
  INSERT: (table: string) =>
    `IF NEW.v <> 'bad' THEN INSERT INTO base_${table} VALUES (NEW.id, NEW.v, NEW.n, NEW.changed); END IF; RETURN NEW;`,
  UPDATE: () => 'RETURN NEW;',
  DELETE: () => 'RETURN OLD;',
} as const;

/** A view on a table, whose trigger does nothing for one action. */
const idleView = (table: string, idle: 'INSERT' | 'UPDATE' | 'DELETE'): Refusal => ({
  table: [
    plainPostgresql(`base_${table}`),
    `CREATE VIEW ${table} AS SELECT * FROM base_${table}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON base_${table} TO PUBLIC`,
  ],
  begin: byTrigger(table, `INSTEAD OF ${idle}`, idleWork[idle](table)),
  answer: 'DATA',
  says: notTaken,
});
const policies = (table: string, ...of: readonly string[]): NonNullable<Refusal['begin']> =>
  between(
    [
      ...of.map((policy, index) => `CREATE POLICY p${index} ON ${table} ${policy}`),
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    ],
    [`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`],
  );

const raises = (table: string, action: 'INSERT' | 'UPDATE' | 'DELETE'): Refusal => {
  const rule = `RAISE EXCEPTION 'business rule 17';`;
  const begin = byTrigger(table, `BEFORE ${action}`, action === 'DELETE' ? rule : ifBad(rule));
  return { begin, answer: 'DATA', says: /: business rule 17$/ };
};
const ignores = (table: string, action: 'INSERT' | 'UPDATE' | 'DELETE'): Refusal => {
  const nothing = 'RETURN NULL;';
  const begin = byTrigger(table, `BEFORE ${action}`, action === 'DELETE' ? nothing : ifBad(nothing));
  return { begin, answer: 'DATA', says: notTaken };
};

/** A table on a disk that is full. A row from before 1970, which is not scanned, leaves no room in its first page. */
const fullDisk = ({ name, fill }: NonNullable<WalkedDatabase['small']>): RefusalsOf => ({
  full_disk: {
    table: [
      `${plainPostgresql('full_disk')} TABLESPACE ${name}`,
      'ALTER TABLE full_disk ALTER v SET STORAGE PLAIN',
      `INSERT INTO full_disk VALUES ('filler', repeat('f', 6500), 0, '1960-01-01')`,
    ],
    begin: async () => {
      const end = fill();
      return async () => end();
    },
    answer: 'WAITS',
    says: /No space left|could not extend/,
  },
});

/** @param account of the adaptor. @param small a tablespace on a small disk */
export const postgresqlRefusals = (account: string, small: WalkedDatabase['small']): RefusalsOf => ({
  ...(small === undefined ? {} : fullDisk(small)),
  other_key: {
    begin: byTrigger('other_key', 'BEFORE INSERT', ifBad(`NEW.id := NEW.id || '-2';`)),
    answer: 'DATA',
    says: notTaken,
  },
  other_key_update: {
    begin: byTrigger('other_key_update', 'BEFORE UPDATE', ifBad(`NEW.id := NEW.id || '-2';`)),
    answer: 'DATA',
    says: notTaken,
  },
  not_null: {
    begin: between(['ALTER TABLE not_null ALTER v SET NOT NULL'], ['ALTER TABLE not_null ALTER v DROP NOT NULL']),
    answer: 'DATA',
    says: /v must not be empty/,
    row: { v: null, n: 3 },
  },
  not_null_update: {
    begin: between(
      ['ALTER TABLE not_null_update ALTER v SET NOT NULL'],
      ['ALTER TABLE not_null_update ALTER v DROP NOT NULL'],
    ),
    answer: 'DATA',
    says: /v must not be empty/,
  },
  violated_check: {
    begin: between(
      [`ALTER TABLE violated_check ADD CONSTRAINT good CHECK (v <> 'bad')`],
      ['ALTER TABLE violated_check DROP CONSTRAINT good'],
    ),
    answer: 'DATA',
    says: /a rule of the table is not met: good/,
  },
  foreign_key: {
    table: [
      'CREATE TABLE parent (k text PRIMARY KEY)',
      `INSERT INTO parent VALUES ('taken'), ('fine')`,
      plainPostgresql('foreign_key', { v: 'text REFERENCES parent' }),
    ],
    end: [`INSERT INTO parent VALUES ('absent')`],
    answer: 'DATA',
    says: /v refers to does not exist/,
  },
  foreign_key_at_commit: {
    table: [
      'CREATE TABLE parent_at_commit (k text PRIMARY KEY)',
      `INSERT INTO parent_at_commit VALUES ('taken'), ('fine')`,
      plainPostgresql('foreign_key_at_commit', { v: 'text REFERENCES parent_at_commit DEFERRABLE INITIALLY DEFERRED' }),
    ],
    end: [`INSERT INTO parent_at_commit VALUES ('absent')`],
    answer: 'DATA',
    says: /v refers to does not exist/,
  },
  foreign_key_of_another: {
    begin: between(
      [`CREATE TABLE child (k text REFERENCES foreign_key_of_another)`, `INSERT INTO child VALUES ('first')`],
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
  exclusion: {
    begin: between(
      ['ALTER TABLE exclusion ADD CONSTRAINT apart EXCLUDE (v WITH =)'],
      ['ALTER TABLE exclusion DROP CONSTRAINT apart'],
    ),
    answer: 'DATA',
    says: /conflicts with another row/,
  },
  too_long: {
    begin: between(['ALTER TABLE too_long ALTER v TYPE varchar(10)'], ['ALTER TABLE too_long ALTER v TYPE text']),
    answer: 'DATA',
    says: /too long/,
  },
  out_of_range: {
    begin: between(
      ['ALTER TABLE out_of_range ALTER n TYPE smallint'],
      ['ALTER TABLE out_of_range ALTER n TYPE bigint'],
    ),
    answer: 'DATA',
    says: /out of range/,
  },
  unlisted: {
    table: [`CREATE TYPE listed AS ENUM ('taken', 'fine')`, plainPostgresql('unlisted', { v: 'listed' })],
    end: [`ALTER TYPE listed ADD VALUE 'bad'`],
    answer: 'DATA',
    says: /v cannot hold the value|cannot hold the value/,
  },
  raised: raises('raised', 'INSERT'),
  raised_update: raises('raised_update', 'UPDATE'),
  raised_delete: raises('raised_delete', 'DELETE'),
  raised_own: {
    begin: byTrigger(
      'raised_own',
      'BEFORE INSERT',
      ifBad(`RAISE EXCEPTION 'business rule 18' USING ERRCODE = 'AB123';`),
    ),
    answer: 'DATA',
    says: /: business rule 18$/,
  },
  ignored: ignores('ignored', 'INSERT'),
  ignored_update: ignores('ignored_update', 'UPDATE'),
  ignored_delete: ignores('ignored_delete', 'DELETE'),
  set_back: {
    begin: byTrigger('set_back', 'BEFORE UPDATE', ifBad('NEW.v := OLD.v;')),
    answer: 'DATA',
    says: notTaken,
  },
  removed_again: {
    begin: byTrigger('removed_again', 'AFTER INSERT', ifBad('DELETE FROM removed_again WHERE id = NEW.id;')),
    answer: 'DATA',
    says: notTaken,
  },
  idle_view: idleView('idle_view', 'INSERT'),
  idle_view_update: idleView('idle_view_update', 'UPDATE'),
  idle_view_delete: idleView('idle_view_delete', 'DELETE'),
  idle_rule: {
    begin: between(
      [`CREATE RULE idle AS ON INSERT TO idle_rule WHERE NEW.v = 'bad' DO INSTEAD NOTHING`],
      ['DROP RULE idle ON idle_rule'],
    ),
    answer: 'CONFIGURATION',
    says: /idle_rule/,
  },
  idle_rule_update: {
    begin: between(
      [`CREATE RULE idle AS ON UPDATE TO idle_rule_update WHERE NEW.v = 'bad' DO INSTEAD NOTHING`],
      ['DROP RULE idle ON idle_rule_update'],
    ),
    answer: 'DATA',
    says: notTaken,
  },
  view_check: {
    table: [
      plainPostgresql('base_view_check'),
      `CREATE VIEW view_check AS SELECT * FROM base_view_check WHERE v <> 'bad' WITH CHECK OPTION`,
    ],
    end: ['CREATE OR REPLACE VIEW view_check AS SELECT * FROM base_view_check'],
    answer: 'DATA',
    says: /the view does not show such a row/,
  },
  policy: {
    begin: policies('policy', 'FOR SELECT USING (true)', `FOR INSERT WITH CHECK (v <> 'bad')`),
    answer: 'DATA',
    says: /row-level security/,
  },
  hidden_by_policy: {
    begin: policies('hidden_by_policy', `FOR SELECT USING (v <> 'bad')`, 'FOR INSERT WITH CHECK (true)'),
    answer: 'DATA',
    says: /row-level security|did not take over/,
  },
  policy_of_update: {
    begin: policies(
      'policy_of_update',
      'FOR SELECT USING (true)',
      `FOR INSERT WITH CHECK (true)`,
      `FOR UPDATE USING (id <> 'first')`,
    ),
    answer: 'DATA',
    says: notTaken,
  },
  policy_of_delete: {
    begin: policies(
      'policy_of_delete',
      'FOR SELECT USING (true)',
      `FOR INSERT WITH CHECK (true)`,
      'FOR UPDATE USING (true)',
      `FOR DELETE USING (id <> 'first')`,
    ),
    answer: 'DATA',
    says: notTaken,
  },
  computed: {
    table: [plainPostgresql('computed', { v: `text GENERATED ALWAYS AS (id || 'x') STORED` })],
    end: ['ALTER TABLE computed ALTER v DROP EXPRESSION'],
    answer: 'DATA',
    says: /the database computes v itself/,
  },
  no_partition: {
    table: [
      `CREATE TABLE no_partition (id text, v text, n bigint, changed timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (id, v)) PARTITION BY LIST (v)`,
      `CREATE TABLE no_partition_1 PARTITION OF no_partition FOR VALUES IN ('taken', 'fine')`,
    ],
    end: [`CREATE TABLE no_partition_2 PARTITION OF no_partition DEFAULT`],
    answer: 'DATA',
    says: /no partition of the table takes it/,
  },
  coarse_key: {
    table: ['CREATE EXTENSION IF NOT EXISTS citext', plainPostgresql('coarse_key').replace('id text', 'id citext')],
    end: ['ALTER TABLE coarse_key ALTER id TYPE text'],
    answer: 'DATA',
    says: /meets another row of the table: .*first/,
  },
  no_insert: {
    begin: between([`REVOKE INSERT ON no_insert FROM ${account}`], [`GRANT INSERT ON no_insert TO ${account}`]),
    answer: 'CONFIGURATION',
    says: /permission denied/,
  },
  no_update: {
    begin: between([`REVOKE UPDATE ON no_update FROM ${account}`], [`GRANT UPDATE ON no_update TO ${account}`]),
    answer: 'CONFIGURATION',
    says: /permission denied/,
  },
  no_delete: {
    begin: between([`REVOKE DELETE ON no_delete FROM ${account}`], [`GRANT DELETE ON no_delete TO ${account}`]),
    answer: 'CONFIGURATION',
    says: /permission denied/,
  },
  no_update_of_column: {
    begin: between(
      [
        `REVOKE UPDATE ON no_update_of_column FROM ${account}`,
        `GRANT UPDATE (n, changed) ON no_update_of_column TO ${account}`,
      ],
      [`GRANT UPDATE ON no_update_of_column TO ${account}`],
    ),
    answer: 'CONFIGURATION',
    says: /permission denied/,
  },
  dropped_column: {
    begin: between(['ALTER TABLE dropped_column DROP v'], ['ALTER TABLE dropped_column ADD v text']),
    answer: 'CONFIGURATION',
    says: /does not exist/,
    hidden: true,
  },
  dropped_table: {
    begin: between(
      ['DROP TABLE dropped_table'],
      [plainPostgresql('dropped_table'), `GRANT SELECT, INSERT, UPDATE, DELETE ON dropped_table TO ${account}`],
    ),
    answer: 'CONFIGURATION',
    says: /does not exist/,
    hidden: true,
  },
  locked_table: { begin: held('BEGIN', 'LOCK TABLE locked_table IN EXCLUSIVE MODE'), answer: 'WAITS' },
  locked_row: { begin: held('BEGIN', 'SELECT 1 FROM locked_row FOR UPDATE'), answer: 'WAITS' },
  slow_statement: {
    begin: byTrigger(
      'slow_statement',
      'BEFORE INSERT',
      ifBad('PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(1);'),
    ),
    answer: 'WAITS',
  },
  lost_connection: {
    begin: byTrigger('lost_connection', 'BEFORE INSERT', ifBad('PERFORM pg_terminate_backend(pg_backend_pid());')),
    answer: 'WAITS',
  },
});
