import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DiscoveredReport, AdaptorError } from '@fds/adaptor-protocol';
import type { Adaptor, OutgoingEvent, SourceFault } from '@fds/adaptor-sdk';
import { eventually, mariadbMissing, startMariadb, type Mariadb } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { parseAdaptorMetadata } from '../../../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../../../source/open-databases.js';
import { createSourceTable } from '../../../source/source-table.js';
import { openFileStore } from '../../../state/open-file-store.js';
import { createFaultBoard } from '../../../table-faults.js';
import { createTableHandler, type TableHandler } from '../../../table-handler.js';
import { createLogAccesses } from '../create-log-accesses.js';
import { readBinlog } from './read-binlog.js';
import { serverIdOf } from './server-id.js';

const why = mariadbMissing === undefined ? '' : ` (skipped: ${mariadbMissing})`;
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

(mariadbMissing === undefined ? describe : describe.skip)(`the binary log of a MariaDB table${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-binlog-'));
  let adaptorUuid: string;
  let mariadb: Mariadb;
  let source: Connection;
  let opened: ReturnType<typeof openDatabases>;
  let stateFile: string;
  let isDiscovering = false;
  let discovered: (DiscoveredReport & { readonly published: number })[] = [];
  let published: OutgoingEvent[];
  let reported: AdaptorError[];
  let sources: Set<string>;
  let ending: (() => Promise<void>)[];

  const metadataOf = (
    changes: Readonly<Record<string, unknown>> = {},
    credentials?: { user: string; password: string },
  ) =>
    parseAdaptorMetadata({
      databases: {
        main: {
          type: 'JDBC',
          properties: {
            jdbcUrl: `jdbc:mariadb://127.0.0.1:${mariadb.port}/crm`,
            'dataSource.user': credentials?.user ?? mariadb.user,
            'dataSource.password': credentials?.password ?? mariadb.password,
          },
        },
      },
      tables: [
        {
          domain: 'person',
          version: 1,
          primaryKeySpecs: [{ type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
          dataColumns: {
            mail: { source: 'email', columnType: 'STRING' },
            notes: { source: 'notes', columnType: 'STRING' },
          },
          dataSource: { name: 'main', tableName: 'per son' },
          scanMethod: 'LOG',
          scanOptions: { maxBatchSize: 10, scanIntervalMilliseconds: 100 },
          ...changes,
        },
      ],
    });

  /** Starts the handlers of tables like a process does. Returns a function that stops them. */
  const startTables = (
    tables: readonly Readonly<Record<string, unknown>>[],
    { uuid = adaptorUuid, databases = opened, logRetryMs = 50 } = {},
  ) => {
    const [main] = databases.values();
    if (main === undefined) throw new Error('no database');
    const logAccess = createLogAccesses(uuid);
    const state = openFileStore(stateFile);
    const adaptor = {
      log: silent,
      applied: { epoch: null, sequence: 0 },
      isDiscovering: () => isDiscovering,
      reportDiscovered: async (report: DiscoveredReport) => {
        discovered.push({ ...report, published: published.length });
        isDiscovering = false;
      },
      publish: async (event: OutgoingEvent) => void published.push(event),
      reportError: async (error: AdaptorError) => void reported.push(error),
      reportSource: ({ reason }: SourceFault) => void sources.add(reason),
      clearSource: () => undefined,
      caughtUp: () => undefined,
    } as Partial<Adaptor> as Adaptor;
    const controller = new AbortController();
    const handlers = tables.flatMap((changes) =>
      metadataOf(changes).tables.map((table) => {
        const tableState = state.table(table.domain, table.version);
        return createTableHandler({
          table: createSourceTable(main.knex, table, 'mysql'),
          state: tableState,
          adaptor,
          drKeyProperties: ['email'],
          logRetryMs,
          guard: { check: () => Promise.resolve() },
          faults: createFaultBoard(adaptor, tables.length).table(table.domain, table.dataSource.tableName, true),
          log: logAccess(table, main, tableState),
        });
      }),
    );
    const running = Promise.all(handlers.map((handler) => handler.run(controller.signal)));
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopped ??= (async () => {
        controller.abort();
        await running;
        await state.close();
      })());
    ending.push(stop);
    return { handlers, stop };
  };
  const start = (
    changes: Readonly<Record<string, unknown>> = {},
    options: Parameters<typeof startTables>[1] = {},
  ): { handler: TableHandler; stop(): Promise<void> } => {
    const { handlers, stop } = startTables([changes], options);
    const [handler] = handlers;
    if (handler === undefined) throw new Error('no table');
    return { handler, stop };
  };
  const told = (): string[] =>
    published.map(({ action, json, drKey }) => {
      const email = json?.['email'] ?? drKey?.['email'];
      return `${action} ${typeof email === 'string' ? email : '?'}`;
    });
  const untilTold = (...expected: string[]): Promise<void> =>
    eventually(() => {
      if (told().length === 0 && reported.length > 0)
        throw new Error(reported.map(({ message }) => message).join('\n'));
      expect([...told()].sort()).toEqual([...expected].sort());
    });
  const rows = async (sql: string): Promise<RowDataPacket[]> => {
    const [found] = await source.query<RowDataPacket[]>(sql);
    return found;
  };
  /** The connections over which the server sends its log. */
  const readers = (): Promise<RowDataPacket[]> =>
    rows("SELECT id FROM information_schema.processlist WHERE command = 'Binlog Dump'");
  const untilRead = (): Promise<void> => eventually(async () => expect(await readers()).toHaveLength(1));
  const query = async (...statements: string[]): Promise<void> => {
    for (const statement of statements) await source.query(statement);
  };
  const connectSource = (): Promise<Connection> =>
    mysql.createConnection({
      host: '127.0.0.1',
      port: mariadb.port,
      user: mariadb.user,
      password: mariadb.password,
      database: 'crm',
    });

  beforeAll(async () => {
    mariadb = await startMariadb();
    const admin = await mysql.createConnection({
      host: '127.0.0.1',
      port: mariadb.port,
      user: mariadb.user,
      password: mariadb.password,
    });
    await admin.query('CREATE DATABASE crm');
    await admin.end();
    source = await connectSource();
    opened = openDatabases(metadataOf());
  });

  beforeEach(async () => {
    adaptorUuid = randomUUID();
    await query(
      'DROP TABLE IF EXISTS `per son`, other, parent',
      'CREATE TABLE `per son` (id bigint PRIMARY KEY AUTO_INCREMENT, mail varchar(100), notes longtext, changed datetime(6))',
    );
    stateFile = join(folder, `${randomUUID()}.sqlite`);
    published = [];
    isDiscovering = false;
    discovered = [];
    reported = [];
    sources = new Set();
    ending = [];
  });

  afterEach(async () => {
    for (const end of ending) await end();
    // the adaptor closes all its connections
    await eventually(async () => expect(await readers()).toEqual([]));
  });

  afterAll(async () => {
    await disconnect([...opened.values()].map(({ knex }) => knex));
    await source.end();
    await mariadb.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports existing rows, then inserts, updates, changed keys and deletions of rows without a modification column', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a')");
    const { handler } = start();
    await untilTold('POST a');
    await untilRead();
    published = [];
    await query("INSERT INTO `per son` (mail) SELECT concat('n', seq) FROM seq_1_to_25");
    await eventually(() => expect(published).toHaveLength(25));
    published = [];
    await query("UPDATE `per son` SET mail = 'b' WHERE mail = 'a'");
    await untilTold('PUT b');
    await query("UPDATE `per son` SET id = 9007199254740995 WHERE mail = 'b'");
    await untilTold('PUT b', 'POST b', 'DELETE b');
    published = [];
    await query("DELETE FROM `per son` WHERE mail IN ('n7', 'b')");
    await untilTold('DELETE n7', 'DELETE b');
    expect(handler.health).toBe('UP');
    expect(reported).toEqual([]);
  });

  it('reports changes during its absence once, and repeats no earlier report', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a'), ('b')");
    const { stop } = start();
    await untilTold('POST a', 'POST b');
    await untilRead();
    await query("UPDATE `per son` SET mail = 'c' WHERE mail = 'b'");
    await untilTold('POST a', 'POST b', 'PUT c');
    await stop();
    await query("DELETE FROM `per son` WHERE mail = 'a'", "INSERT INTO `per son` (mail) VALUES ('d')");
    published = [];
    start();
    await untilTold('DELETE a', 'POST d');
    expect(reported).toEqual([]);
  });

  it('reports text keys in the character set of their column', async () => {
    await query('DROP TABLE `per son`', 'CREATE TABLE `per son` (mail varchar(50) CHARACTER SET latin1 PRIMARY KEY)');
    start({
      primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
      dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
    });
    await untilRead();
    await query("INSERT INTO `per son` VALUES ('Zoë €')");
    await untilTold('POST Zoë €');
    await query('DELETE FROM `per son`');
    await untilTold('POST Zoë €', 'DELETE Zoë €');
  });

  describe('compares the whole table after', () => {
    beforeEach(async () => {
      await query("INSERT INTO `per son` (mail) VALUES ('a'), ('b')");
      start();
      await untilTold('POST a', 'POST b');
      await untilRead();
      published = [];
    });

    it('TRUNCATE', async () => {
      await query('TRUNCATE `per son`');
      await untilTold('DELETE a', 'DELETE b');
    });

    it('a statement of a session that writes statements to the log', async () => {
      await query("SET SESSION binlog_format = 'STATEMENT'", "UPDATE `per son` SET mail = 'c' WHERE mail = 'b'");
      await query("SET SESSION binlog_format = 'ROW'");
      await untilTold('PUT c');
    });

    it('a statement whose trigger changes the table', async () => {
      await query('CREATE TABLE other (id int)');
      await query(
        "CREATE TRIGGER other_added AFTER INSERT ON other FOR EACH ROW DELETE FROM `per son` WHERE mail = 'a'",
      );
      await query("SET SESSION binlog_format = 'STATEMENT'", 'INSERT INTO other VALUES (1)');
      await query("SET SESSION binlog_format = 'ROW'");
      await untilTold('DELETE a');
    });

    it('a distributed transaction, whose rows are in the log before they are committed', async () => {
      const other = await connectSource();
      for (const statement of [
        "XA START 'x'",
        "INSERT INTO `per son` (mail) VALUES ('c')",
        "XA END 'x'",
        "XA PREPARE 'x'",
      ])
        await other.query(statement);
      await query("INSERT INTO `per son` (mail) VALUES ('d')");
      await untilTold('POST d');
      await other.query("XA COMMIT 'x'");
      await other.end();
      await untilTold('POST d', 'POST c');
    });

    it('rows of a log that does not name its columns', async () => {
      const reason = 'binlog_row_metadata of the server is NO_LOG, LOG needs FULL';
      await query('SET GLOBAL binlog_row_metadata = NO_LOG');
      try {
        await query("DELETE FROM `per son` WHERE mail = 'a'");
        await eventually(() => expect([...sources]).toMatchObject([expect.stringContaining(reason)]));
        expect(published).toEqual([]);
      } finally {
        await query('SET GLOBAL binlog_row_metadata = FULL');
      }
      await untilTold('DELETE a');
    });
  });

  it('reads keys when a session leaves columns out of the log', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a'), ('b')");
    start();
    await untilTold('POST a', 'POST b');
    await untilRead();
    published = [];
    await query('SET SESSION binlog_row_image = MINIMAL');
    await query("UPDATE `per son` SET mail = 'c' WHERE mail = 'b'", "DELETE FROM `per son` WHERE mail = 'a'");
    await query('SET SESSION binlog_row_image = FULL');
    await untilTold('PUT c', 'DELETE a');
    expect(reported).toEqual([]);
  });

  it('reads rows that were written before the columns of the table changed', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a'), ('b')");
    const { stop } = start();
    await untilTold('POST a', 'POST b');
    await untilRead();
    await stop();
    published = [];
    await query("DELETE FROM `per son` WHERE mail = 'a'", "INSERT INTO `per son` (mail) VALUES ('c')");
    await query('ALTER TABLE `per son` ADD COLUMN first int FIRST, ADD COLUMN second text AFTER first');
    await query("UPDATE `per son` SET mail = 'd' WHERE mail = 'b'");
    start();
    await untilTold('DELETE a', 'POST c', 'PUT d');
    expect(reported).toEqual([]);
  });

  it('reads the whole table again when the server has purged its log, and reports this', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a'), ('b')");
    const { stop } = start();
    await untilTold('POST a', 'POST b');
    await untilRead();
    await stop();
    await eventually(async () => expect(await readers()).toEqual([]));
    await query("DELETE FROM `per son` WHERE mail = 'a'", "UPDATE `per son` SET mail = 'c' WHERE mail = 'b'");
    await query('FLUSH BINARY LOGS', "INSERT INTO `per son` (mail) VALUES ('d')", 'FLUSH BINARY LOGS');
    const [status] = await rows('SHOW MASTER STATUS');
    // the server keeps a log that it may still need after a crash, and says nothing
    await eventually(async () => {
      await query(`PURGE BINARY LOGS TO '${String(status?.['File'])}'`);
      expect(await rows('SHOW BINARY LOGS')).toHaveLength(1);
    });
    published = [];
    start();
    await untilTold('DELETE a', 'PUT c', 'POST d');
    expect(reported).toMatchObject([{ level: 'WARN', message: expect.stringMatching(/was lost.*purged/) }]);
    await untilRead();
    await query("INSERT INTO `per son` (mail) VALUES ('e')");
    await eventually(() => expect(told()).toContain('POST e'));
  });

  it('reads a table that was dropped and created again', async () => {
    await query("INSERT INTO `per son` (mail) VALUES ('a')");
    const { stop } = start();
    await untilTold('POST a');
    await untilRead();
    await stop();
    await query('DROP TABLE `per son`', 'CREATE TABLE `per son` (mail text, notes text, id bigint PRIMARY KEY)');
    await query("INSERT INTO `per son` (id, mail) VALUES (7, 'b')");
    published = [];
    start();
    await untilTold('DELETE a', 'POST b');
    await query("UPDATE `per son` SET mail = 'c'");
    await untilTold('DELETE a', 'POST b', 'PUT c');
  });

  it('continues after its connection was cut', async () => {
    const { handler } = start();
    await untilRead();
    const [reader] = await readers();
    await query(`KILL ${String(reader?.['id'])}`);
    await eventually(() => expect(sources.size).toBe(1));
    await query("INSERT INTO `per son` (mail) VALUES ('a')");
    await untilTold('POST a');
    await eventually(() => expect(handler.health).toBe('UP'));
  });

  it('loses no change when the server is killed while rows are written', async () => {
    const { handler } = start();
    await untilRead();
    const stored: string[] = [];
    const writing = (async () => {
      const writer = await connectSource();
      writer.on('error', () => undefined);
      for (let number = 0; ; number += 1) {
        await writer.query('INSERT INTO `per son` (mail) VALUES (?)', [`n${number}`]);
        stored.push(`POST n${number}`);
      }
    })().catch(() => undefined);
    await eventually(() => expect(published.length).toBeGreaterThan(50));
    source.on('error', () => undefined);
    await mariadb.kill();
    await writing;
    await mariadb.start();
    source = await connectSource();
    await query("INSERT INTO `per son` (mail) VALUES ('last')");
    await eventually(() => expect(told()).toEqual(expect.arrayContaining([...stored, 'POST last'])), {
      deadlineMs: 60_000,
    });
    const there = await rows('SELECT mail FROM `per son`');
    expect([...told()].sort()).toEqual(there.map(({ mail }) => `POST ${String(mail)}`).sort());
    await eventually(() => expect(handler.health).toBe('UP'));
  });

  it('waits until queries can see a transaction that is already in the log', async () => {
    start();
    await untilRead();
    const slow = await connectSource();
    // the commit is in the log and waits for a replica that does not exist; other transactions can commit
    await query(
      'SET GLOBAL rpl_semi_sync_master_timeout = 600000',
      'SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC',
    );
    await query('SET GLOBAL rpl_semi_sync_master_enabled = ON');
    try {
      const committing = slow.query("INSERT INTO `per son` (mail) VALUES ('slow')");
      await eventually(async () =>
        expect(await rows("SHOW STATUS LIKE 'Rpl_semi_sync_master_wait_sessions'")).toMatchObject([{ Value: '1' }]),
      );
      expect(await rows('SELECT mail FROM `per son`')).toEqual([]);
      // skipping the transaction would lose a change
      const [position] = await rows('SELECT @@gtid_binlog_pos AS position');
      expect(String(position?.['position'])).not.toBe('');
      await expect(eventually(() => expect(told()).not.toEqual([]), { deadlineMs: 1_500 })).rejects.toThrow();
      await query('SET GLOBAL rpl_semi_sync_master_enabled = OFF');
      await committing;
      await untilTold('POST slow');
    } finally {
      await query('SET GLOBAL rpl_semi_sync_master_enabled = OFF');
      await slow.end();
    }
  });

  it('reports each transaction once, for many transactions in several sessions', async () => {
    start();
    await untilRead();
    const sessions = await Promise.all(Array.from({ length: 4 }, connectSource));
    await Promise.all(
      sessions.map(async (session, index) => {
        for (let number = 0; number < 100; number += 1)
          await session.query('INSERT INTO `per son` (mail) VALUES (?)', [`${index}-${number}`]);
        await session.end();
      }),
    );
    await eventually(() => expect(published).toHaveLength(400));
    expect(new Set(told()).size).toBe(400);
  });

  it('reads the log once for two tables of a database, each from its own position', async () => {
    await query('CREATE TABLE other LIKE `per son`', "INSERT INTO other (mail) VALUES ('x')");
    const other = { version: 2, dataSource: { name: 'main', tableName: 'other' } };
    const first = startTables([{}]);
    await untilRead();
    await query("INSERT INTO `per son` (mail) VALUES ('a')");
    await untilTold('POST a');
    await first.stop();
    await query("INSERT INTO `per son` (mail) VALUES ('b')");
    startTables([{}, other]);
    await untilTold('POST a', 'POST b', 'POST x');
    await query("INSERT INTO other (mail) VALUES ('y')", "DELETE FROM `per son` WHERE mail = 'b'");
    await untilTold('POST a', 'POST b', 'POST x', 'POST y', 'DELETE b');
    expect(await readers()).toHaveLength(1);
    expect(reported).toEqual([]);
  });

  it('uses another server id when another reader uses the same one', async () => {
    const { handler } = start();
    await untilRead();
    const [position] = await rows('SELECT @@gtid_binlog_pos AS position');
    const stopped = new AbortController();
    let hasStarted = false;
    const reading = readBinlog(
      {
        server: {
          connection: { host: '127.0.0.1', port: mariadb.port, user: mariadb.user, password: mariadb.password },
        },
        serverId: serverIdOf(adaptorUuid, 'main', 0),
        from: String(position?.['position']),
        tables: [],
        onStart: () => {
          hasStarted = true;
        },
        onEntry: () => undefined,
      },
      stopped.signal,
    );
    await eventually(() => expect(hasStarted).toBe(true));
    await eventually(() =>
      expect([...sources]).toMatchObject([expect.stringContaining('another reader of the binary log uses')]),
    );
    await query("INSERT INTO `per son` (mail) VALUES ('a')");
    await untilTold('POST a');
    await eventually(() => expect(handler.health).toBe('UP'));
    // both are reading
    expect(await readers()).toHaveLength(2);
    stopped.abort();
    await reading;
  });

  it('closes a connection that receives no more bytes, and keeps a connection without changes', async () => {
    const sockets: Socket[] = [];
    const proxy = createServer((client) => {
      const server = connect(mariadb.port, '127.0.0.1');
      sockets.push(client, server);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const [position] = await rows('SELECT @@gtid_binlog_pos AS position');
    const entries: string[] = [];
    const reading = readBinlog(
      {
        server: {
          connection: { host: '127.0.0.1', port, user: mariadb.user, password: mariadb.password },
          heartbeatMs: 200,
          silenceMs: 2_000,
        },
        serverId: 4_000_000_001,
        from: String(position?.['position']),
        tables: [],
        onStart: () => undefined,
        onEntry: ({ kind }) => void entries.push(kind),
      },
      new AbortController().signal,
    );
    let failure: unknown;
    reading.catch((error: unknown) => {
      failure = error;
    });
    try {
      // the heartbeat keeps a connection without changes open
      await untilRead();
      const aliveAt = performance.now();
      await eventually(() => expect(performance.now() - aliveAt).toBeGreaterThan(4_000));
      expect(failure).toBeUndefined();
      await query("INSERT INTO `per son` (mail) VALUES ('a')");
      await eventually(() => expect(entries).toContain('END'));
      for (const socket of sockets) socket.unpipe().pause();
      await expect(reading).rejects.toThrow('the server sent nothing for 2 s');
    } finally {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      for (const { id } of await readers()) await query(`KILL ${String(id)}`);
    }
  });

  describe('falls back to TIMESTAMP and reports the reason', () => {
    const byTime = { timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' } };
    const reasons = (): string[] => reported.map(({ message }) => message);

    it('when a foreign key changes rows without log entries, even if it is added later', async () => {
      await query('CREATE TABLE parent (id bigint PRIMARY KEY)', 'INSERT INTO parent VALUES (1)');
      await query("INSERT INTO `per son` (id, mail, changed) VALUES (1, 'a', now())");
      start(byTime, { logRetryMs: 3_600_000 });
      await untilTold('POST a');
      await untilRead();
      await query(
        'ALTER TABLE `per son` ADD CONSTRAINT of_parent FOREIGN KEY (id) REFERENCES parent (id) ON DELETE CASCADE',
      );
      await eventually(() => expect(reasons()).toEqual([expect.stringContaining('foreign key with ON DELETE')]));
      await query('DELETE FROM parent');
      await untilTold('POST a', 'DELETE a');
      expect(reported).toMatchObject([{ level: 'WARN', kind: 'CONFIGURATION' }]);
    });

    it('when the key has an unsupported type', async () => {
      await query('ALTER TABLE `per son` MODIFY id decimal(10)');
      await query("INSERT INTO `per son` (id, mail, changed) VALUES (1, 'a', now())");
      start(byTime);
      await untilTold('POST a');
      expect(reasons()).toEqual([expect.stringContaining('key column "id" is decimal(10,0)')]);
    });

    it('when the table is a view', async () => {
      await query('CREATE OR REPLACE VIEW persons AS SELECT * FROM `per son`');
      start({ ...byTime, dataSource: { name: 'main', tableName: 'persons' } });
      await eventually(() => expect(reasons()).toEqual([expect.stringContaining('LOG needs a plain table')]));
    });

    it('when the user lacks a right, and reads the log after the right was granted', async () => {
      const credentials = { user: 'reader', password: 'of the test' };
      await query(
        "CREATE OR REPLACE USER reader@'%' IDENTIFIED BY 'of the test'",
        "GRANT SELECT ON crm.* TO reader@'%'",
      );
      const databases = openDatabases(metadataOf({}, credentials));
      try {
        const { stop } = start(byTime, { databases });
        await eventually(() => expect(reasons().at(-1)).toContain('the user needs REPLICATION SLAVE'));
        await query("GRANT REPLICATION SLAVE ON *.* TO reader@'%'");
        await eventually(() => expect(reasons().at(-1)).toContain('the user needs BINLOG MONITOR'));
        await query("GRANT BINLOG MONITOR ON *.* TO reader@'%'");
        await untilRead();
        await query("INSERT INTO `per son` (id, mail) VALUES (1, 'a')");
        await untilTold('POST a');
        // information_schema hides foreign keys from a user who may only read
        await query('CREATE TABLE parent (id bigint PRIMARY KEY)', 'INSERT INTO parent VALUES (1)');
        await query(
          'ALTER TABLE `per son` ADD CONSTRAINT of_parent FOREIGN KEY (id) REFERENCES parent (id) ON UPDATE CASCADE',
        );
        await eventually(() => expect(reasons().at(-1)).toContain('foreign key with ON DELETE or ON UPDATE CASCADE'));
        await stop();
      } finally {
        await disconnect([...databases.values()].map(({ knex }) => knex));
        await query("DROP USER reader@'%'");
      }
    });
  });
});
