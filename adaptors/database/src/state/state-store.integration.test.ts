import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { openMongodbServer, type MongodbServer } from '../testing/open-mongodb-server.js';
import type { KnownRow } from '../source/row-base.js';
import type { StateStore, TableState } from './adaptor-state.js';
import { openFileStore } from './open-file-store.js';
import { openState } from './open-state.js';

const folder = mkdtempSync(join(tmpdir(), 'fds-state-'));
const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const why = postgresUrl === undefined ? ' (skipped: FDS_TEST_DATABASE_URL is not set)' : '';

const table = {
  domain: 'person',
  version: 1,
  primaryKeySpecs: [{ type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
  timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
  dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
  dataSource: { name: 'main', tableName: 'person' },
};
const main = { type: 'JDBC', properties: { jdbcUrl: 'jdbc:sqlite:/source' } };

/** Metadata whose tables keep both parts of the state in the store. */
const metadataWith = (store: object | undefined, parts: object = { processingDataSource: { name: 'store' } }) =>
  parseAdaptorMetadata({
    databases: { main, ...(store === undefined ? {} : { store }) },
    tables: [{ ...table, ...(store === undefined ? {} : parts) }],
  });

interface Place {
  readonly store: object | undefined;
  close(): Promise<void>;
}

const inFile = (): Promise<Place> => Promise.resolve({ store: undefined, close: () => Promise.resolve() });

const inPostgresql = async (): Promise<Place> => {
  const name = `fds_state_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl ?? '');
  url.pathname = `/${name}`;
  return {
    store: { type: 'DOCUMENT_STORE', properties: { connectionString: url.href } },
    close: async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
};

const inMongodb = async (): Promise<Place> => {
  const server = await openMongodbServer();
  const { connectionString, close } = server;
  return { store: { type: 'DOCUMENT_STORE', properties: { connectionString } }, close };
};

const row = (key: string, changes: Partial<KnownRow> = {}): KnownRow => ({
  keyText: JSON.stringify([key]),
  digest: `digest of ${JSON.stringify(key)}`,
  drUuid: null,
  record: JSON.stringify({ email: key }),
  ...changes,
});
const keyTexts = (...keys: string[]): string[] => keys.map((key) => JSON.stringify([key]));

describe.each([
  ['the file', inFile, true],
  [`PostgreSQL${why}`, inPostgresql, postgresUrl !== undefined],
  ['MongoDB (its driver, and a server made for the test)', inMongodb, true],
] as const)('the state of a table in %s', (_, openPlace, available) => {
  const check = available ? it : it.skip;
  let place: Place;
  let adaptorUuid: string;
  let state: TableState;
  let file: StateStore;
  let close: () => Promise<void>;

  /** Opens the state like a process of this adaptor. */
  const open = async (uuid = adaptorUuid): Promise<{ state: TableState; file: StateStore; close(): Promise<void> }> => {
    const metadata = metadataWith(place.store);
    const opened = await openState(metadata, uuid);
    await opened.prepare();
    const store = openFileStore(join(folder, `${uuid}.sqlite`));
    const [first] = metadata.tables;
    if (first === undefined) throw new Error('no table');
    return {
      state: opened.stateOf(first, store),
      file: store,
      close: async () => {
        await opened.close();
        await store.close();
      },
    };
  };

  beforeAll(async () => {
    if (available) place = await openPlace();
  });
  beforeEach(async () => {
    if (!available) return;
    adaptorUuid = randomUUID();
    ({ state, file, close } = await open());
  });
  afterAll(async () => {
    if (available) await place.close();
  });

  check('keeps the positions of the scan and the log, also after a restart', async () => {
    expect([await state.scannedUntil(), await state.scannedLog()]).toEqual([undefined, undefined]);
    await state.rememberScan(1n);
    await state.rememberScan(1_767_225_600_123_456n);
    await state.rememberLog('slot_a');
    await state.rememberSource('the source');
    await close();
    ({ state, file, close } = await open());
    expect([await state.scannedUntil(), await state.scannedLog()]).toEqual([1_767_225_600_123_456n, 'slot_a']);
    expect(await state.knownSource()).toBe('the source');
    await state.rememberLog(undefined);
    expect([await state.scannedUntil(), await state.scannedLog()]).toEqual([1_767_225_600_123_456n, undefined]);
    await close();
  });

  check('stores rows, and keeps the record of a row that is stored again', async () => {
    const drUuid = randomUUID();
    await state.rememberRows([row('a', { drUuid }), row('b'), row('ü "x" 日 \u0000')]);
    await state.rememberRows([row('a', { digest: 'new', record: '{}' })]);
    await close();
    ({ state, file, close } = await open());
    const known = await state.knownRows(keyTexts('a', 'b', 'gone', 'ü "x" 日 \u0000'));
    expect([...known.values()].sort((one, two) => (one.keyText < two.keyText ? -1 : 1))).toEqual([
      row('a', { drUuid, digest: 'new', record: '{}' }),
      row('b'),
      row('ü "x" 日 \u0000'),
    ]);
    const found = await state.byRecords([drUuid, randomUUID()]);
    expect([...found]).toEqual([[drUuid, row('a', { drUuid, digest: 'new', record: '{}' })]]);
    await state.rememberRows([]);
    expect(await state.knownRows([])).toEqual(new Map());
    await close();
  });

  check(
    'returns an announced row as unreported until it is confirmed or stored again, also after a restart',
    async () => {
      const digests = async (): Promise<object> => {
        const known = await state.knownRows(keyTexts('a', 'b', 'c', 'd'));
        return Object.fromEntries([...known.values()].map(({ keyText, digest }) => [keyText, digest]));
      };
      await state.announceRows([row('a'), row('b'), row('c'), row('d')]);
      await close();
      ({ state, file, close } = await open());
      expect(await digests()).toEqual({ '["a"]': '', '["b"]': '', '["c"]': '', '["d"]': '' });
      expect((await state.knownRows(keyTexts('a'))).get('["a"]')?.record).toBe(row('a').record);
      // an incoming event was applied between the two calls
      await state.rememberRows([row('b', { digest: 'applied' })]);
      await state.forget(keyTexts('c'));
      expect(await digests()).toEqual({ '["a"]': '', '["b"]': 'applied', '["d"]': '' });
      await state.confirmRows([row('a'), row('b')]);
      expect(await digests()).toEqual({ '["a"]': row('a').digest, '["b"]': row('b').digest, '["d"]': '' });
      await state.announceRows([]);
      await state.confirmRows([]);
      await close();
    },
  );

  check('returns each known key once, and deletes rows', async () => {
    const keys = Array.from({ length: 25 }, (_item, index) => `key ${index} ${'x'.repeat(3_000)}`);
    await state.rememberRows(keys.map((key) => row(key)));
    const seen: string[] = [];
    for (let after: string | undefined; ; after = seen.at(-1)) {
      const next = await state.keysAfter(after, 10);
      if (next.length === 0) break;
      seen.push(...next);
    }
    expect([...seen].sort()).toEqual(keyTexts(...keys).sort());
    await state.forget(keyTexts(...keys.slice(0, 24), 'never seen'));
    await state.forget([]);
    expect(await state.keysAfter(undefined, 10)).toEqual(keyTexts(...keys.slice(24)));
    await close();
  });

  check('is separate from the state of another adaptor', async () => {
    await state.rememberScan(7n);
    await state.rememberRows([row('a')]);
    const other = await open(randomUUID());
    expect(await other.state.scannedUntil()).toBeUndefined();
    expect(await other.state.keysAfter(undefined, 10)).toEqual([]);
    await other.close();
    await close();
  });

  check('is only written to the configured store', async () => {
    await state.rememberScan(7n);
    await state.rememberRows([row('a')]);
    expect((await file.table('person', 1).scannedUntil()) === undefined).toBe(place.store !== undefined);
    expect((await file.table('person', 1).keysAfter(undefined, 10)).length === 0).toBe(place.store !== undefined);
    await close();
  });
});

describe('a state store that is not available', () => {
  let server: MongodbServer;
  beforeAll(async () => {
    server = await openMongodbServer();
  });
  afterAll(() => server.close());

  it('is a temporary fault of the configuration at first, and later a failure that events wait for', async () => {
    const store = { type: 'DOCUMENT_STORE', properties: { connectionString: server.connectionString } };
    const metadata = metadataWith(store, { localIdentifierStoreDataSource: { name: 'store', databaseName: 'ids' } });
    const [first] = metadata.tables;
    if (first === undefined) throw new Error('no table');
    const opened = await openState(metadata, randomUUID());
    const file = openFileStore(join(folder, `${randomUUID()}.sqlite`));
    try {
      await opened.prepare();
      expect(await opened.faults()).toEqual([]);
      const state = opened.stateOf(first, file);
      await state.rememberScan(7n);
      await server.interrupt();
      await expect(state.byRecords([randomUUID()])).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
      expect(await opened.faults()).toMatchObject([
        { place: '/databases/store/properties/connectionString', retry: 'SOON' },
      ]);
      await server.resume();
      expect(await state.scannedUntil()).toBe(7n);
    } finally {
      await opened.close();
      await file.close();
    }
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));
