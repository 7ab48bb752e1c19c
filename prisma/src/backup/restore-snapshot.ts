import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackupHead, BackupSequence, Entry } from '@fds/backup-format';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate, openMigrationSession, readMigrations, type Migration } from '../apply-migrations.js';
import { columnList, listBackedUpTables, quoted, tablesOfProcesses, type BackedUpTable } from './backed-up-tables.js';

export type RestoreRefusal = 'RUNNING' | 'NOT_EMPTY' | 'NEWER_BACKUP';

/** The database, or this version, does not take the backup. Nothing was written. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  constructor(
    readonly code: RestoreRefusal,
    message: string,
  ) {
    super(message);
  }
}

const requireNoService = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'fds%' AND application_name <> 'fds-migrate'`,
  );
  if (rows.length > 0)
    throw new RestoreRefused('RUNNING', 'a service uses this database: stop all its processes first');
};

const requireNeverStarted = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass(quote_ident(current_schema()) || '._prisma_migrations') IS NOT NULL AS exists",
  );
  if (rows[0]?.exists !== true) return;
  const { rowCount } = await client.query('SELECT FROM _prisma_migrations LIMIT 1');
  if (rowCount !== 0)
    throw new RestoreRefused(
      'NOT_EMPTY',
      'this database has the data of a hub: a backup is restored into a hub that was never started',
    );
};

/**
 * The migrations of the backup, and those that are newer.
 *
 * @param version of this service
 * @throws RestoreRefused NEWER_BACKUP
 */
export const splitMigrations = async (
  head: BackupHead,
  version: string,
): Promise<{ readonly known: Migration[]; readonly newer: Migration[] }> => {
  const all = await readMigrations();
  const own = new Map(all.map(({ name, checksum }) => [name, checksum]));
  const foreign = head.migrations.find(({ name, checksum }) => own.get(name) !== checksum);
  if (foreign !== undefined)
    throw new RestoreRefused(
      'NEWER_BACKUP',
      `the backup is of version ${head.version}, and this is version ${version}, which does not know its change ${foreign.name} of the tables: restore it with the version of the backup or a newer one`,
    );
  const known = new Set(head.migrations.map(({ name }) => name));
  return {
    known: all.filter(({ name }) => known.has(name)),
    newer: all.filter(({ name }) => !known.has(name)),
  };
};

/**
 * Makes the tables of the backup's version, without rows: migrations create some. Its triggers rest, because the backup
 * has their changes already.
 */
const prepareTables = async (client: pg.Client, known: readonly Migration[]): Promise<Map<string, BackedUpTable>> => {
  await migrate(client, known);
  const tables = await listBackedUpTables(client);
  const names = [...tables.map(({ name }) => name), ...tablesOfProcesses];
  await client.query(`TRUNCATE ${names.map(quoted).join(', ')}`);
  for (const { name } of tables) await client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  return new Map(tables.map((table) => [table.name, table]));
};

const writeSequences = async (client: pg.Client, sequences: readonly BackupSequence[]): Promise<void> => {
  for (const { name, last } of sequences)
    if (last !== null) await client.query('SELECT setval(quote_ident($1)::regclass, $2)', [name, last]);
};

/** A backup, and the database that gets it. */
export interface RestoreTarget {
  readonly url: string;
  /** Version of this service. */
  readonly version: string;
  /** The content of a backup, which throws when the backup is damaged. */
  readonly entries: AsyncIterable<Entry>;
  /** Called with the files of the backup when all tables are written, before they are committed. */
  readonly writeFiles: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** Called after the checks, before anything is written. */
  readonly onBegin: () => Promise<void>;
}

/** Writes the rows of a table, up to its END. */
const writeTable = async (client: pg.Client, table: BackedUpTable, source: AsyncIterator<Entry>): Promise<void> => {
  let end: Entry | undefined;
  const rows = async function* () {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      if (next.value.kind !== 'ROWS') {
        end = next.value;
        return;
      }
      yield next.value.bytes;
    }
  };
  const sink = client.query(copyFrom(`COPY ${quoted(table.name)} (${columnList(table)}) FROM STDIN`));
  await pipeline(Readable.from(rows(), { objectMode: true, highWaterMark: 2 }), sink);
  if (end?.kind !== 'END' || end.rows !== sink.rowCount)
    throw new Error(
      `${sink.rowCount} rows of the table ${table.name} were written, which is not their number in the backup`,
    );
};

const requireTable = (tables: ReadonlyMap<string, BackedUpTable>, name: string): void => {
  if (!tables.has(name)) throw new Error(`the backup has a table ${name}, which its migrations do not create`);
};

/** All in the transaction of the session. @returns how many tables were written */
const write = async (client: pg.Client, target: RestoreTarget): Promise<void> => {
  const source = target.entries[Symbol.asyncIterator]();
  const files: Record<string, string> = {};
  let tables: ReadonlyMap<string, BackedUpTable> = new Map();
  let newer: readonly Migration[] = [];
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const entry = next.value;
      if (entry.kind === 'HEAD') {
        const split = await splitMigrations(entry.head, target.version);
        tables = await prepareTables(client, split.known);
        newer = split.newer;
      } else if (entry.kind === 'FILE') files[entry.name] = entry.content;
      else if (entry.kind === 'TABLE') {
        requireTable(tables, entry.name);
        await writeTable(client, entry, source);
      } else if (entry.kind === 'SEQUENCES') await writeSequences(client, entry.sequences);
    }
  } finally {
    await source.return?.();
  }
  for (const name of tables.keys()) await client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
  await migrate(client, newer);
  await target.writeFiles(files);
};

/**
 * Writes a backup into an empty database, in one transaction: all or nothing. A service that starts in the meantime
 * waits until the end.
 *
 * @throws RestoreRefused when a service runs, the database has a hub, or the backup is of a newer version
 * @throws the error of `entries`, of `writeFiles`, or of the connection
 */
export const restoreSnapshot = async (target: RestoreTarget): Promise<void> => {
  const client = await openMigrationSession(target.url);
  try {
    await requireNoService(client);
    await requireNeverStarted(client);
    await target.onBegin();
    await client.query('BEGIN');
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    try {
      await write(client, target);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
    // the planner does not know the new rows; otherwise autovacuum would analyze them a minute later
    await client.query('ANALYZE').catch(() => undefined);
  } finally {
    await client.end();
  }
};
