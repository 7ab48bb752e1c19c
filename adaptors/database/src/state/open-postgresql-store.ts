import pg from 'pg';
import type { JdbcDatabase } from '../configuration/adaptor-metadata.js';
import type { ServerAddress } from '../configuration/jdbc/jdbc-address.js';
import { postgresqlConnection } from '../source/open/open-postgresql.js';
import { keyHash } from './key-hash.js';
import type { KnownRow } from '../source/row-base.js';
import { unreported, type TableState } from './adaptor-state.js';
import type { RemoteStore } from './remote-store.js';

/** Keys are indexed by their hash, because a key can be longer than an index entry may be. */
const schema = `
  CREATE TABLE IF NOT EXISTS fds_adaptor_scan (
    adaptor_uuid text NOT NULL, handler text NOT NULL, scanned_until bigint, log_slot text,
    PRIMARY KEY (adaptor_uuid, handler));
  ALTER TABLE fds_adaptor_scan ADD COLUMN IF NOT EXISTS source text;
  CREATE TABLE IF NOT EXISTS fds_adaptor_row (
    adaptor_uuid text NOT NULL, handler text NOT NULL, key_hash text COLLATE "C" NOT NULL, key_text text NOT NULL,
    digest text NOT NULL, dr_uuid text, record text NOT NULL,
    PRIMARY KEY (adaptor_uuid, handler, key_hash));
  CREATE INDEX IF NOT EXISTS fds_adaptor_row_record ON fds_adaptor_row (adaptor_uuid, handler, dr_uuid) WHERE dr_uuid IS NOT NULL;`;

const columns = 'key_text AS "keyText", digest, dr_uuid AS "drUuid", record';

const scanStatement = (column: 'scanned_until' | 'log_slot' | 'source'): string =>
  `INSERT INTO fds_adaptor_scan (adaptor_uuid, handler, ${column}) VALUES ($1, $2, $3)
   ON CONFLICT (adaptor_uuid, handler) DO UPDATE SET ${column} = excluded.${column}`;

const rowsStatement = `
  INSERT INTO fds_adaptor_row (adaptor_uuid, handler, key_hash, key_text, digest, dr_uuid, record)
  SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
  ON CONFLICT (adaptor_uuid, handler, key_hash) DO UPDATE
    SET digest = excluded.digest, dr_uuid = coalesce(excluded.dr_uuid, fds_adaptor_row.dr_uuid), record = excluded.record`;

/** The schemas of a JDBC URL as an option of the connection, with escaped blanks and backslashes. */
const searchPathOf = (schema: string): string => {
  const names = schema.split(',').map((name) => `"${name.trim().replaceAll('"', '""')}"`);
  return `-c search_path=${names.join(',').replace(/[\\ ]/g, String.raw`\$&`)}`;
};

/** Lock for creating the tables, because another adaptor may create them at the same moment. */
const creationLock = 0x66647361;

/**
 * Keeps the state in a PostgreSQL database, which several adaptors can share. Connects on first use.
 *
 * @param address of the database; tables are created in its first schema
 */
export const openPostgresqlStore = (
  address: ServerAddress,
  credentials: Pick<JdbcDatabase, 'user' | 'password' | 'maxConnections'>,
  adaptorUuid: string,
): RemoteStore => {
  const connection = postgresqlConnection(address, credentials);
  const pool = new pg.Pool({
    ...connection,
    ...(address.schema === undefined ? {} : { options: `${connection.options ?? ''} ${searchPathOf(address.schema)}` }),
    max: credentials.maxConnections,
    statement_timeout: 60_000,
  });
  // the next statement replaces a connection that ended while it was idle
  pool.on('error', () => undefined);
  const run = async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>(sql, parameters)).rows;

  const table = (domain: string, version: number): TableState => {
    const owner = [adaptorUuid, `${domain}:${version}`];
    const within = 'adaptor_uuid = $1 AND handler = $2';
    const scan = async (column: 'scanned_until' | 'log_slot' | 'source'): Promise<string | undefined> => {
      const sql = `SELECT ${column} AS value FROM fds_adaptor_scan WHERE ${within}`;
      return (await run<{ value: string | null }>(sql, owner))[0]?.value ?? undefined;
    };
    const rememberRows = async (rows: readonly KnownRow[]): Promise<void> => {
      if (rows.length === 0) return;
      const lists = [
        rows.map((row) => keyHash(row.keyText)),
        rows.map((row) => row.keyText),
        rows.map((row) => row.digest),
        rows.map((row) => row.drUuid),
        rows.map((row) => row.record),
      ];
      await run(rowsStatement, [...owner, ...lists]);
    };
    return {
      scannedUntil: async () => {
        const until = await scan('scanned_until');
        return until === undefined ? undefined : BigInt(until);
      },
      rememberScan: async (until) => void (await run(scanStatement('scanned_until'), [...owner, String(until)])),
      scannedLog: () => scan('log_slot'),
      rememberLog: async (slot) => void (await run(scanStatement('log_slot'), [...owner, slot ?? null])),
      knownSource: () => scan('source'),
      rememberSource: async (source) => void (await run(scanStatement('source'), [...owner, source])),
      knownRows: async (keyTexts) => {
        if (keyTexts.length === 0) return new Map();
        const sql = `SELECT ${columns} FROM fds_adaptor_row WHERE ${within} AND key_hash = ANY ($3)`;
        const rows = await run<KnownRow>(sql, [...owner, keyTexts.map(keyHash)]);
        return new Map(rows.map((row) => [row.keyText, row]));
      },
      byRecords: async (drUuids) => {
        const sql = `SELECT ${columns} FROM fds_adaptor_row WHERE ${within} AND dr_uuid IS NOT NULL AND dr_uuid = ANY ($3)`;
        const rows = await run<KnownRow>(sql, [...owner, drUuids]);
        return new Map(rows.map((row) => [row.drUuid ?? '', row]));
      },
      keysAfter: async (keyText, limit) => {
        const sql = `SELECT key_text AS "keyText" FROM fds_adaptor_row WHERE ${within} AND key_hash > $3 ORDER BY key_hash LIMIT $4`;
        const after = keyText === undefined ? '' : keyHash(keyText);
        return (await run<Pick<KnownRow, 'keyText'>>(sql, [...owner, after, limit])).map((row) => row.keyText);
      },
      rememberRows,
      announceRows: (rows) => rememberRows(rows.map((row) => ({ ...row, digest: unreported }))),
      confirmRows: rememberRows,
      forget: async (keyTexts) => {
        if (keyTexts.length === 0) return;
        await run(`DELETE FROM fds_adaptor_row WHERE ${within} AND key_hash = ANY ($3)`, [
          ...owner,
          keyTexts.map(keyHash),
        ]);
      },
    };
  };

  return {
    table,
    ping: async () => void (await pool.query('SELECT 1')),
    prepare: async () =>
      void (await pool.query(`BEGIN; SELECT pg_advisory_xact_lock(${creationLock}); ${schema} COMMIT`)),
    close: () => pool.end(),
  };
};
