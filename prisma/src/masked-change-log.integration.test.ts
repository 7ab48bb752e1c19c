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

/** Copies the migrations before the migration with this name. */
const copyBefore = async (suffix: string): Promise<void> => {
  const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).sort();
  const end = names.findIndex((name) => name.endsWith(suffix));
  expect(end).toBeGreaterThan(0);
  for (const name of names.slice(0, end)) await cp(join(migrations, name), join(folder, name), { recursive: true });
};

const databaseType = '00000000-0000-4000-8000-00000000000d';

describe('the migration that masks passwords in addresses in the change log', () => {
  const masks = { databases: { a: { jdbcUrl: '***' }, b: [{ connectionString: '***' }] }, note: 'a@b' };
  it.each([
    [
      'a database adaptor',
      { adaptorTypeUuid: databaseType },
      { a: { jdbcUrl: 'jdbc:mysql://db/x?user=u&password=p' }, b: [{ connectionString: 'mongodb://mongo/x' }] },
      masks,
    ],
    [
      'the type Database Adaptor',
      { uuid: databaseType },
      { a: { jdbcUrl: 'jdbc:sqlserver://db;user=u;Password=p' }, b: [{ connectionString: 'mongodb://mongo' }] },
      masks,
    ],
    [
      'an adaptor of another type',
      { adaptorTypeUuid: 'x' },
      { a: { jdbcUrl: 'jdbc:oracle:thin:u/p@//db/x' }, b: [{ connectionString: 'mongodb://u:p@mongo/x' }] },
      masks,
    ],
    [
      'an adaptor without passwords',
      { adaptorTypeUuid: 'x' },
      { a: { jdbcUrl: 'jdbc:oracle:thin:@//db/x' }, b: [{ connectionString: 'mongodb://u@mongo/x?password=' }] },
      {
        databases: {
          a: { jdbcUrl: 'jdbc:oracle:thin:@//db/x' },
          b: [{ connectionString: 'mongodb://u@mongo/x?password=' }],
        },
        note: 'a@b',
      },
    ],
  ])('rewrites an entry of %s', async (_what, members, databases, metadata) => {
    await copyBefore('_passwords_in_addresses');
    await applyMigrations(database.url, folder);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query("INSERT INTO adaptor_type (uuid, name, built_in) VALUES ($1, 'Database Adaptor', true)", [
        databaseType,
      ]);
      await client.query(
        "INSERT INTO change_log (action, resource_type, resource, data) VALUES ('POST', 'Adaptor', '/x', $1)",
        [JSON.stringify({ ...members, metadata: { databases, note: 'a@b' } })],
      );
      await applyMigrations(database.url);
      const { rows } = await client.query<{ readonly data: string }>('SELECT data FROM change_log');
      expect(rows.map(({ data }) => JSON.parse(data) as unknown)).toEqual([{ ...members, metadata }]);
      const types = await client.query('SELECT secret_properties FROM adaptor_type');
      expect(types.rows).toEqual([{ secret_properties: ['connectionString'] }]);
    } finally {
      await client.end();
    }
  });
});

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
