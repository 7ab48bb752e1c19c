import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The lock that Prisma Migrate also takes, so that it and this code never apply migrations at the same time. */
const migrateLock = 72707369;

const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));

const historyTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** All migrations of this version of the service, in order. */
export const readMigrations = async (folder: string = migrationsFolder): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
};

const applyOne = async (client: pg.Client, { name, sql, checksum }: Migration): Promise<void> => {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  try {
    // several statements in one call are one implicit transaction: a migration applies whole or not at all
    await client.query(sql);
  } catch (error) {
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, String(error)]);
    throw error;
  }
  await client.query('UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1', [id]);
};

const oldestServer = 15;

const requireServerVersion = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ readonly version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const version = rows[0]?.version ?? '';
  if (Number.parseInt(version, 10) < oldestServer)
    throw new Error(`PostgreSQL ${oldestServer} or newer is required, this is ${version}`);
};

/**
 * Connects for changes of the schema. One session at a time has the lock of migrations. The lock ends with the connection.
 *
 * @throws Error when the server is older than PostgreSQL 15
 * @throws the error of the connection
 */
export const openMigrationSession = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: 'fds-migrate' });
  // the statement under way reports a lost connection; without a listener, the event would end the process
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requireServerVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [migrateLock]);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
};

/**
 * Applies those of the migrations that the database does not have, in order.
 *
 * @returns the names of the migrations that this call applied
 * @throws Error when a migration failed earlier or was changed after it was applied
 */
export const migrate = async (client: pg.Client, migrations: readonly Migration[]): Promise<string[]> => {
  await client.query(historyTable);
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const history = new Map(rows.map((row) => [row.migration_name, row]));
  const applied: string[] = [];
  for (const migration of migrations) {
    const earlier = history.get(migration.name);
    if (earlier === undefined) {
      await applyOne(client, migration);
      applied.push(migration.name);
    } else if (earlier.finished_at === null) {
      throw new Error(`migration ${migration.name} failed earlier: repair it, then \`prisma migrate resolve\``);
    } else if (earlier.checksum !== migration.checksum) {
      throw new Error(`migration ${migration.name} was changed after it was applied`);
    }
  }
  return applied;
};

/**
 * Applies pending migrations in order. It uses Prisma's own history table, so it agrees with `prisma migrate deploy`.
 * Several processes may start at once: one applies the migrations and the others wait.
 *
 * @returns the names of the migrations that this call applied
 * @throws Error when the server is older than PostgreSQL 15, or a migration failed earlier or was changed after it was
 * applied
 * @throws the error of the connection
 */
export const applyMigrations = async (url: string, folder: string = migrationsFolder): Promise<string[]> => {
  const migrations = await readMigrations(folder);
  const client = await openMigrationSession(url);
  try {
    return await migrate(client, migrations);
  } finally {
    await client.end();
  }
};
