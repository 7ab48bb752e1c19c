import { join } from 'node:path';
import { startRestartableServer } from '@fds/database/testing';
import { eventually, startMariadb } from '@fds/testing';
import Database from 'libsql';
import { createConnection, createPool } from 'mysql2/promise';
import pg from 'pg';
import type { Leftovers } from '../../harness/leftovers.js';
import { openSmallFolder } from '../../harness/small-folder.js';
import {
  contactTableSql,
  createContactDatabase,
  transactMariadb,
  transactPostgresql,
  transactSqlite,
  type ContactDatabase,
} from '../two-way/contact-database.js';

type FaultKind = 'RESTART' | 'LOCK' | 'FULL_DISK' | 'RIGHTS' | 'REFUSAL';

/** A fault of a source. */
interface SourceFault {
  readonly kind: FaultKind;
  /** Begins the fault. @returns ends it */
  begin(): Promise<() => Promise<void>>;
}

/** A customer's database, and the faults that it can have. */
export interface FaultyDatabase {
  readonly database: ContactDatabase;
  readonly faults: readonly SourceFault[];
}

/** User of the adaptor where the database has users: its rights can be revoked. */
const adaptor = { user: 'fds_adaptor', password: 'password-of-the-adaptor' } as const;
/** The rows that a trigger refuses. */
const refusedRows = 'id % 5 = 0';

/** A fault that one statement begins and another ends. */
const byStatements = (
  kind: FaultKind,
  run: (sql: string) => Promise<unknown> | void,
  [begin, end]: readonly [readonly string[], readonly string[]],
): SourceFault => ({
  kind,
  begin: async () => {
    for (const sql of begin) await run(sql);
    return async () => {
      for (const sql of end) await run(sql);
    };
  },
});

/** SQLite on a small file system in memory, which can be full. Without root it is an ordinary folder. */
export const openFaultySqlite = (leftovers: Leftovers): FaultyDatabase => {
  const { folder, fill } = openSmallFolder(leftovers, 'fds-mixed-', 8);
  const file = join(folder, 'contact.sqlite');
  const open = (): Database.Database => {
    const database = new Database(file);
    leftovers.add(() => void database.close());
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 20');
    return database;
  };
  const database = open();
  const administrator = open();
  database.exec(contactTableSql('SQLITE'));
  const run = (sql: string): Promise<void> =>
    eventually(() => void administrator.exec(sql), { deadlineMs: 60_000, intervalMs: 10 });
  const fullDisk = (begin: () => () => void): SourceFault => ({
    kind: 'FULL_DISK',
    begin: async () => {
      const end = begin();
      return async () => end();
    },
  });
  const refuses = `BEGIN SELECT RAISE(ABORT, 'business rule'); END`;
  return {
    database: createContactDatabase(
      { kind: 'SQLITE', scanMethod: 'TIMESTAMP' },
      { jdbcUrl: `jdbc:sqlite:${file}` },
      transactSqlite(database),
    ),
    faults: [
      byStatements('LOCK', run, [['BEGIN EXCLUSIVE'], ['ROLLBACK']]),
      byStatements('REFUSAL', run, [
        [
          `CREATE TRIGGER no_insert BEFORE INSERT ON contact WHEN NEW.${refusedRows} ${refuses}`,
          `CREATE TRIGGER no_update BEFORE UPDATE ON contact WHEN NEW.${refusedRows} ${refuses}`,
        ],
        ['DROP TRIGGER no_insert', 'DROP TRIGGER no_update'],
      ]),
      ...(fill === undefined ? [] : [fullDisk(fill)]),
    ],
  };
};

