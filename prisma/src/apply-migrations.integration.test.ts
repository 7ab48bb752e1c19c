import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from './apply-migrations.js';
import { createEmptyDatabase, type EmptyDatabase } from './testing.js';

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

const write = async (name: string, sql: string): Promise<void> => {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'migration.sql'), sql);
};

const query = async (sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

const history = (): Promise<unknown[]> =>
  query('SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations ORDER BY 1');

describe('applyMigrations', () => {
  it('applies the migrations to an empty database in order, and applies none the second time', async () => {
    await write('2_second', 'INSERT INTO t VALUES (1)');
    await write('1_first', 'CREATE TABLE t (n int)');
    expect(await applyMigrations(database.url, folder)).toEqual(['1_first', '2_second']);
    expect(await applyMigrations(database.url, folder)).toEqual([]);
    await write('3_third', 'INSERT INTO t VALUES (2)');
    expect(await applyMigrations(database.url, folder)).toEqual(['3_third']);
    expect(await query('SELECT n FROM t ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('applies the migrations of the product', async () => {
    const applied = await applyMigrations(database.url);
    expect(applied[0]).toBe('20261121000000_foundation');
    expect(await history()).toEqual(applied.map((name) => ({ name, finished: true })));
  });

  it('applies each migration once when several processes start at once', async () => {
    await write('1_first', 'CREATE TABLE t (n int)');
    await write('2_second', 'INSERT INTO t VALUES (1)');
    const results = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url, folder)));
    expect(results.flat().toSorted()).toEqual(['1_first', '2_second']);
    expect(await query('SELECT n FROM t')).toEqual([{ n: 1 }]);
  });

  it('leaves no effect of a failing migration, and reports the failure until it is resolved', async () => {
    await write('1_first', 'CREATE TABLE t (n int)');
    await write('2_broken', 'INSERT INTO t VALUES (1); CREATE TABLE u (); SELECT nonsense');
    await expect(applyMigrations(database.url, folder)).rejects.toMatchObject({ code: '42703' });
    expect(await query("SELECT (SELECT count(*) FROM t)::int AS rows, to_regclass('u') AS u")).toEqual([
      { rows: 0, u: null },
    ]);
    expect(await history()).toEqual([
      { name: '1_first', finished: true },
      { name: '2_broken', finished: false },
    ]);
    expect(await query("SELECT logs FROM _prisma_migrations WHERE migration_name = '2_broken'")).toEqual([
      { logs: expect.stringContaining('nonsense') },
    ]);
    await write('2_broken', 'INSERT INTO t VALUES (1)');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow('2_broken failed earlier');
    // has the effect of `prisma migrate resolve --rolled-back`
    await query("UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_broken'");
    expect(await applyMigrations(database.url, folder)).toEqual(['2_broken']);
  });

  it('refuses a migration that was changed after it was applied', async () => {
    await write('1_first', 'CREATE TABLE t (n int)');
    await applyMigrations(database.url, folder);
    await write('1_first', 'CREATE TABLE t (n bigint)');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow('1_first was changed');
  });
});
