import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { playTable, type PlayedTable } from '../../testing/play-table.js';

const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const why = postgresUrl === undefined ? ' (skipped: FDS_TEST_DATABASE_URL is not set)' : '';
const byTimestamp = { timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' } };

(postgresUrl === undefined ? describe.skip : describe)(
  `statements of an application while LOG is configured${why}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fds-statements-'));
    const database = `fds_statements_${randomUUID().replaceAll('-', '')}`;
    const adaptorUuid = randomUUID();
    let admin: pg.Client;
    let source: pg.Client;
    let playing: PlayedTable[];

    const play = (
      more: Readonly<Record<string, unknown>> = byTimestamp,
      stateFile = join(folder, `${randomUUID()}.sqlite`),
    ): PlayedTable & { readonly stateFile: string } => {
      const url = new URL(postgresUrl ?? '');
      const played = playTable({
        properties: {
          jdbcUrl: `jdbc:postgresql://${url.host}/${database}`,
          'dataSource.user': url.username,
          'dataSource.password': decodeURIComponent(url.password),
        },
        table: {
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
          dataColumns: { id: { source: 'id', columnType: 'LONG' }, v: { source: 'v', columnType: 'STRING' } },
          dataSource: { tableName: 'p' },
          scanMethod: 'LOG',
          scanOptions: { scanIntervalMilliseconds: 100 },
          ...more,
        },
        stateFile,
        adaptorUuid,
        logRetryMs: 100,
        drKeyProperties: ['id'],
      });
      playing.push(played);
      return { ...played, stateFile };
    };
    const untilRead = (): Promise<void> =>
      eventually(async () => {
        const { rows } = await source.query(
          'SELECT 1 FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE s.database = current_database()',
        );
        expect(rows).toHaveLength(1);
      });
    const publications = async (): Promise<unknown[]> =>
      (await source.query('SELECT pubname FROM pg_publication')).rows;
    const values = ({ published }: PlayedTable): unknown[] =>
      published.map(({ action, json, drKey }) => `${action} ${Number(json?.['id'] ?? drKey?.['id'])}`).sort();

    beforeAll(async () => {
      admin = new pg.Client({ connectionString: postgresUrl });
      await admin.connect();
      await admin.query(`CREATE DATABASE ${database}`);
      const url = new URL(postgresUrl ?? '');
      url.pathname = `/${database}`;
      source = new pg.Client({ connectionString: url.href });
      await source.connect();
    });
    beforeEach(async () => {
      playing = [];
      await source.query('CREATE TABLE p (id int PRIMARY KEY, v text, changed timestamptz DEFAULT now())');
    });
    afterEach(async () => {
      for (const { stop } of playing) await stop();
      await eventually(async () => {
        await source.query(
          'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()',
        );
      });
      await source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      for (const { pubname } of (await publications()) as { pubname: string }[])
        await source.query(`DROP PUBLICATION ${pubname}`);
    });
    afterAll(async () => {
      await source.end();
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      await admin.end();
      rmSync(folder, { recursive: true, force: true });
    });

    it('succeed in a child table without a replica identity, whose rows are read by TIMESTAMP', async () => {
      await source.query(`CREATE TABLE c_nopk (extra int) INHERITS (p); INSERT INTO c_nopk (id, v) VALUES (1, 'a')`);
      const played = play();
      await eventually(() => expect(values(played)).toEqual(['POST 1']));
      expect(played.sources.get('thing:1 log')?.reason).toContain('other tables inherit from public.p');
      await source.query(`UPDATE c_nopk SET v = 'b', changed = now()`);
      await eventually(() => expect(values(played)).toEqual(['POST 1', 'PUT 1']));
      await source.query('DELETE FROM c_nopk');
      await eventually(() => expect(values(played)).toEqual(['DELETE 1', 'POST 1', 'PUT 1']));
      expect(await publications()).toEqual([]);
      await source.query('DROP TABLE c_nopk');
      await untilRead();
      await eventually(() => expect(played.sources.size).toBe(0));
    });

    it('succeed in a child table that is created while the log is read, and its rows are read', async () => {
      const played = play();
      await untilRead();
      await source.query(`CREATE TABLE c_nopk (extra int) INHERITS (p); INSERT INTO c_nopk (id, v) VALUES (1, 'a')`);
      await source.query(`UPDATE c_nopk SET v = 'b'`);
      await eventually(() => expect(values(played)).toEqual(['POST 1']));
      await eventually(async () => expect(await publications()).toEqual([]));
      await played.stop();
      await source.query(`UPDATE c_nopk SET v = 'c'; DELETE FROM c_nopk`);
    });

    it('succeed in a table that an earlier version of the adaptor has published', async () => {
      const played = play();
      await untilRead();
      await played.stop();
      const { rows } = await source.query<{ name: string }>(
        'SELECT slot_name AS name FROM pg_replication_slots WHERE database = current_database()',
      );
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a'); CREATE PUBLICATION ${rows[0]?.name} FOR TABLE p`);
      await source.query('ALTER TABLE p DROP CONSTRAINT p_pkey');
      await expect(source.query(`UPDATE p SET v = 'b'`)).rejects.toThrow('replica identity');
      play();
      await eventually(async () => expect(await publications()).toEqual([]));
      await source.query(`UPDATE p SET v = 'b'`);
    });

    it.each([
      ['loses its primary key', 'ALTER TABLE p DROP CONSTRAINT p_pkey'],
      ['loses its replica identity', 'ALTER TABLE p REPLICA IDENTITY NOTHING'],
      ['becomes unlogged', 'ALTER TABLE p SET UNLOGGED'],
    ])('succeed at once in a table that %s, while the log is read and while the adaptor is stopped', async (_, sql) => {
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a'), (2, 'a'), (3, 'a')`);
      const first = play();
      await untilRead();
      await eventually(() => expect(first.published).toHaveLength(3));
      await source.query(`BEGIN; ${sql}; UPDATE p SET v = 'b' WHERE id = 1; DELETE FROM p WHERE id = 2; ROLLBACK`);
      await first.stop();
      await source.query(sql);
      await source.query(`UPDATE p SET v = 'b', changed = now() WHERE id = 1`);
      await source.query('DELETE FROM p WHERE id = 2');
      expect(await publications()).toEqual([]);
      const second = play(byTimestamp, first.stateFile);
      await eventually(() => expect(values(second)).toEqual(['DELETE 2', 'PUT 1']));
    });

    it('succeed in a migration that replaces the primary key in one transaction', async () => {
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a')`);
      const played = play();
      await untilRead();
      await eventually(() => expect(values(played)).toEqual(['POST 1']));
      await source.query(
        `BEGIN; ALTER TABLE p DROP CONSTRAINT p_pkey; UPDATE p SET id = id + 10; ALTER TABLE p ADD PRIMARY KEY (id); COMMIT`,
      );
      await eventually(() => expect(values(played)).toEqual(['DELETE 1', 'POST 1', 'POST 11']));
    });

    it('succeed after the table has lost its primary key', async () => {
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a')`);
      const played = play();
      await untilRead();
      await source.query('ALTER TABLE p DROP CONSTRAINT p_pkey');
      await eventually(() => expect(played.sources.size).toBe(1));
      await source.query(`UPDATE p SET v = 'b', changed = now()`);
      await eventually(() => expect(values(played)).toEqual(['POST 1', 'PUT 1']));
    });

    it('succeed after the primary key has become deferrable', async () => {
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a')`);
      play();
      await untilRead();
      await source.query('ALTER TABLE p DROP CONSTRAINT p_pkey; ALTER TABLE p ADD PRIMARY KEY (id) DEFERRABLE');
      await source.query(`UPDATE p SET v = 'b', changed = now(); DELETE FROM p`);
    });

    it('reach the hub after the table was dropped and created again while the log was read', async () => {
      await source.query(`INSERT INTO p (id, v) VALUES (1, 'a')`);
      const played = play();
      await untilRead();
      await eventually(() => expect(values(played)).toEqual(['POST 1']));
      await source.query(
        `BEGIN; DROP TABLE p; CREATE TABLE p (id int PRIMARY KEY, v text, changed timestamptz); INSERT INTO p VALUES (2, 'b'); COMMIT`,
      );
      await eventually(() => expect(values(played)).toEqual(['DELETE 1', 'POST 1', 'POST 2']));
      await source.query(`INSERT INTO p VALUES (3, 'c')`);
      await eventually(() => expect(values(played)).toContain('POST 3'));
    });

    it.each([
      [
        'a partitioned table',
        `DROP TABLE p; CREATE TABLE p (id int, v text, changed timestamptz DEFAULT now()) PARTITION BY LIST (id);
      CREATE TABLE p1 PARTITION OF p DEFAULT`,
      ],
      ['an unlogged table', 'ALTER TABLE p SET UNLOGGED'],
      ['a table without a primary key', 'ALTER TABLE p DROP CONSTRAINT p_pkey'],
      [
        'a table whose primary key is deferrable',
        'ALTER TABLE p DROP CONSTRAINT p_pkey; ALTER TABLE p ADD PRIMARY KEY (id) DEFERRABLE',
      ],
    ])('succeed in %s, which is read by TIMESTAMP', async (_, sql) => {
      await source.query(`${sql}; INSERT INTO p (id, v) VALUES (1, 'a')`);
      const played = play();
      await eventually(() => expect(values(played)).toEqual(['POST 1']));
      await source.query(`UPDATE p SET v = 'b', changed = now()`);
      await eventually(() => expect(values(played)).toEqual(['POST 1', 'PUT 1']));
      await source.query('DELETE FROM p');
      await eventually(() => expect(values(played)).toEqual(['DELETE 1', 'POST 1', 'PUT 1']));
      expect(await publications()).toEqual([]);
    });
  },
);
