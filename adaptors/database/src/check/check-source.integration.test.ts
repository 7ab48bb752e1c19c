import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mariadbMissing, startMariadb } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../source/open-databases.js';
import { checkSource } from './check-source.js';

interface Source {
  readonly jdbcUrl: string;
  readonly user?: string;
  readonly password?: string;
  readonly schema?: string;
  close(): Promise<void>;
}

const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const ddl = 'CREATE TABLE contact (id varchar(9) PRIMARY KEY, full_name varchar(9), changed timestamp)';

const postgresql = async (): Promise<Source> => {
  const name = `fds_check_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl ?? '');
  const target = new URL(url);
  target.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  await client.query(ddl);
  await client.end();
  return {
    jdbcUrl: `jdbc:postgresql://${url.host}/${name}`,
    user: url.username,
    password: decodeURIComponent(url.password),
    schema: 'public',
    close: async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
};

const mariadb = async (): Promise<Source> => {
  const server = await startMariadb();
  const { user, password, port } = server;
  const admin = await createConnection({ host: '127.0.0.1', port, user, password });
  await admin.query('CREATE DATABASE crm');
  await admin.query(`USE crm`);
  await admin.query(ddl);
  await admin.end();
  return {
    jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/crm`,
    user,
    password,
    schema: 'crm',
    close: () => server.dispose(),
  };
};

const folder = mkdtempSync(join(tmpdir(), 'fds-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Faults of a valid table entry after changes to it and to the database. */
const faultsOf = async (
  source: Pick<Source, 'jdbcUrl' | 'user' | 'password' | 'schema'>,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<(readonly [string, string, string])[]> => {
  const metadata = parseAdaptorMetadata({
    databases: {
      crm: {
        type: 'JDBC',
        properties: {
          jdbcUrl: source.jdbcUrl,
          ...(source.user === undefined
            ? {}
            : { 'dataSource.user': source.user, 'dataSource.password': source.password }),
        },
      },
    },
    tables: [
      {
        domain: 'person',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataColumns: {
          id: { source: 'id', columnType: 'STRING' },
          full_name: { source: 'name', columnType: 'STRING' },
        },
        dataSource: { name: 'crm', tableName: 'contact', ...(source.schema ? { schema: source.schema } : {}) },
        ...changes,
      },
    ],
  });
  const opened = openDatabases(metadata);
  try {
    const [first] = opened.values();
    if (first === undefined) throw new Error('no database');
    const tables = metadata.tables.map((table, index) => ({ index, table }));
    const faults = await checkSource({ name: 'crm', database: first.database, connection: first.knex, tables });
    return faults.map(({ place, message, retry }) => [place, message, retry]);
  } finally {
    await disconnect([...opened.values()].map(({ knex }) => knex));
  }
};

const column = (name: string) => ({
  dataColumns: { id: { source: 'id', columnType: 'STRING' }, [name]: { source: 'name', columnType: 'STRING' } },
});

const without = (reason: string | undefined): string => (reason === undefined ? '' : ` (skipped: ${reason})`);
const noPostgres = postgresUrl === undefined ? 'FDS_TEST_DATABASE_URL is not set' : undefined;

describe.each([
  [`PostgreSQL${without(noPostgres)}`, postgresql, noPostgres === undefined],
  [`MariaDB${without(mariadbMissing)}`, mariadb, mariadbMissing === undefined],
] as const)('the check of %s', (_, open, available) => {
  const check = available ? it : it.skip;
  let source: Source;
  beforeAll(async () => {
    if (available) source = await open();
  });
  afterAll(async () => {
    if (available) await source.close();
  });

  check('finds no fault in tables that exist, with and without a schema', async () => {
    expect(await faultsOf(source)).toEqual([]);
    expect(await faultsOf({ ...source, schema: '' })).toEqual([]);
  });

  check('names a missing column with its place and the nearest name', async () => {
    expect(await faultsOf(source, column('full_nam'))).toEqual([
      ['/tables/0/dataColumns/full_nam', 'contact has no column "full_nam" (nearest: "full_name")', 'RARELY'],
    ]);
    const timestampSpec = { columnName: 'chnged', type: 'TIMESTAMP' };
    expect(await faultsOf(source, { timestampSpec })).toEqual([
      ['/tables/0/timestampSpec/columnName', 'contact has no column "chnged" (nearest: "changed")', 'RARELY'],
    ]);
  });

  check('names a missing table and a missing schema', async () => {
    const { schema } = source;
    expect(await faultsOf(source, { dataSource: { name: 'crm', schema, tableName: 'contcat' } })).toEqual([
      ['/tables/0/dataSource/tableName', 'there is no table "contcat" (nearest: "contact")', 'RARELY'],
    ]);
    const [[place, message] = []] = await faultsOf({ ...source, schema: `${schema}x` });
    expect([place, message]).toEqual([
      '/tables/0/dataSource/schema',
      `there is no schema "${schema}x" (nearest: "${schema}")`,
    ]);
  });

  check('reports a refused password without showing it', async () => {
    const [fault] = await faultsOf({ ...source, password: 'geheim-and-wrong' });
    expect(fault?.[0]).toBe('/databases/crm/properties/dataSource.password');
    expect(fault?.[1]).toContain('refuses the user');
    expect(fault?.[2]).toBe('RARELY');
    expect(JSON.stringify(fault)).not.toContain('geheim');
  });

  check('reports a database that does not exist, and a server that is not available', async () => {
    const [missing] = await faultsOf({ ...source, jdbcUrl: `${source.jdbcUrl}x` });
    expect(missing?.[0]).toBe('/databases/crm/properties/jdbcUrl');
    expect(missing?.[1]).toContain('has no database');
    const [away] = await faultsOf({ ...source, jdbcUrl: source.jdbcUrl.replace(/:\d+\//, ':1/') });
    expect(away?.[0]).toBe('/databases/crm/properties/jdbcUrl');
    expect(away?.[1]).toContain('no answer from');
    expect(away?.[2]).toBe('SOON');
  });
});

describe('the check of SQLite', () => {
  it('reports a file that does not exist, and does not create it', async () => {
    const file = join(folder, 'crm.db');
    expect(await faultsOf({ jdbcUrl: `jdbc:sqlite:${file}` })).toEqual([
      ['/databases/crm/properties/jdbcUrl', `there is no file ${file}`, 'SOON'],
    ]);
    expect(await faultsOf({ jdbcUrl: `jdbc:sqlite:${file}` })).toHaveLength(1);
  });
});
