import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DiscoveredReport, AdaptorError } from '@fds/adaptor-protocol';
import type { Adaptor, OutgoingEvent, SourceFault } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseAdaptorMetadata } from '../../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../../source/open-databases.js';
import { openKnex } from '../../source/open-knex.js';
import { postgresqlConnection } from '../../source/open/open-postgresql.js';
import { createSourceTable } from '../../source/source-table.js';
import { openFileStore } from '../../state/open-file-store.js';
import { createFaultBoard } from '../../table-faults.js';
import { createTableHandler, type TableHandler } from '../../table-handler.js';
import { LogUnavailable } from './log-unavailable.js';
import { dropUnusedLogs, logNameOf, openLog } from './open-log.js';
import { createPostgresqlLog } from './postgresql-log.js';

const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const why = postgresUrl === undefined ? ' (skipped: FDS_TEST_DATABASE_URL is not set)' : '';
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

(postgresUrl === undefined ? describe.skip : describe)(`the log of a PostgreSQL table${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-log-'));
  const database = `fds_log_${randomUUID().replaceAll('-', '')}`;
  const adaptorUuid = randomUUID();
  let admin: pg.Client;
  let source: pg.Client;
  let opened: ReturnType<typeof openDatabases>;
  let stateFile: string;
  let isDiscovering = false;
  let discovered: (DiscoveredReport & { readonly published: number })[] = [];
  let published: OutgoingEvent[];
  let reported: AdaptorError[];
  let sources: Set<string>;
  let ending: (() => Promise<void>)[];

  const metadataOf = (changes: Readonly<Record<string, unknown>> = {}) => {
    const url = new URL(postgresUrl ?? '');
    return parseAdaptorMetadata({
      databases: {
        main: {
          type: 'JDBC',
          properties: {
            jdbcUrl: `jdbc:postgresql://${url.host}/${database}`,
            'dataSource.user': url.username,
            'dataSource.password': decodeURIComponent(url.password),
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
          dataSource: { name: 'main', tableName: 'Per son' },
          scanMethod: 'LOG',
          scanOptions: { maxBatchSize: 10, scanIntervalMilliseconds: 100 },
          ...changes,
        },
      ],
    });
  };
  const sourceUrl = (): string => {
    const url = new URL(postgresUrl ?? '');
    url.pathname = `/${database}`;
    return url.href;
  };
  const table = () => {
    const [first] = metadataOf().tables;
    if (first === undefined) throw new Error('no table');
    return first;
  };

  /** Starts the handler like a process does. Returns a function that stops it. */
  const start = (
    changes: Readonly<Record<string, unknown>> = {},
    logRetryMs?: number,
  ): { handler: TableHandler; stop(): Promise<void> } => {
    const metadata = metadataOf(changes);
    const [first] = metadata.tables;
    const [main] = opened.values();
    if (first === undefined || main?.database.address.dialect !== 'postgresql') throw new Error('no table');
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
    const tableState = state.table('person', 1);
    const handler = createTableHandler({
      table: createSourceTable(main.knex, first, 'postgresql'),
      state: tableState,
      adaptor,
      drKeyProperties: ['email'],
      logRetryMs,
      guard: { check: () => Promise.resolve() },
      faults: createFaultBoard(adaptor, 1).table('person:1', first.dataSource.tableName, true),
      log: createPostgresqlLog({
        knex: main.knex,
        connection: postgresqlConnection(main.database.address, main.database),
        adaptorUuid,
        table: first,
        rememberLog: tableState.rememberLog,
      }),
    });
    const controller = new AbortController();
    const running = handler.run(controller.signal);
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopped ??= (async () => {
        controller.abort();
        await running;
        await state.close();
      })());
    ending.push(stop);
    return { handler, stop };
  };
  const told = (): string[] =>
    published.map(({ action, json, drKey }) => {
      const email = json?.['email'] ?? drKey?.['email'];
      return `${action} ${typeof email === 'string' ? email : '?'}`;
    });
  const untilTold = (...expected: string[]): Promise<void> => eventually(() => expect(told()).toEqual(expected));
  /** Waits until the slot is being read, or not. A slot is also in use for a moment while it is created. */
  const slotActive = async (active: boolean): Promise<void> =>
    eventually(async () => {
      const { rows } = await source.query(
        `SELECT active, EXISTS (SELECT FROM pg_stat_replication WHERE pid = active_pid) AS read
         FROM pg_replication_slots WHERE slot_name = $1`,
        [logNameOf(adaptorUuid, table())],
      );
      expect(rows).toEqual([{ active, read: active }]);
    });

  beforeAll(async () => {
    admin = new pg.Client({ connectionString: postgresUrl });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${database}`);
    source = new pg.Client({ connectionString: sourceUrl() });
    await source.connect();
    opened = openDatabases(metadataOf());
  });

  beforeEach(async () => {
    await source.query('DROP TABLE IF EXISTS "Per son"');
    await source.query(
      'CREATE TABLE "Per son" (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, mail text, notes text, changed timestamptz)',
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
    const [main] = opened.values();
    if (main !== undefined) await dropUnusedLogs(main.knex, adaptorUuid, []);
    const { rows } = await source.query(
      "SELECT 1 FROM pg_replication_slots WHERE slot_name LIKE 'fds\\_%' AND database = current_database()",
    );
    expect(rows).toEqual([]);
  });

  afterAll(async () => {
    await disconnect([...opened.values()].map(({ knex }) => knex));
    await source.end();
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports existing rows, then inserts, updates, changed keys and deletions of rows without a modification column', async () => {
    const long = 'x'.repeat(100_000);
    await source.query(`INSERT INTO "Per son" (mail, notes) VALUES ('a', $1)`, [long]);
    const { handler } = start();
    await untilTold('POST a');
    await slotActive(true);
    await source.query(`INSERT INTO "Per son" (mail) SELECT 'n' || i FROM generate_series(1, 25) AS i`);
    await eventually(() => expect(published).toHaveLength(26));
    published = [];
    await source.query(`UPDATE "Per son" SET mail = 'b' WHERE mail = 'a'`);
    await untilTold('PUT b');
    // the log omits the long column, because it did not change
    expect(published[0]?.json?.['notes']).toBe(long);
    await source.query(`UPDATE "Per son" SET id = 1000 WHERE mail = 'b'`);
    await untilTold('PUT b', 'POST b', 'DELETE b');
    published = [];
    await source.query(`DELETE FROM "Per son" WHERE mail = 'n7'`);
    await untilTold('DELETE n7');
    expect(handler.health).toBe('UP');
    expect(reported).toEqual([]);
  });

  it('reports the discovery when the whole table was compared, also if the log was read before', async () => {
    isDiscovering = true;
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a'), ('b')`);
    const first = start();
    await eventually(() => expect(discovered).toEqual([{ domain: 'person', version: 1, records: 2, published: 2 }]));
    await first.stop();
    isDiscovering = true;
    start();
    await eventually(() => expect(discovered).toHaveLength(2));
    expect(discovered[1]).toEqual({ domain: 'person', version: 1, records: 2, published: 2 });
  });

  it('reports changes during its absence once, and repeats no earlier report', async () => {
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a'), ('b')`);
    const { stop } = start();
    await eventually(() => expect(published).toHaveLength(2));
    await slotActive(true);
    await source.query(`UPDATE "Per son" SET mail = 'c' WHERE mail = 'b'`);
    await untilTold('POST a', 'POST b', 'PUT c');
    await stop();
    await source.query(`DELETE FROM "Per son" WHERE mail = 'a'; INSERT INTO "Per son" (mail) VALUES ('d')`);
    published = [];
    start();
    await eventually(() => expect([...told()].sort()).toEqual(['DELETE a', 'POST d']));
  });

  it('reports every row as deleted after TRUNCATE', async () => {
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a'), ('b')`);
    start();
    await eventually(() => expect(published).toHaveLength(2));
    await slotActive(true);
    published = [];
    await source.query('TRUNCATE "Per son"');
    await eventually(() => expect([...told()].sort()).toEqual(['DELETE a', 'DELETE b']));
  });

  it('reads the whole table again when the slot was lost, and reports this', async () => {
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a'), ('b')`);
    const { stop } = start();
    await eventually(() => expect(published).toHaveLength(2));
    // from then on the position is stored
    await slotActive(true);
    await stop();
    await slotActive(false);
    await source.query('SELECT pg_drop_replication_slot($1)', [logNameOf(adaptorUuid, table())]);
    await source.query(`DELETE FROM "Per son" WHERE mail = 'a'; UPDATE "Per son" SET mail = 'c' WHERE mail = 'b'`);
    published = [];
    start();
    await eventually(() => expect([...told()].sort()).toEqual(['DELETE a', 'PUT c']));
    expect(reported).toMatchObject([{ level: 'WARN', message: expect.stringContaining('was lost') }]);
  });

  it('reads a table that was dropped and created again', async () => {
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a')`);
    const { stop } = start();
    await untilTold('POST a');
    await slotActive(true);
    await stop();
    await source.query('DROP TABLE "Per son"');
    await source.query('CREATE TABLE "Per son" (id bigint PRIMARY KEY, mail text, notes text)');
    await source.query(`INSERT INTO "Per son" (id, mail) VALUES (7, 'b')`);
    published = [];
    start();
    await eventually(() => expect([...told()].sort()).toEqual(['DELETE a', 'POST b']));
    await source.query(`UPDATE "Per son" SET mail = 'c'`);
    await eventually(() => expect(told()).toContain('PUT c'));
  });

  it('continues after its connection was cut', async () => {
    const { handler } = start();
    await slotActive(true);
    await source.query(`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1`, [
      logNameOf(adaptorUuid, table()),
    ]);
    await eventually(() => expect(sources.size).toBe(1));
    await source.query(`INSERT INTO "Per son" (mail) VALUES ('a')`);
    await untilTold('POST a');
    await eventually(() => expect(handler.health).toBe('UP'));
  });

  it('waits until queries can see a transaction that is already in the log', async () => {
    start();
    await slotActive(true);
    const slow = new pg.Client({ connectionString: sourceUrl() });
    await slow.connect();
    await slow.query('SET synchronous_commit = on');
    try {
      // the commit is in the log and waits for a standby that does not exist
      await admin.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
      await admin.query('SELECT pg_reload_conf()');
      const made: string[] = [];
      let committing: Promise<unknown> | undefined;
      await eventually(async () => {
        committing ??= (async () => {
          made.push(`slow ${made.length}`);
          await slow.query(`INSERT INTO "Per son" (mail) VALUES ($1)`, [made.at(-1)]);
          committing = undefined; // the setting was not in effect yet
        })();
        const { rows } = await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        expect(rows).toHaveLength(1);
      });
      const shown = made.slice(0, -1).map((mail) => `POST ${mail}`);
      await source.query(`INSERT INTO "Per son" (mail) VALUES ('fast')`);
      // skipping the transaction would lose a change
      await expect(eventually(() => expect(told()).toContain('POST fast'), { deadlineMs: 1_500 })).rejects.toThrow();
      expect(told()).toEqual(shown);
      await admin.query('ALTER SYSTEM RESET synchronous_standby_names');
      await admin.query('SELECT pg_reload_conf()');
      await committing;
      await eventually(() => expect([...told()].sort()).toEqual(['POST fast', ...made.map((mail) => `POST ${mail}`)]));
    } finally {
      await admin.query('ALTER SYSTEM RESET synchronous_standby_names');
      await admin.query('SELECT pg_reload_conf()');
      await slow.end();
    }
  });

  it('names the permission that a user lacks to read the log', async () => {
    const [first] = metadataOf().tables;
    const role = `fds_reader_${randomUUID().slice(0, 8)}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'of the test'`);
    await source.query(`GRANT SELECT ON "Per son" TO ${role}`);
    const url = new URL(sourceUrl());
    const knex = openKnex({
      address: {
        dialect: 'postgresql',
        host: url.hostname,
        port: Number(url.port),
        database,
        tls: 'off',
      },
      user: role,
      password: 'of the test',
      maxConnections: 1,
    });
    if (first === undefined) throw new Error('no table');
    const name = logNameOf(adaptorUuid, first);
    const open = (): Promise<unknown> => openLog(knex, adaptorUuid, first, () => Promise.resolve());
    try {
      await expect(open()).rejects.toThrow(LogUnavailable);
      await expect(open()).rejects.toThrow(new RegExp(`^the slot ${name} cannot be created: .*replication`));
      await source.query(`ALTER ROLE ${role} REPLICATION`);
      await expect(open()).resolves.toMatchObject({ isNew: true });
    } finally {
      await knex.destroy();
      await source.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  describe('while the replica identity lacks the key', () => {
    const byTimestamp = { timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' } };
    const slots = async (): Promise<unknown[]> => {
      const name = logNameOf(adaptorUuid, table());
      return (await source.query('SELECT active FROM pg_replication_slots WHERE slot_name = $1', [name])).rows;
    };

    beforeEach(() => source.query('ALTER TABLE "Per son" REPLICA IDENTITY NOTHING'));

    it('scans by TIMESTAMP, reports deletions even if enableDeletionScan is false, and reports the reason once', async () => {
      await source.query(`INSERT INTO "Per son" (mail, changed) VALUES ('a', now()), ('b', now())`);
      start(byTimestamp, 50);
      await eventually(() => expect([...told()].sort()).toEqual(['POST a', 'POST b']));
      published = [];
      await source.query(`DELETE FROM "Per son" WHERE mail = 'a'`);
      await untilTold('DELETE a');
      expect(reported).toMatchObject([
        {
          level: 'WARN',
          kind: 'CONFIGURATION',
          message: expect.stringMatching(/searched for deleted rows.*key column "id" is not in the replica identity/),
        },
      ]);
    });

    it('returns to the log when the replica identity is repaired, and misses no change in between', async () => {
      await source.query(`INSERT INTO "Per son" (mail, changed) VALUES ('a', now()), ('b', now())`);
      // the scan by time does not find deletions; the search for deleted keys runs once an hour
      const { handler } = start({ ...byTimestamp, scanOptions: { scanIntervalMilliseconds: 3_600_000 } }, 50);
      await eventually(() => expect([...told()].sort()).toEqual(['POST a', 'POST b']));
      await source.query(`DELETE FROM "Per son" WHERE mail = 'a'`);
      published = [];
      await source.query('ALTER TABLE "Per son" REPLICA IDENTITY DEFAULT');
      await untilTold('DELETE a');
      await slotActive(true);
      // only the log shows a row without a modification time
      await source.query(`UPDATE "Per son" SET mail = 'c', changed = NULL WHERE mail = 'b'`);
      await untilTold('DELETE a', 'PUT c');
      expect(handler.health).toBe('UP');
      expect(reported).toHaveLength(1);
    });

    it('drops the slot, because it would make the database keep its log, and reads the whole table when LOG returns', async () => {
      await source.query('ALTER TABLE "Per son" REPLICA IDENTITY DEFAULT');
      await source.query(`INSERT INTO "Per son" (mail, changed) VALUES ('a', now()), ('b', now())`);
      const { stop } = start();
      await eventually(() => expect([...told()].sort()).toEqual(['POST a', 'POST b']));
      await slotActive(true);
      await stop();
      await slotActive(false);
      await source.query(`DELETE FROM "Per son" WHERE mail = 'a'; ALTER TABLE "Per son" REPLICA IDENTITY NOTHING`);
      published = [];
      start(byTimestamp, 50);
      await untilTold('DELETE a');
      await eventually(async () => expect(await slots()).toEqual([]));
      await source.query('ALTER TABLE "Per son" REPLICA IDENTITY DEFAULT');
      await slotActive(true);
      expect(told()).toEqual(['DELETE a']);
    });
  });
});
