import { afterEach, describe, expect, it } from '@jest/globals';
import type { OutgoingEvent } from '@fds/adaptor-sdk';
import { eventually, mariadbMissing, postgresMissing, startMariadb, startPostgres } from '@fds/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { playTable } from '../../testing/play-table.js';

const why = postgresMissing === undefined ? '' : ` (skipped: ${postgresMissing})`;

(postgresMissing === undefined ? describe : describe.skip)(
  `a PostgreSQL that is stopped while its log is read${why}`,
  () => {
    const leftover: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const step of leftover.splice(0).toReversed()) await step();
    });

    /** A server whose table `person` is read from the log. @param publish what happens with each event */
    const setUp = async (publish: (event: OutgoingEvent) => Promise<void>) => {
      const folder = mkdtempSync(join(tmpdir(), 'fds-shutdown-'));
      leftover.push(async () => rmSync(folder, { recursive: true, force: true }));
      const server = await startPostgres();
      leftover.push(() => server.dispose());
      const source = new pg.Client({ host: '127.0.0.1', port: server.port, user: server.user, database: 'postgres' });
      source.on('error', () => undefined);
      await source.connect();
      leftover.push(() => source.end());
      await source.query('CREATE TABLE person (id int PRIMARY KEY, mail text)');
      const { stop } = playTable({
        properties: {
          jdbcUrl: `jdbc:postgresql://127.0.0.1:${server.port}/postgres`,
          'dataSource.user': server.user,
        },
        table: {
          primaryKeySpecs: [{ type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
          dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
          dataSource: { tableName: 'person' },
          scanMethod: 'LOG',
          scanOptions: { maxBatchSize: 1 },
        },
        stateFile: join(folder, 'state.sqlite'),
        publish,
        drKeyProperties: ['email'],
      });
      leftover.push(stop);
      await eventually(async () => {
        const { rows } = await source.query('SELECT 1 FROM pg_stat_replication');
        expect(rows).toHaveLength(1);
      });
      return { server, source, stop };
    };

    /** Waits until the reader has confirmed exactly what the server has sent. */
    const untilConfirmed = (source: pg.Client): Promise<void> =>
      eventually(async () => {
        const { rows } = await source.query(
          'SELECT sent_lsn::text AS sent, flush_lsn::text AS flush FROM pg_stat_replication',
        );
        expect(rows[0]).toMatchObject({ flush: (rows[0] as { sent: string }).sent });
      });

    it('stops at once when nothing changes', async () => {
      const { server, source } = await setUp(() => Promise.resolve());
      await source.query(`INSERT INTO person VALUES (1, 'a')`);
      await untilConfirmed(source);
      expect(await server.stop(5_000)).toBeLessThan(5_000);
    });

    it('stops at once under load, and every row arrives after its start', async () => {
      const published = new Set<unknown>();
      const { server, source } = await setUp(async ({ json }) => void published.add(json?.['email']));
      const writing = (async () => {
        for (let id = 0; ; id += 1) await source.query('INSERT INTO person VALUES ($1, $2)', [id, `m${id}`]);
      })().catch(() => undefined);
      await eventually(() => expect(published.size).toBeGreaterThan(20));
      expect(await server.stop(5_000)).toBeLessThan(5_000);
      await writing;
      await server.start();
      const again = new pg.Client({ host: '127.0.0.1', port: server.port, user: server.user, database: 'postgres' });
      await again.connect();
      leftover.push(() => again.end());
      const { rows } = await again.query<{ mail: string }>('SELECT mail FROM person');
      await eventually(() => expect(published.size).toBe(rows.length), { deadlineMs: 60_000 });
    });

    it('stops at once when events wait because the journal is full', async () => {
      let release = (): void => undefined;
      const waiting = new Promise<void>((resolve) => {
        release = resolve;
      });
      let waits = 0;
      const { server, source } = await setUp(async () => {
        waits += 1;
        await waiting;
      });
      await source.query(`INSERT INTO person SELECT i, 'm' || i FROM generate_series(1, 100) AS i`);
      await eventually(() => expect(waits).toBeGreaterThan(0));
      try {
        expect(await server.stop(5_000)).toBeLessThan(5_000);
      } finally {
        release();
      }
    });

    it('stops at once when the adaptor is paused', async () => {
      const { server, source, stop } = await setUp(() => Promise.resolve());
      await stop();
      await source.query(`INSERT INTO person VALUES (1, 'a')`);
      expect(await server.stop(5_000)).toBeLessThan(5_000);
    });
  },
);

const whyNoMariadb = mariadbMissing === undefined ? '' : ` (skipped: ${mariadbMissing})`;

(mariadbMissing === undefined ? describe : describe.skip)(
  `a MariaDB that is stopped while its log is read${whyNoMariadb}`,
  () => {
    it.each([
      ['nothing changes', 0],
      ['the reader waits because the journal is full', 20_000],
    ])('stops at once when %s', async (_, rows) => {
      const folder = mkdtempSync(join(tmpdir(), 'fds-shutdown-'));
      const server = await startMariadb();
      const { port, user, password } = server;
      const source = await mysql.createConnection({ host: '127.0.0.1', port, user, password });
      source.on('error', () => undefined);
      await source.query('CREATE DATABASE crm');
      await source.query('USE crm');
      await source.query('CREATE TABLE crm.person (id int PRIMARY KEY, mail varchar(1000))');
      let release = (): void => undefined;
      const waiting = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { published, stop } = playTable({
        properties: {
          jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/crm`,
          'dataSource.user': user,
          'dataSource.password': password,
        },
        table: {
          primaryKeySpecs: [{ type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
          dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
          dataSource: { tableName: 'person' },
          scanMethod: 'LOG',
          scanOptions: { maxBatchSize: 10 },
        },
        stateFile: join(folder, 'state.sqlite'),
        publish: () => waiting,
        drKeyProperties: ['email'],
      });
      try {
        await eventually(async () => {
          const [found] = await source.query(
            "SELECT 1 FROM information_schema.processlist WHERE command = 'Binlog Dump'",
          );
          expect(found).toHaveLength(1);
        });
        if (rows > 0) {
          await source.query(`INSERT INTO crm.person SELECT seq, repeat('x', 900) FROM seq_1_to_${rows}`);
          await eventually(() => expect(published.length).toBeGreaterThan(0));
        }
        expect(await server.stop()).toBeLessThan(5_000);
      } finally {
        release();
        await stop();
        source.destroy();
        await server.dispose();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  },
);
