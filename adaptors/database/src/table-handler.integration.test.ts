import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import type { Adaptor, Applied, SourceFault } from '@fds/adaptor-sdk';
import { parseAdaptorMetadata } from './configuration/adaptor-metadata.js';
import type { Knex } from 'knex';
import { openKnex } from './source/open-knex.js';
import { createSourceGuard } from './state/source-guard.js';
import { readSourceIdentity } from './source/source-identity.js';
import { createSourceTable } from './source/source-table.js';
import { openFileStore } from './state/open-file-store.js';
import { createFaultBoard } from './table-faults.js';
import { createTableHandler, pauseAfter, type TableHandler } from './table-handler.js';
import { incomingEvent } from './testing/incoming-event.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

interface OpenedHandler {
  /** Until when the table was read, for each report. */
  readonly read: readonly { readonly source: string; readonly until: Date | undefined }[];
  readonly handler: TableHandler;
  readonly connection: Knex;
  /** Path of the source; it does not exist yet. */
  readonly mount: string;
  apply(): Promise<Applied>;
  close(): Promise<void>;
}

/** A handler of the table `person`, whose source is not available. */
const openHandler = (reported: SourceFault[]): OpenedHandler => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-table-handler-'));
  const mount = join(folder, 'mount');
  const metadata = parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${join(mount, 'source.sqlite')}` } } },
    tables: [
      {
        domain: 'person',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
        dataSource: { name: 'main', tableName: 'person' },
      },
    ],
  });
  const [database] = [...metadata.databases.values()];
  const [first] = metadata.tables;
  if (database === undefined || first === undefined) throw new Error('no table');
  const connection = openKnex(database);
  const state = openFileStore(join(folder, 'state.sqlite'));
  const read: { readonly source: string; readonly until: Date | undefined }[] = [];
  const adaptor = {
    log: silent,
    isDiscovering: () => false,
    reportDiscovered: async () => undefined,
    reportSource: (fault: SourceFault) => void reported.push(fault),
    clearSource: (source: string) => void reported.push({ source, reason: '' }),
    caughtUp: (source: string, until?: Date) => void read.push({ source, until }),
    applied: { epoch: null, sequence: 0 },
    publish: async () => undefined,
    reportError: async () => undefined,
  } as Partial<Adaptor> as Adaptor;
  const tableState = state.table('person', 1);
  const handler = createTableHandler({
    table: createSourceTable(connection, first, 'sqlite'),
    state: tableState,
    adaptor,
    drKeyProperties: ['email'],
    guard: createSourceGuard({
      identify: () => readSourceIdentity(connection, database.address, first),
      state: tableState,
      accepts: false,
      onReturn: () => Promise.resolve(),
    }),
    faults: createFaultBoard(adaptor, 1).table('person:1', 'person', true),
  });
  return {
    handler,
    read,
    connection,
    mount,
    apply: () => handler.apply(incomingEvent('ada', { domain: 'person', action: 'POST', json: { email: 'ada' } })),
    close: async () => {
      await connection.destroy();
      await state.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

describe('the pause between attempts of a failing scan', () => {
  const pauses = (error: unknown): number[] => [1, 2, 3, 6, 100].map((times) => pauseAfter(error, times));

  it('grows to half a minute, and further if the password is refused', () => {
    expect(pauses(new Error('away'))).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
    expect(pauses(Object.assign(new Error(), { code: '28P01' }))).toEqual([30_000, 60_000, 120_000, 600_000, 600_000]);
  });
});

describe('a table handler', () => {
  it('says until when it has read the table after each scan, and not while the table is away', async () => {
    const reported: SourceFault[] = [];
    const { handler, read, connection, mount, close } = openHandler(reported);
    const stop = new AbortController();
    try {
      const running = handler.run(stop.signal);
      await eventually(() => expect(reported).not.toEqual([]));
      expect(read).toEqual([]);
      mkdirSync(mount);
      const before = Date.now();
      await connection.raw('CREATE TABLE person (mail TEXT PRIMARY KEY, changed TEXT)');
      await eventually(() => expect(read.length).toBeGreaterThan(0));
      const [{ source, until } = { source: '', until: undefined }] = read;
      expect(source).toBe('person:1');
      expect(until?.getTime()).toBeGreaterThan(before - 60_000);
      expect(until?.getTime()).toBeLessThanOrEqual(Date.now());
      stop.abort();
      await running;
    } finally {
      stop.abort();
      await close();
    }
  });

  it('waits for a source that is not available, reports it once and in its health, and applies events when it is available again', async () => {
    const reported: SourceFault[] = [];
    const { handler, connection, mount, apply, close } = openHandler(reported);
    try {
      await expect(apply()).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
      await expect(apply()).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
      expect(handler.health).toBe('DOWN');
      expect(new Set(reported.map(({ reason }) => reason)).size).toBe(1);
      expect(reported[0]).toMatchObject({ source: 'person:1', reason: expect.stringContaining('source.sqlite') });
      mkdirSync(mount);
      await connection.raw('CREATE TABLE person (mail TEXT PRIMARY KEY, changed TEXT)');
      await apply();
      expect(handler.health).toBe('UP');
      expect(reported.at(-1)).toEqual({ source: 'person:1', reason: '' });
      expect(await connection('person').select('mail')).toMatchObject([{ mail: 'ada' }]);
    } finally {
      await close();
    }
  });
});
