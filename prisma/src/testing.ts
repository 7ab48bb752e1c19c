import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations } from './apply-migrations.js';
import { openDatabase, type Database } from './open-database.js';

export { startRestartableServer, startTestServer, stopTestServer } from './testing-server.js';

/** The database of one test file. */
export type TestDatabase = Database & {
  /** Closes and removes the database. */
  drop(): Promise<void>;
};

/** An empty database for a test. */
export interface EmptyDatabase {
  readonly url: string;
  /** Copies the database, which has no connections at this time. The function that it resolves with restores the copy. */
  backUp(): Promise<() => Promise<void>>;
  drop(): Promise<void>;
}

const adminUrl = (): string => {
  const url = process.env['FDS_TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('FDS_TEST_DATABASE_URL is not set: testing-global-setup.js starts PostgreSQL');
  return url;
};

const withAdmin = async <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => {
  const admin = new pg.Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
};

const urlOf = (name: string): string => {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
};

const uniqueName = (): string => `fds_test_${randomUUID().replaceAll('-', '')}`;

const dropDatabase = (name: string): Promise<void> =>
  withAdmin(async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  });

const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));

const templateName = async (): Promise<string> => {
  const digest = createHash('sha256');
  const folders = (await readdir(migrationsFolder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const name of folders.map((folder) => folder.name).sort()) {
    digest.update(await readFile(`${migrationsFolder}/${name}/migration.sql`));
  }
  return `fds_template_${digest.digest('hex').slice(0, 16)}`;
};

const templateLock = 20261121;

/** Creates the migrated template once, in the first of several workers. */
const requireTemplate = async (): Promise<string> => {
  const name = await templateName();
  await withAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [templateLock]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
    if (rowCount !== 0) return;
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await admin.query(`CREATE DATABASE "${name}"`);
    await applyMigrations(urlOf(name));
    await admin.query(`ALTER DATABASE "${name}" WITH IS_TEMPLATE true`);
  });
  return name;
};

/** Opens a separate migrated database on real PostgreSQL. */
export const openTestDatabase = async (): Promise<TestDatabase> => {
  const template = await requireTemplate();
  const name = uniqueName();
  await withAdmin((admin) => admin.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY file_copy`));
  const database = openDatabase({ url: urlOf(name), applicationName: 'fds-test' });
  return {
    ...database,
    drop: async () => {
      await database.close();
      await dropDatabase(name);
    },
  };
};

/** Creates a database without tables. */
export const createEmptyDatabase = async (): Promise<EmptyDatabase> => {
  const name = uniqueName();
  await withAdmin((admin) => admin.query(`CREATE DATABASE "${name}"`));
  const copies: string[] = [];
  return {
    url: urlOf(name),
    backUp: async () => {
      const copy = uniqueName();
      await withAdmin((admin) => admin.query(`CREATE DATABASE "${copy}" TEMPLATE "${name}"`));
      copies.push(copy);
      return async () => {
        await dropDatabase(name);
        await withAdmin((admin) => admin.query(`CREATE DATABASE "${name}" TEMPLATE "${copy}"`));
      };
    },
    drop: async () => {
      for (const each of [name, ...copies]) await dropDatabase(each);
    },
  };
};
