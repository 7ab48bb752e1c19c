import type { BackupHead, BackupSequence, WrittenEntry } from '@fds/backup-format';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { socketOf } from '../socket-of.js';
import { columnList, listBackedUpTables, quoted, type BackedUpTable } from './backed-up-tables.js';

/** COPY gives a piece for each packet. Larger pieces cost less on the way to the file. */
const pieceBytes = 512 * 1024;

const readTable = async function* (client: pg.Client, table: BackedUpTable): AsyncGenerator<WrittenEntry> {
  yield { kind: 'TABLE', name: table.name, columns: table.columns };
  // an order makes equal content equal bytes, but costs a sort: the tables are read as they lie
  const stream = client.query(copyTo(`COPY ${quoted(table.name)} (${columnList(table)}) TO STDOUT`));
  let held: Buffer[] = [];
  let length = 0;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    held.push(bytes);
    length += bytes.length;
    if (length < pieceBytes) continue;
    yield { kind: 'ROWS', bytes: Buffer.concat(held) };
    held = [];
    length = 0;
  }
  if (length > 0) yield { kind: 'ROWS', bytes: Buffer.concat(held) };
};

const readSequences = async (client: pg.Client): Promise<BackupSequence[]> => {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() ORDER BY 1`,
  );
  return rows;
};

const readHead = async (client: pg.Client, version: string): Promise<BackupHead> => {
  const { rows: facts } = await client.query<{ postgres: string; date: Date }>(
    "SELECT current_setting('server_version') AS postgres, now() AS date",
  );
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE rolled_back_at IS NULL AND finished_at IS NOT NULL ORDER BY 1`,
  );
  return {
    version,
    postgres: facts[0]?.postgres ?? '',
    date: (facts[0]?.date ?? new Date()).toISOString(),
    migrations,
  };
};

export interface SnapshotSource {
  readonly url: string;
  /** Version of the service. */
  readonly version: string;
  /** Reads the files that belong to the database, by their name. */
  readonly files: () => Promise<Readonly<Record<string, string>>>;
  /** Ends the reading at once. */
  readonly signal: AbortSignal;
}

/**
 * Reads everything that the hub knows, as it was at one moment, while others write. It has its own connection, which
 * is closed when the reader stops.
 *
 * @throws the error of the connection, or of the signal
 */
export const readSnapshot = async function* ({
  url,
  version,
  files,
  signal,
}: SnapshotSource): AsyncGenerator<WrittenEntry> {
  signal.throwIfAborted();
  const client = new pg.Client({ connectionString: url, application_name: 'fds-backup' });
  client.on('error', () => undefined);
  // a query under way fails at once, and the server rolls back; a polite end would wait for the rest of a COPY
  const cut = (): void => void socketOf(client)?.destroy();
  let isWhole = false;
  try {
    await client.connect();
    signal.addEventListener('abort', cut, { once: true });
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const head = await readHead(client, version);
    const tables = await listBackedUpTables(client);
    // a process that starts with a newer version changes no table until the end
    await client.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(', ')} IN ACCESS SHARE MODE`);
    yield { kind: 'HEAD', head };
    for (const [name, content] of Object.entries(await files())) yield { kind: 'FILE', name, content };
    for (const table of tables) yield* readTable(client, table);
    // sequences are outside of the snapshot: read last, their positions are behind those of all rows
    yield { kind: 'SEQUENCES', sequences: await readSequences(client) };
    await client.query('COMMIT');
    isWhole = true;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cut);
    if (isWhole) await client.end();
    else cut();
  }
};
