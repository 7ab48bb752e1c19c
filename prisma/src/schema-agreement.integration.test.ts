import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from './testing.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const prismaProgram = createRequire(import.meta.url).resolve('prisma/build/index.js');

interface Difference {
  /** 0: no difference, 1: error, 2: differences. */
  readonly code: number;
  /** Statements that would change the database to match the schema. */
  readonly script: string;
}

/**
 * The differences that `prisma migrate diff` finds between the schema and a database with this package's migrations.
 */
const difference = (url: string): Promise<Difference> =>
  new Promise((resolve) => {
    const options = ['--from-config-datasource', '--to-schema', 'schema', '--script', '--exit-code'];
    const child = execFile(
      process.execPath,
      [prismaProgram, 'migrate', 'diff', ...options],
      { cwd: folder, env: { ...process.env, FDS_DATABASE_URL: url } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? 1, script: stdout.trim() || stderr }),
    );
  });

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

describe('migrations and schema', () => {
  it('agree', async () => {
    expect(await difference(database.url)).toEqual({ code: 0, script: '-- This is an empty migration.' });
  });

  it('are found to differ in a column, an index and a default', async () => {
    await database.pool.query(`
      ALTER TABLE person DROP COLUMN username;
      DROP INDEX zone_parent_zone_uuid_idx;
      ALTER TABLE adaptor_channel ALTER COLUMN down_base DROP DEFAULT`);
    const { code, script } = await difference(database.url);
    expect(code).toBe(2);
    expect(script).toContain('ADD COLUMN     "username"');
    expect(script).toContain('CREATE INDEX "zone_parent_zone_uuid_idx"');
    expect(script).toContain('"down_base" SET DEFAULT 0');
  });

  it('contain objects that the schema language cannot express', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
       UNION SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%lower(%' OR indexdef LIKE '% WHERE %' ORDER BY name`,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      'change_log_actor_idx',
      'change_log_catalog_idx',
      'change_log_redaction_idx',
      'change_log_resources_idx',
      'change_log_zone_idx',
      'data_event_overrides_idx',
      'data_event_request_id_idx',
      'data_issue_adaptor_listed_idx',
      'data_issue_adaptor_status_listed_idx',
      'data_issue_row_digest_idx',
      'data_issue_transaction_idx',
      'data_issue_version_listed_idx',
      'data_issue_waiting_idx',
      'data_issue_zone_listed_idx',
      'data_issue_zone_status_listed_idx',
      'data_record_count_added',
      'data_record_count_moved',
      'data_record_count_removed',
      'data_record_forget_federated_target',
      'domain_version_empty_match_index',
      'reconciliation_difference_values_idx',
      'reconciliation_running_key',
      'record_link_count_added',
      'record_link_count_removed',
      'zone_sibling_name_key',
    ]);
  });
});