/** PostgreSQL with its own server. */
export const openFaultyPostgresql = async (leftovers: Leftovers): Promise<FaultyDatabase> => {
  const server = await startRestartableServer();
  leftovers.add(() => server.dispose());
  const { url } = server;
  const { hostname, port, pathname } = new URL(url);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  // a connection that is in use when the server stops
  pool.on('connect', (client) => client.on('error', () => undefined));
  leftovers.add(() => pool.end());
  const run = (sql: string): Promise<unknown> => pool.query(sql);
  await run(contactTableSql('POSTGRESQL'));
  await run(`CREATE ROLE ${adaptor.user} LOGIN PASSWORD '${adaptor.password}'`);
  const rights = ['INSERT, UPDATE, DELETE ON contact', adaptor.user] as const;
  await run(`GRANT SELECT, ${rights[0]} TO ${rights[1]}`);
  await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_user = '${adaptor.user}' AND NEW.${refusedRows} THEN RAISE EXCEPTION 'business rule'; END IF;
    RETURN NEW; END $$`);
  const lock: SourceFault = {
    kind: 'LOCK',
    begin: async () => {
      const client = await pool.connect();
      await client.query('BEGIN; LOCK TABLE contact IN ACCESS EXCLUSIVE MODE');
      return async () => {
        await client.query('ROLLBACK');
        client.release();
      };
    },
  };
  const restart: SourceFault = {
    kind: 'RESTART',
    begin: async () => {
      await server.stop();
      return () => server.start();
    },
  };
  return {
    database: createContactDatabase(
      { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' },
      { jdbcUrl: `jdbc:postgresql://${hostname}:${port}${pathname}`, ...adaptor, schema: 'public' },
      transactPostgresql(pool),
    ),
    faults: [
      lock,
      restart,
      byStatements('RIGHTS', run, [[`REVOKE ${rights[0]} FROM ${rights[1]}`], [`GRANT ${rights[0]} TO ${rights[1]}`]]),
      byStatements('REFUSAL', run, [
        ['CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON contact FOR EACH ROW EXECUTE FUNCTION refuse()'],
        ['DROP TRIGGER refuse ON contact'],
      ]),
    ],
  };
};

/** MariaDB with its own server, which the adaptor reads from the log. */
export const openFaultyMariadb = async (leftovers: Leftovers): Promise<FaultyDatabase> => {
  const mariadb = await startMariadb();
  leftovers.add(() => mariadb.dispose());
  const address = { host: '127.0.0.1', port: mariadb.port, user: mariadb.user, password: mariadb.password };
  const pool = createPool({ ...address, connectionLimit: 4 });
  leftovers.add(() => pool.end());
  const run = (sql: string): Promise<unknown> => pool.query(sql);
  const table = 'mixed.contact';
  await run('CREATE DATABASE mixed CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
  await run(contactTableSql('MARIADB').replace('contact', table));
  const account = `'${adaptor.user}'@'%'`;
  await run(`CREATE USER ${account} IDENTIFIED BY '${adaptor.password}'`);
  await run(`GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO ${account}`);
  await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${account}`);
  const lock: SourceFault = {
    kind: 'LOCK',
    begin: async () => {
      const connection = await createConnection(address);
      await connection.query(`LOCK TABLES ${table} WRITE`);
      return async () => {
        await connection.query('UNLOCK TABLES');
        await connection.end();
      };
    },
  };
  const restart: SourceFault = {
    kind: 'RESTART',
    begin: async () => {
      await mariadb.kill();
      return () => mariadb.start();
    },
  };
  const refuses = `BEGIN IF USER() LIKE '${adaptor.user}@%' AND NEW.${refusedRows} THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'business rule'; END IF; END`;
  return {
    database: createContactDatabase(
      { kind: 'MARIADB', scanMethod: 'LOG' },
      { jdbcUrl: `jdbc:mariadb://127.0.0.1:${mariadb.port}/mixed`, ...adaptor },
      transactMariadb(pool, 'mixed'),
    ),
    faults: [
      lock,
      restart,
      byStatements('RIGHTS', run, [
        [`REVOKE INSERT, UPDATE, DELETE ON ${table} FROM ${account}`],
        [`GRANT INSERT, UPDATE, DELETE ON ${table} TO ${account}`],
      ]),
      byStatements('REFUSAL', run, [
        [
          `CREATE TRIGGER mixed.no_insert BEFORE INSERT ON ${table} FOR EACH ROW ${refuses}`,
          `CREATE TRIGGER mixed.no_update BEFORE UPDATE ON ${table} FOR EACH ROW ${refuses}`,
        ],
        ['DROP TRIGGER mixed.no_insert', 'DROP TRIGGER mixed.no_update'],
      ]),
    ],
  };
};
