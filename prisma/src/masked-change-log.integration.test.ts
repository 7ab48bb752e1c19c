import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from './apply-migrations.js';
import { createEmptyDatabase, type EmptyDatabase } from './testing.js';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));

let database: EmptyDatabase;
let client: pg.Client;

/** Opens a database with the migrations before the migration with this name. */
const openBefore = async (suffix: string): Promise<void> => {
  database = await createEmptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'fds-migrations-'));
  try {
    const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).sort();
    const end = names.findIndex((name) => name.endsWith(suffix));
    expect(end).toBeGreaterThan(0);
    for (const name of names.slice(0, end)) await cp(join(migrations, name), join(folder, name), { recursive: true });
    await applyMigrations(database.url, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
};
const close = async (): Promise<void> => {
  await client?.end();
  await database?.drop();
};

/** Adds an entry to the change log; its resource is the number of the test case. */
const addEntry = (number: number, type: string, data: string): Promise<unknown> =>
  client.query("INSERT INTO change_log (action, resource_type, resource, data) VALUES ('POST', $1, $2, $3)", [
    type,
    String(number),
    data,
  ]);

const databaseType = '00000000-0000-4000-8000-00000000000d';

describe('the migration that masks passwords in addresses in the change log', () => {
  const masks = { databases: { a: { jdbcUrl: '***' }, b: [{ connectionString: '***' }] }, note: 'a@b' };
  const cases = [
    {
      what: 'a database adaptor',
      members: { adaptorTypeUuid: databaseType },
      databases: {
        a: { jdbcUrl: 'jdbc:mysql://db/x?user=u&password=p' },
        b: [{ connectionString: 'mongodb://mongo/x' }],
      },
      metadata: masks,
    },
    {
      what: 'the type Database Adaptor',
      members: { uuid: databaseType },
      databases: {
        a: { jdbcUrl: 'jdbc:sqlserver://db;user=u;Password=p' },
        b: [{ connectionString: 'mongodb://mongo' }],
      },
      metadata: masks,
    },
    {
      what: 'an adaptor of another type',
      members: { adaptorTypeUuid: 'x' },
      databases: { a: { jdbcUrl: 'jdbc:oracle:thin:u/p@//db/x' }, b: [{ connectionString: 'mongodb://u:p@mongo/x' }] },
      metadata: masks,
    },
    {
      what: 'an adaptor without passwords',
      members: { adaptorTypeUuid: 'x' },
      databases: {
        a: { jdbcUrl: 'jdbc:oracle:thin:@//db/x' },
        b: [{ connectionString: 'mongodb://u@mongo/x?password=' }],
      },
      metadata: {
        databases: {
          a: { jdbcUrl: 'jdbc:oracle:thin:@//db/x' },
          b: [{ connectionString: 'mongodb://u@mongo/x?password=' }],
        },
        note: 'a@b',
      },
    },
  ];

  beforeAll(async () => {
    await openBefore('_passwords_in_addresses');
    await client.query("INSERT INTO adaptor_type (uuid, name, built_in) VALUES ($1, 'Database Adaptor', true)", [
      databaseType,
    ]);
    for (const [number, { members, databases }] of cases.entries())
      await addEntry(number, 'Adaptor', JSON.stringify({ ...members, metadata: { databases, note: 'a@b' } }));
    await applyMigrations(database.url);
  });
  afterAll(close);

  it.each(cases.map((each, number) => ({ ...each, number })))(
    'rewrites an entry of $what',
    async ({ number, members, metadata }) => {
      const { rows } = await client.query<{ readonly data: string }>(
        'SELECT data FROM change_log WHERE resource = $1',
        [String(number)],
      );
      expect(rows.map(({ data }) => JSON.parse(data) as unknown)).toEqual([{ ...members, metadata }]);
    },
  );

  it('makes the property of the address a secret of the type Database Adaptor', async () => {
    const types = await client.query('SELECT secret_properties FROM adaptor_type');
    expect(types.rows).toEqual([{ secret_properties: ['connectionString'] }]);
  });
});

describe('the migration that masks secrets of metadata in the change log', () => {
  const cases = [
    {
      type: 'Adaptor',
      before:
        '{"uuid":"a","metadata":{"n":9223372036854775807,"password":"x","db":{"Token":{"v":"x"},"user":"u"},"l":[{"a.clientSecret":"x"},[{"secret":1}]],"token":null,"tokens":"y"}}',
      after:
        '{"uuid":"a","metadata":{"n":9223372036854775807,"password":"***","db":{"Token":"***","user":"u"},"l":[{"a.clientSecret":"***"},[{"secret":"***"}]],"token":null,"tokens":"y"}}',
    },
    {
      type: 'AdaptorType',
      before: '{"defaultMetadata":{"secret":[1],"e":{},"f":[]}}',
      after: '{"defaultMetadata":{"secret":"***","e":{},"f":[]}}',
    },
    { type: 'Adaptor', before: '{"metadata":null,"token":"kept"}', after: '{"metadata":null,"token":"kept"}' },
    { type: 'Domain', before: '{"metadata":{"password":"kept"}}', after: '{"metadata":{"password":"kept"}}' },
    { type: 'Adaptor', before: String.raw`{"metadata":{"password":"a\u0000b"}}`, after: 'null' },
  ];

  beforeAll(async () => {
    await openBefore('_adaptor_secrets');
    for (const [number, { type, before }] of cases.entries()) await addEntry(number, type, before);
    await applyMigrations(database.url);
  });
  afterAll(close);

  it.each(cases.map((each, number) => ({ ...each, number })))(
    'rewrites an entry of type $type with $before',
    async ({ number, after }) => {
      const { rows } = await client.query<{ readonly same: boolean; readonly data: string }>(
        "SELECT data, COALESCE(data, 'null')::jsonb = $1::jsonb AS same FROM change_log WHERE resource = $2",
        [after, String(number)],
      );
      expect(rows).toEqual([expect.objectContaining({ same: true })]);
    },
  );
});
