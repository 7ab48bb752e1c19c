import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { conformanceChecks, handlerChecks, runConformance } from '@fds/adaptor-sdk/testing';

const program = new URL('../bin/fds-database-adaptor.mjs', import.meta.url);
const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A campaign runs every check. Usually the checks are left out that only the SDK decides and that its tests run. */
const checks = process.env['FDS_TEST_CAMPAIGN'] === undefined ? handlerChecks : conformanceChecks.map(({ id }) => id);

/** The source database, in the folder of the check. */
const openSource = `import Database from 'libsql';
export const source = new Database('source.sqlite');
source.exec(\`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000;
  CREATE TABLE IF NOT EXISTS customer (id TEXT PRIMARY KEY, name TEXT, note TEXT, changed TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS refused (id TEXT PRIMARY KEY);
  CREATE TRIGGER IF NOT EXISTS no_insert BEFORE INSERT ON customer WHEN NEW.id IN (SELECT id FROM refused)
    BEGIN SELECT RAISE(ABORT, 'business rule 17'); END;
  CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON customer WHEN NEW.id IN (SELECT id FROM refused)
    BEGIN SELECT RAISE(ABORT, 'business rule 17'); END\`);
`;
const start = `import { source } from './open-source.mjs';
source.close();
process.argv[1] = ${JSON.stringify(fileURLToPath(program))};
await import(${JSON.stringify(program.href)});
`;
const change = `import { source } from './open-source.mjs';
const { RECORD_ID: id, RECORD_PROPERTY: column, RECORD_VALUE: value } = process.env;
source.prepare(\`INSERT INTO customer (id, "\${column}", changed) VALUES (?, ?, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  ON CONFLICT (id) DO UPDATE SET "\${column}" = excluded."\${column}", changed = excluded.changed\`).run(id, value);
source.close();
`;

const refuse = `import { source } from './open-source.mjs';
source.prepare('INSERT INTO refused VALUES (?)').run(process.env.RECORD_ID);
source.close();
`;
const away = `import Database from 'libsql';
const source = new Database('source.sqlite');
source.exec('PRAGMA busy_timeout = 10000; ALTER TABLE customer RENAME TO put_away');
source.close();
`;
const back = away.replace('customer RENAME TO put_away', 'put_away RENAME TO customer');

/** RECORD_FOLDER is an environment variable of the adaptor. */
const metadata = {
  databases: { crm: { type: 'JDBC', properties: { jdbcUrl: 'jdbc:sqlite:${RECORD_FOLDER}/source.sqlite' } } },
  tables: [
    {
      domain: 'customer',
      version: 1,
      dataSource: { name: 'crm', tableName: 'customer' },
      primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
      timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', precision: 'MILLISECONDS' },
      dataColumns: Object.fromEntries(
        ['id', 'name', 'note'].map((column) => [column, { source: column, columnType: 'STRING' }]),
      ),
      scanOptions: { scanIntervalMilliseconds: 100, enableDeletionScan: true },
    },
  ],
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-database-conformance-'));
  symlinkSync(nodeModules, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries({ 'open-source': openSource, start, change, refuse, away, back }))
    writeFileSync(join(folder, `${name}.mjs`), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('conforms to the contract of the bus', async () => {
  const command = (name: string): string => `${process.execPath} ${join(folder, `${name}.mjs`)}`;
  const results = await runConformance({
    command: command('start'),
    changeCommand: command('change'),
    refuseCommand: command('refuse'),
    awayCommand: command('away'),
    backCommand: command('back'),
    metadata,
    only: checks,
    concurrency: 4,
    patienceMs: 30_000,
  });
  // the comparison includes the reason of a failure, so that the test output shows it
  expect(results.filter(({ outcome }) => outcome !== 'PASSED')).toEqual([]);
  expect(results).toHaveLength(checks.length);
}, 240_000);
