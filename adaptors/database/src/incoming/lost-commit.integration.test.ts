import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestSource } from '../testing/test-sources.js';

/** Passes connections on. With `losesCommits`, it ends a connection in the place of the answer to a COMMIT. */
const openPath = async (port: number) => {
  const sockets = new Set<Socket>();
  const state = { losesCommits: false, lost: 0 };
  const server = createServer((client) => {
    const database = connect(port, '127.0.0.1');
    let commits = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      commits ||= state.losesCommits && /COMMIT;?\0?$/i.test(bytes.toString('latin1'));
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (!commits) return void client.write(bytes);
      state.lost += 1;
      client.destroy();
      database.destroy();
    });
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    state,
    port: (server.address() as AddressInfo).port,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

describe.each(['PostgreSQL', 'MariaDB'] as const)('a commit of %s whose answer is lost', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-lost-commit-'));
  let source: TestSource;
  let path: Awaited<ReturnType<typeof openPath>>;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    const [price, changed] = name === 'MariaDB' ? ['decimal', 'datetime(6)'] : ['numeric', 'timestamptz'];
    await source.run(
      `CREATE TABLE contact (id varchar(40) PRIMARY KEY, price ${price}(10, 2), changed ${changed} NOT NULL)`,
    );
    const jdbcUrl = String(source.properties['jdbcUrl']);
    const port = /127\.0\.0\.1:(\d+)|localhost:(\d+)/.exec(jdbcUrl);
    path = await openPath(Number(port?.[1] ?? port?.[2]));
    played = playTable({
      properties: { ...source.properties, jdbcUrl: jdbcUrl.replace(/\/\/[^/]+\//, `//127.0.0.1:${path.port}/`) },
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        dataColumns: {
          id: { source: 'id', columnType: 'STRING' },
          price: { source: 'price', columnType: 'DECIMAL' },
        },
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'contact' },
        scanMethod: 'TIMESTAMP',
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 50 },
      },
      stateFile: join(folder, 'state.sqlite'),
      scans: true,
      drKeyProperties: ['id'],
    });
  });
  afterAll(async () => {
    await played?.stop();
    await path?.close();
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const rows of [1, 20])
    check(`leaves the exact values of ${rows} new rows to the scan`, async () => {
      const ids = Array.from({ length: rows }, (_, at) => `${rows}-${at}`);
      const before = played.published.length;
      path.state.losesCommits = true;
      const applied = await Promise.allSettled(
        ids.map((id) =>
          played.handler.apply(
            incomingEvent(id, { action: 'POST', drUuid: randomUUID(), json: { id, price: 10.125 } }),
          ),
        ),
      );
      path.state.losesCommits = false;
      expect(path.state.lost).toBeGreaterThan(0);
      const [refused] = applied.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(refused).toMatchObject({ retry: 'UNTIL_IT_WORKS' });
      const written = await played.connection('contact').whereIn('id', ids).select('id', 'price');
      expect(written.length).toBeGreaterThan(0);
      await eventually(() => expect(played.published.length - before).toBeGreaterThanOrEqual(1));
      for (const { json } of played.published.slice(before)) expect(json).toMatchObject({ price: 10.125 });
    });
});
