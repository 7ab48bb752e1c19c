import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from './apply-migrations.js';
import { createEmptyDatabase, type EmptyDatabase } from './testing.js';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));

let database: EmptyDatabase;
let folder: string;
beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'fds-migrations-'));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Copies the migrations that come before the one of this name. */
const copyBefore = async (suffix: string): Promise<void> => {
  const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).sort();
  const end = names.findIndex((name) => name.endsWith(suffix));
  expect(end).toBeGreaterThan(0);
  for (const name of names.slice(0, end)) await cp(join(migrations, name), join(folder, name), { recursive: true });
};

describe('the migration that masks secrets of metadata in the change log', () => {
  it.each([
    [
      'Adaptor',
      '{"uuid":"a","metadata":{"n":9223372036854775807,"password":"x","db":{"Token":{"v":"x"},"user":"u"},"l":[{"a.clientSecret":"x"},[{"secret":1}]],"token":null,"tokens":"y"}}',
      '{"uuid":"a","metadata":{"n":9223372036854775807,"password":"***","db":{"Token":"***","user":"u"},"l":[{"a.clientSecret":"***"},[{"secret":"***"}]],"token":null,"tokens":"y"}}',
    ],
    [
      'AdaptorType',
      '{"defaultMetadata":{"secret":[1],"e":{},"f":[]}}',
      '{"defaultMetadata":{"secret":"***","e":{},"f":[]}}',
    ],
    ['Adaptor', '{"metadata":null,"token":"kept"}', '{"metadata":null,"token":"kept"}'],
    ['Domain', '{"metadata":{"password":"kept"}}', '{"metadata":{"password":"kept"}}'],
    ['Adaptor', String.raw`{"metadata":{"password":"a\u0000b"}}`, 'null'],
  ])('rewrites an entry of type %s with %s', async (type, before, after) => {
    await copyBefore('_adaptor_secrets');
    await applyMigrations(database.url, folder);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(
        "INSERT INTO change_log (action, resource_type, resource, data) VALUES ('POST', $1, '/x', $2)",
        [type, before],
      );
      await applyMigrations(database.url);
      const { rows } = await client.query<{ readonly same: boolean; readonly data: string }>(
        "SELECT data, COALESCE(data, 'null')::jsonb = $1::jsonb AS same FROM change_log",
        [after],
      );
      expect(rows).toEqual([expect.objectContaining({ same: true })]);
    } finally {
      await client.end();
    }
  });
});
