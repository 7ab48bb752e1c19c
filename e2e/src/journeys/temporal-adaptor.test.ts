import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { AssembledRecord, AssemblyAnswer } from '../doors/assembly/assembly-answer.js';
import { setUpDoors } from '../doors/set-up-doors.js';
import { startAdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus } from '../harness/catalogue.js';
import { createCustomerDatabase } from '../harness/customer-database.js';
import { exchange } from '../harness/exchange.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

type Source = 'ward' | 'desk';

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'temporal-adaptor.sqlite');

describe('a temporal adaptor', () => {
  const { doors, leftovers } = setUpDoors();

  /** A domain with a temporal adaptor and two sources. */
  const openHistory = async (domain: string, metadata: object) => {
    const { dgs, root, service } = doors;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, room: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions(domain);
    const created = await createAdaptor(dgs, root, { name: `history of ${domain}`, capabilities, metadata });
    const temporal = await startAdaptorProcess(leftovers, service, created, {
      script: 'adaptors/temporal/dist/main.js',
    });
    await temporal.untilUp();
    const sources = {} as Record<Source, Awaited<ReturnType<typeof startSourceAdaptor>>>;
    for (const name of ['ward', 'desk'] as const) {
      const source = await createAdaptor(dgs, root, { name: `${name} of ${domain}`, capabilities });
      sources[name] = await startSourceAdaptor(leftovers, service, source, { apply: () => undefined });
    }
    const assemble = async (additionalParams: object): Promise<AssembledRecord | undefined> => {
      const { body } = requireStatus(
        await exchange<AssemblyAnswer>(`${service.assemblyUrl}/request`, {
          token: dgs.token ?? '',
          method: 'POST',
          json: { domain, drKeys: [{ id: 1 }], adaptors: [created.uuid], additionalParams },
        }),
        200,
      );
      return body.assembledDataRecords[0];
    };
    return {
      temporal,
      assemble,
      uuidOf: (name: Source): string => sources[name].adaptorUuid,
      timestamps: async (more: object = {}): Promise<readonly number[] | undefined> =>
        (await assemble({ 'timestamp-search': true, ...more }))?.timestamps,
      report: (name: Source, json: object, at: number): Promise<void> =>
        sources[name].publish({ action: 'PUT', domain, version: 1, json: { id: 1, ...json }, createTime: at }),
    };
  };

  /** A place for the history of an adaptor. */
  interface Store {
    readonly metadata: object;
    /** Does the store contain versions of the record? */
    hasVersions(dataDirectory: string): Promise<boolean>;
  }

  const inFile = (): Promise<Store> =>
    Promise.resolve({
      metadata: {},
      hasVersions: async (dataDirectory) => existsSync(fileOf(dataDirectory)),
    });
  const inPostgresql = async (): Promise<Store> => {
    const database = await createCustomerDatabase();
    leftovers.add(() => database.drop());
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    leftovers.add(() => client.end());
    const { host, pathname, username, password } = new URL(database.url);
    const properties = {
      jdbcUrl: `jdbc:postgresql://${host}${pathname}`,
      'dataSource.user': username,
      'dataSource.password': decodeURIComponent(password),
    };
    return {
      metadata: { store: { type: 'JDBC', properties } },
      hasVersions: async (dataDirectory) => {
        const { rows } = await client.query('SELECT 1 FROM fds_record_version');
        return rows.length > 0 && !existsSync(fileOf(dataDirectory));
      },
    };
  };

  it.each([
    ['the embedded store', 'patient', inFile],
    ['PostgreSQL', 'guest', inPostgresql],
  ] as const)(
    'answers requests for a moment, finds the moments of a record, and loses no event when it is killed, with %s',
    async (_, domain, openStore) => {
      const store = await openStore();
      const { temporal, assemble, timestamps, report, uuidOf } = await openHistory(domain, store.metadata);
      await report('ward', { name: 'Ada', room: '7' }, start);
      await eventually(async () => expect(await timestamps()).toEqual([start]));

      await temporal.kill();
      await report('ward', { room: null }, start + hour);
      temporal.start();
      await eventually(async () => expect(await timestamps()).toEqual([start, start + hour]));
      await report('desk', { name: 'Ada L.' }, start + 2 * hour);
      await eventually(async () => expect(await timestamps()).toEqual([start, start + hour, start + 2 * hour]));

      const dataAt = async (timestamp: unknown) => (await assemble({ timestamp }))?.data;
      expect(await dataAt(start)).toEqual({ id: 1, name: 'Ada', room: '7' });
      expect(await dataAt('2026-01-01T02:30:00+01:00')).toEqual({ id: 1, name: 'Ada', room: null });
      expect((await assemble({}))?.data).toEqual({ id: 1, name: 'Ada L.', room: null });
      expect((await assemble({ 'source-adaptor': uuidOf('desk') }))?.data).toEqual({ id: 1, name: 'Ada L.' });

      expect(await timestamps({ 'source-adaptor': uuidOf('ward') })).toEqual([start, start + hour]);
      expect(await timestamps({ 'timestamp-ascending': false, 'timestamp-max': 2 })).toEqual([
        start + 2 * hour,
        start + hour,
      ]);
      expect(await timestamps({ 'timestamp-start': start + 1, 'timestamp-end': '2026-01-01T01:00:00Z' })).toEqual([
        start + hour,
      ]);
      expect(await store.hasVersions(temporal.dataDirectory)).toBe(true);
    },
    120_000,
  );
});
