import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import Database from 'libsql';
import { startAdaptorProcess, type AdaptorProcess } from '../harness/adaptor-process.js';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  rootZone,
  type CreatedAdaptor,
} from '../harness/catalogue.js';
import { signIn, type Client } from '../harness/client.js';
import { createLeftovers } from '../harness/leftovers.js';
import { startService, type Service } from '../harness/service.js';
import { spawnScript } from '../harness/spawned.js';

const script = 'adaptors/database/dist/main.js';

describe('a database adaptor with a wrong configuration', () => {
  const leftovers = createLeftovers();
  let service: Service;
  let dgs: Client;
  let zone: string;
  let file: string;
  let adaptor: CreatedAdaptor;
  let process: AdaptorProcess;

  const metadata = (column: string, source: string, secret = 'x') => ({
    databases: {
      crm: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${file}`, 'dataSource.password': secret } },
    },
    tables: [
      {
        domain: 'contact',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataColumns: {
          mail: { source: 'email', columnType: 'STRING' },
          [column]: { source, columnType: 'STRING' },
        },
        dataSource: { name: 'crm', tableName: 'contact' },
        scanOptions: { scanIntervalMilliseconds: 100 },
      },
    ],
  });
  const path = (): string => `/zones/${zone}/adaptors/${adaptor.uuid}`;
  const configure = async (to: unknown): Promise<void> => {
    const current = requireStatus(await dgs.rest<{ changeVersion: number }>('GET', path()), 200);
    const { changeVersion } = current.body;
    requireStatus(await dgs.rest('PATCH', path(), { changeVersion, metadata: to }), 200);
  };
  const state = async () => {
    const { body } = await dgs.rest<{ state: string; stateMessage: string | null; metadata: unknown }>('GET', path());
    return body;
  };
  const stateIs = (expected: string, message = ''): Promise<void> =>
    eventually(async () => {
      const { state: found, stateMessage } = await state();
      expect([found, stateMessage ?? '']).toEqual([expected, expect.stringContaining(message)]);
    });
  /** Runs `--check` in another folder. */
  const check = async (environment: Readonly<Record<string, string>> = {}) => {
    const copy = mkdtempSync(join(tmpdir(), 'fds-checked-'));
    leftovers.add(() => rmSync(copy, { recursive: true, force: true }));
    const checking = spawnScript({
      script,
      args: ['--check'],
      cwd: copy,
      environment: {
        ADAPTOR_UUID: adaptor.uuid,
        CLIENT_ID: adaptor.clientId,
        CLIENT_SECRET: adaptor.clientSecret,
        MESSAGE_BUS_URL: service.busUrl,
        AUTH_SERVER_URL: service.baseUrl,
        DATA_DIRECTORY: copy,
        ...environment,
      },
    });
    return { code: await checking.ended(), output: checking.output() };
  };

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fds-configuration-'));
    leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
    file = join(folder, 'crm.db');
    const crm = new Database(file);
    crm.exec(`CREATE TABLE contact (mail TEXT PRIMARY KEY, full_name TEXT, changed TEXT);
      INSERT INTO contact VALUES ('ada@example.org', 'Ada', '2026-01-01 00:00:00')`);
    crm.close();
    service = await startService(leftovers);
    dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(dgs);
    await createVersion(dgs, {
      name: 'contact',
      domainType: 'FEDERATED',
      properties: { email: { type: 'string' }, name: { type: 'string' } },
      drKeyProperties: ['email'],
    });
    adaptor = await createAdaptor(dgs, zone, {
      name: 'crm',
      capabilities: allActions('contact'),
      metadata: metadata('full_nam', 'nmae', '${CRM_PASSWORD}'),
    });
    process = await startAdaptorProcess(leftovers, service, adaptor, { script });
  }, 120_000);

  afterAll(() => leftovers.dispose(), 120_000);

  it('is in ERROR and names a variable that its process does not have', async () => {
    await stateIs(
      'ERROR',
      '/databases/crm/properties/dataSource.password: the environment variable CRM_PASSWORD is not set',
    );
    await process.kill();
    const { code, output } = await check();
    expect([code, output]).toEqual([2, expect.stringContaining('CRM_PASSWORD is not set')]);
  });

  it('is in ERROR, names a misspelt property and column with their places, and reports this once', async () => {
    process.start({ environment: { CRM_PASSWORD: 'of-the-environment' } });
    await stateIs('ERROR', '/tables/0/dataColumns/full_nam/source: contact:1 has no property "nmae" (nearest: "name")');
    const { stateMessage } = await state();
    expect(stateMessage).toContain(
      '/tables/0/dataColumns/full_nam: contact has no column "full_nam" (nearest: "full_name")',
    );
    const { body } = await dgs.rest<{ status: string }>('GET', `${path()}/health`);
    expect(body.status).toBe('DOWN');
    const lines = process
      .process()
      .output()
      .split('\n')
      .filter((line) => line.includes('full_nam'));
    expect(lines).toHaveLength(1);
  });

  it('starts when the configuration is right, and the check says so without disturbing it', async () => {
    await configure(metadata('full_name', 'name', '${CRM_PASSWORD}'));
    await stateIs('STARTED');
    await process.untilUp();
    await eventually(async () => {
      const { body } = await dgs.rest<{ _page: { totalElements: number } }>('GET', '/drs?filters=name:contact');
      expect(body._page.totalElements).toBe(1);
    });
    const environment = { CRM_PASSWORD: 'of-the-environment' };
    expect(await check(environment)).toEqual({ code: 0, output: 'the configuration is valid: contact:1\n' });
    // the running process has kept its session: it reports the next row
    const crm = new Database(file);
    crm.exec(`INSERT INTO contact VALUES ('grace@example.org', 'Grace', '2026-01-02 00:00:00')`);
    crm.close();
    await eventually(async () => {
      const { body } = await dgs.rest<{ _page: { totalElements: number } }>('GET', '/drs?filters=name:contact');
      expect(body._page.totalElements).toBe(2);
    });
    expect((await state()).state).toBe('STARTED');
    expect(process.process().output()).not.toContain('has taken over');
    await process.kill();
  });

  it('shows the password masked and keeps it when the mask is written back', async () => {
    await configure(metadata('full_name', 'name', 'geheim'));
    const masked = metadata('full_name', 'name', '***');
    expect((await state()).metadata).toEqual(masked);
    await configure({ ...masked, tables: masked.tables.map((table) => ({ ...table, version: 2 })) });
    const { code, output } = await check();
    expect(code).toBe(2);
    expect(output).toContain('/tables/0/version: no capability of the adaptor names version 2 of contact; named: 1');
    expect(output).not.toContain('NOTHING_TO_KEEP');
  });
});
