import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Adaptor, AdaptorHandlers, IncomingEvent, SourceFault } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTemporalHandlers } from './temporal-handlers.js';

const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];
const why = postgresUrl === undefined ? ' (skipped: FDS_TEST_DATABASE_URL is not set)' : '';

const eventOf = (drUuid: string): IncomingEvent => ({
  action: 'POST',
  drUuid,
  json: { id: '1' },
  drKeyValues: ['1'],
  drKey: '["1"]',
  jsonData: '{"id":"1"}',
  domain: 'customer',
  version: 1,
  domainVersionUuid: randomUUID(),
  sourceAdaptorUuid: null,
  destinationAdaptorUuid: randomUUID(),
  transactionUuid: randomUUID(),
  createTime: 1,
  messageGroup: drUuid,
  position: { epoch: randomUUID(), sequence: 1 },
});

(postgresUrl === undefined ? describe.skip : describe)(`a temporal adaptor with a store in PostgreSQL${why}`, () => {
  const name = `fds_temporal_${randomUUID().replaceAll('-', '')}`;
  const faults = new Map<string, SourceFault>();
  let admin: pg.Client;
  let database: pg.Client;
  let handlers: AdaptorHandlers;
  const apply = async (event: IncomingEvent): Promise<unknown> => handlers.apply?.(event);

  beforeAll(async () => {
    admin = new pg.Client({ connectionString: postgresUrl });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(postgresUrl ?? '');
    const { username: user, password } = url;
    url.pathname = `/${name}`;
    database = new pg.Client({ connectionString: url.href });
    await database.connect();
    const silent = (): void => undefined;
    const adaptor = {
      adaptorUuid: randomUUID(),
      reportSource: (fault: SourceFault) => void faults.set(fault.source, fault),
      clearSource: (source: string) => void faults.delete(source),
      log: { error: silent, warn: silent, info: silent, debug: silent },
    } as Partial<Adaptor> as Adaptor;
    handlers = createTemporalHandlers(adaptor, { file: ':memory:', now: Date.now });
    url.username = '';
    url.password = '';
    const properties = {
      jdbcUrl: `jdbc:${url.href.replace(/^postgres(ql)?:/, 'postgresql:')}`,
      'dataSource.user': decodeURIComponent(user),
      'dataSource.password': decodeURIComponent(password),
    };
    await handlers.configure?.({
      metadata: { store: { type: 'JDBC', properties } },
      capabilities: [],
      domainVersions: [],
      discoveryMode: false,
    });
  });
  afterAll(async () => {
    await handlers.stop?.();
    await database.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });

  it('waits while its table is missing, and says so until it is back', async () => {
    const event = eventOf(randomUUID());
    await database.query('ALTER TABLE fds_record_version RENAME TO away');
    await expect(apply(event)).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS', waitsFor: 'store' });
    expect(faults.get('store')).toMatchObject({
      state: 'ERROR',
      reason: expect.stringContaining('fds_record_version'),
    });
    await database.query('ALTER TABLE away RENAME TO fds_record_version');
    await apply(event);
    expect(faults.size).toBe(0);
  });

  it('reports an event that the store refuses as a data issue, and stores the next one', async () => {
    await database.query("ALTER TABLE fds_record_version ADD CONSTRAINT rule CHECK (dr_uuid <> 'refused')");
    await expect(apply(eventOf('refused'))).rejects.toMatchObject({
      kind: 'DATA',
      retry: 'NEVER',
      title: 'The store of the history refused the record',
    });
    expect(faults.size).toBe(0);
    await apply(eventOf(randomUUID()));
    const { rows } = await database.query('SELECT count(*)::int AS versions FROM fds_record_version');
    expect(rows).toEqual([{ versions: 2 }]);
  });
});
