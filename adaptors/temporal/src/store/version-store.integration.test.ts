import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createRandom, type Random } from '@fds/testing';
import type { RecordChange } from '../events/record-version.js';
import { openEmbeddedSession } from './open-embedded-session.js';
import { openPostgresqlSession } from './open-postgresql-session.js';
import { openVersionStore } from './open-version-store.js';
import type { SqlSession } from './sql-session.js';
import type { VersionStore } from './version-store.js';

const handler = { domain: 'customer', version: 1 };
const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const why = postgresUrl === undefined ? ' (skipped: FDS_TEST_DATABASE_URL is not set)' : '';

const folder = mkdtempSync(join(tmpdir(), 'fds-temporal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Opened {
  open(): SqlSession;
  drop(): Promise<void>;
}

const embedded = (): Promise<Opened> => {
  const file = join(folder, `${randomUUID()}.sqlite`);
  return Promise.resolve({ open: () => openEmbeddedSession(file), drop: () => Promise.resolve() });
};

const postgresql = async (): Promise<Opened> => {
  const name = `fds_temporal_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const { host, username: user, password } = new URL(postgresUrl ?? '');
  const connectionString = `postgresql://${host}/${name}?user=nobody`;
  return {
    // the user of the metadata replaces the user of the URL
    open: () =>
      openPostgresqlSession({ connectionString, user, password: decodeURIComponent(password), maxConnections: 2 }),
    drop: async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
};

interface Told extends RecordChange {
  readonly transactionUuid: string;
}

const sources = ['crm', 'erp'];
const properties = ['name', 'phone', 'big'];

const randomChange = (random: Random, records: readonly string[], time: number): Told => {
  const drUuid = random.pick(records);
  const action = random.pick(['POST', 'PUT', 'PUT', 'PUT', 'DELETE'] as const);
  const values: JsonObject = Object.fromEntries(
    random.some(properties, 0.6).map((name) => [name, random.pick([null, 'a', 'b', 7, 9_007_199_254_740_993n])]),
  );
  return {
    drUuid,
    action,
    sourceAdaptorUuid: random.pick(sources),
    drKeyValues: [drUuid],
    createTime: time + random.below(40) - 20,
    json: action === 'DELETE' ? {} : { id: drUuid, ...values },
    transactionUuid: random.uuid(),
  };
};

/** The expected record at a moment: applies all relevant events of the record one after the other. */
const naively = (
  changes: readonly Told[],
  drUuid: string,
  at: number,
  source?: string,
): JsonObject | null | undefined => {
  let [latest, state]: [number, JsonObject | null | undefined] = [Number.NEGATIVE_INFINITY, undefined];
  for (const change of changes.filter((one) => one.drUuid === drUuid)) {
    latest = Math.max(latest, change.createTime);
    if (latest > at || (source !== undefined && change.sourceAdaptorUuid !== source)) continue;
    state = change.action === 'DELETE' ? null : { ...(change.action === 'POST' ? {} : state), ...change.json };
  }
  return state;
};

describe.each([
  ['embedded', embedded, true],
  [`PostgreSQL${why}`, postgresql, postgresUrl !== undefined],
] as const)('the %s store', (_, prepare, isAvailable) => {
  const check = isAvailable ? it : it.skip;
  let opened: Opened;
  beforeAll(async () => {
    if (isAvailable) opened = await prepare();
  });
  afterAll(async () => {
    if (isAvailable) await opened.drop();
  });

  const withStore = async (work: (store: VersionStore) => Promise<void>, adaptorUuid: string = randomUUID()) => {
    const store = await openVersionStore(opened.open(), adaptorUuid);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  const expectSame = async (store: VersionStore, changes: readonly Told[], records: readonly string[], at: number) => {
    for (const sourceAdaptorUuid of [undefined, ...sources]) {
      const found = await store.versionsAt(handler, records, { at, sourceAdaptorUuid });
      const shown = records.map((drUuid) => {
        const version = found.get(drUuid);
        return sourceAdaptorUuid === undefined ? version?.state : version?.sourceState;
      });
      const expected = records.map((drUuid) => naively(changes, drUuid, at, sourceAdaptorUuid));
      expect(shown).toEqual(expected);
      const page = await store.page(handler, {
        at,
        sourceAdaptorUuid,
        offset: 0,
        limit: 10,
        order: [{ property: 'id', direction: 'DESC' }],
      });
      const existing = records.filter((_record, index) => expected[index] !== null && expected[index] !== undefined);
      expect(page.total).toBe(existing.length);
      expect(page.versions.map(({ drUuid }) => drUuid)).toEqual(existing.toSorted().toReversed());
    }
  };

  check(
    'agrees with a naive implementation for random histories, also after repeated events and a removal',
    async () => {
      for (let seed = 1; seed <= 25; seed += 1) {
        const random = createRandom(seed);
        const records = [random.uuid(), random.uuid(), random.uuid()];
        const changes = Array.from({ length: 30 }, (_change, index) =>
          randomChange(random, records, 1_000 + index * 10),
        );
        const moments = Array.from({ length: 6 }, () => 950 + random.below(400));
        const adaptorUuid = random.uuid();
        await withStore(async (store) => {
          for (const change of changes) {
            await store.append(handler, change, change.transactionUuid);
            if (random.chance(0.3)) {
              const again = random.pick(changes.slice(0, changes.indexOf(change) + 1));
              await store.append(handler, again, again.transactionUuid);
            }
          }
          for (const at of moments) await expectSame(store, changes, records, at);
        }, adaptorUuid);
        await withStore(async (store) => {
          const before = 1_000 + random.below(300);
          while ((await store.removeOlder(before, 4)) === 4);
          expect(await store.removeOlder(before, 4)).toBe(0);
          for (const at of moments.filter((moment) => moment >= before)) {
            const found = await store.versionsAt(handler, records, { at, sourceAdaptorUuid: undefined });
            for (const drUuid of records) {
              const expected = naively(changes, drUuid, at);
              // the store may remove a deleted record
              expect(found.get(drUuid)?.state ?? null).toEqual(expected ?? null);
            }
          }
        }, adaptorUuid);
      }
    },
  );

  check('returns each time of a record once, in both orders, within bounds, and for one source', async () => {
    const drUuid = randomUUID();
    const times: readonly (readonly [number, string])[] = [
      [10, 'crm'],
      [20, 'erp'],
      [20, 'crm'],
      [30, 'erp'],
    ];
    await withStore(async (store) => {
      for (const [createTime, sourceAdaptorUuid] of times) {
        const change = { drUuid, action: 'PUT', sourceAdaptorUuid, drKeyValues: [1], createTime, json: {} } as const;
        await store.append(handler, change, randomUUID());
      }
      const all = { start: undefined, end: undefined, ascending: true, limit: 10 };
      expect(await store.timestamps(handler, drUuid, all, undefined)).toEqual([10, 20, 30]);
      expect(await store.timestamps(handler, drUuid, { ...all, ascending: false, limit: 2 }, undefined)).toEqual([
        30, 20,
      ]);
      expect(await store.timestamps(handler, drUuid, { ...all, start: 10.5, end: 20.5 }, undefined)).toEqual([20]);
      expect(await store.timestamps(handler, drUuid, all, 'erp')).toEqual([20, 30]);
      expect(await store.timestamps({ ...handler, version: 2 }, drUuid, all, undefined)).toEqual([]);
    });
  });

  check('sorts a page by numeric value, and counts the records of all pages', async () => {
    await withStore(async (store) => {
      for (const size of [10, 9, 100]) {
        const drUuid = randomUUID();
        const json = { 'the "size"': size };
        const change = { drUuid, action: 'POST', sourceAdaptorUuid: 'crm', drKeyValues: [size], createTime: 1, json };
        await store.append(handler, { ...change, action: 'POST' }, randomUUID());
      }
      const order = [{ property: 'the "size"', direction: 'ASC' }] as const;
      const moment = { at: undefined, sourceAdaptorUuid: undefined };
      const { versions, total } = await store.page(handler, { ...moment, offset: 1, limit: 2, order });
      expect(versions.map(({ drKeyValues }) => drKeyValues)).toEqual([[10], [100]]);
      expect(total).toBe(3);
    });
  });
});
