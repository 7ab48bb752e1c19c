import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import Database from 'libsql';
import { eventually } from '@fds/testing';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const pageOf = (name: string): string => readFileSync(join(checkout, 'docs/recipes', name), 'utf8');
const pages = pageOf('second-system.md') + pageOf('restore-a-system.md');

const { doors, leftovers } = setUpDoors();
/** The packages of the checkout are found in it, as if they were installed there. */
const folder = mkdtempSync(join(tmpdir(), 'fds-second-system-'));
symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));

const customers = 200;
const databases = new Map<string, Database.Database>();
afterAll(() => {
  for (const database of databases.values()) database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A system with a table of customers. @param row the values of a customer */
const createSystem = (name: string, row: (id: number) => readonly [name: string, phone: string | null]): object => {
  const file = join(folder, `${name}.sqlite`);
  const database = new Database(file);
  databases.set(name, database);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000; PRAGMA recursive_triggers = OFF;
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, changed TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f')));
    CREATE TRIGGER customer_changed AFTER UPDATE OF name, phone ON customer BEGIN
      UPDATE customer SET changed = strftime('%Y-%m-%d %H:%M:%f') WHERE id = new.id; END`);
  const insert = database.prepare('INSERT INTO customer (id, name, phone) VALUES (?, ?, ?)');
  for (let id = 1; id <= customers; id += 1) insert.run(id, ...row(id));
  return {
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${file}` } } },
    tables: [
      {
        domain: 'customer',
        version: 1,
        dataSource: { name: 'main', tableName: 'customer' },
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 200 },
        dataColumns: {
          id: { source: 'id', columnType: 'LONG', updatable: false },
          name: { source: 'name', columnType: 'STRING' },
          phone: { source: 'phone', columnType: 'STRING' },
        },
      },
    ],
  };
};

const rowsOf = (system: string): unknown =>
  databases.get(system)?.prepare('SELECT id, name, phone FROM customer ORDER BY id').raw().all();

/** Variables of the shell that later sections use. */
const variables: Record<string, string> = {};

/** Runs the commands of a section of the pages. @param more commands after them */
const paste = async (heading: string, more = ''): Promise<string> => {
  const [, section = ''] = pages.split(`## ${heading}\n`);
  const blocks = [...(section.split('\n## ')[0]?.matchAll(/```sh\n([\s\S]*?)```/g) ?? [])].map(([, block]) => block);
  if (blocks.length === 0) throw new Error(`the pages have no commands below ${heading}`);
  const { service, dgs, root } = doors;
  const adaptor = `ADAPTOR=$API/zones/$ZONE/adaptors/$(sed -n 's/^adaptor.uuid = //p' shop.properties 2>/dev/null || true)`;
  const env = {
    ...process.env,
    BASE: service.baseUrl,
    API: `${service.baseUrl}/api`,
    JSON: 'content-type: application/json',
    STEWARD: `Authorization: Bearer ${dgs.token}`,
    ZONE: root,
    FDS_PASSWORD: service.passwords.dgs,
    ...variables,
  };
  const { stdout } = await run('sh', ['-e', '-c', `${adaptor}\n${blocks.join('')}${more}`], { env, cwd: folder });
  return stdout;
};

const linkedTo = async (adaptorUuid: string): Promise<number> => {
  const path = `/drs?filters=name:customer,adaptor:${adaptorUuid}&size=1`;
  const { body } = requireStatus(await doors.dgs.rest<{ _page: { totalElements: number } }>('GET', path), 200);
  return body._page.totalElements;
};

/** The process of the shop's adaptor, which the commands of a page have started. */
let shopPid = 0;
const stopShop = async (): Promise<void> => {
  if (shopPid === 0) return;
  process.kill(shopPid, 'SIGTERM');
  await eventually(() => expect(() => process.kill(shopPid, 0)).toThrow());
  shopPid = 0;
};
const noteShop = (printed: string): void => {
  shopPid = Number(/PID (\d+)/.exec(printed)?.[1]);
};
leftovers.add(stopShop);

beforeAll(async () => {
  await createVersion(doors.dgs, {
    name: 'customer',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, phone: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const metadata = createSystem('crm', (id) => [`Customer ${id}`, `+41 ${id}`]);
  // the shop lacks this one
  databases.get('crm')?.exec("INSERT INTO customer (id, name, phone) VALUES (500, 'Only here', NULL)");
  const crm = await createAdaptor(doors.dgs, doors.root, {
    name: 'CRM',
    capabilities: allActions('customer'),
    metadata,
    deletionLimit: null,
  });
  await startDatabaseAdaptor(leftovers, doors.service, crm);
  await eventually(async () => expect(await linkedTo(crm.uuid)).toBe(customers + 1), { deadlineMs: 60_000 });
}, 180_000);

it('brings a second system with old rows in by the page, and damages neither system', async () => {
  const shop = createSystem('shop', (id) => [id % 4 === 0 ? `Former name ${id}` : `Customer ${id}`, null]);
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(shop));
  const [crmBefore, shopBefore] = [rowsOf('crm'), rowsOf('shop')];

  const made = await paste('Create the adaptor');
  expect(made).toContain('other adaptors have records of customer:1: CRM');
  expect(made).toContain('so the adaptor starts in discovery mode');
  expect(made).toContain('"discoveryMode":false}');

  const waited = await paste('Wait for the discovery', '\necho "PID $!"');
  noteShop(waited);
  expect(waited).toContain(`"records":${customers}`);
  expect(waited).toContain(`"totalElements":${customers}`);
  expect(waited).toContain('"issues":[]');
  expect(rowsOf('crm')).toEqual(crmBefore);
  expect(rowsOf('shop')).toEqual(shopBefore);

  const compared = await paste('See what differs', 'echo "VERSION $SHOP_VERSION"');
  variables['SHOP_VERSION'] = /VERSION (\S+)/.exec(compared)?.[1] ?? '';
  expect(compared).toContain(`"equal":0,"differing":${customers},"missingHere":1,"missingThere":0`);

  const changed = JSON.parse((await paste('Switch discovery mode off')).trim()) as Resource;
  expect(changed).toMatchObject({ discoveryMode: false, discovery: [{ complete: true, records: customers }] });

  // each side changes a property of a customer whose other property differs, or is null, in the other system
  databases.get('shop')?.exec("UPDATE customer SET phone = '+41 44' WHERE id = 4");
  databases.get('crm')?.exec("UPDATE customer SET phone = '+41 88' WHERE id = 8");
  databases.get('crm')?.exec("INSERT INTO customer (id, name) VALUES (201, 'New')");
  const rowOf = (system: string, id: number): unknown =>
    databases.get(system)?.prepare('SELECT name, phone FROM customer WHERE id = ?').raw().get(id);
  await eventually(() => expect(rowOf('crm', 4)).toEqual(['Customer 4', '+41 44']), { deadlineMs: 30_000 });
  await eventually(() => expect(rowOf('shop', 8)).toEqual(['Former name 8', '+41 88']), { deadlineMs: 30_000 });
  await eventually(() => expect(rowOf('shop', 201)).toEqual(['New', null]), { deadlineMs: 30_000 });
  expect(rowOf('shop', 4)).toEqual(['Former name 4', '+41 44']);
  expect(rowOf('crm', 8)).toEqual(['Customer 8', '+41 88']);
  const others = (rows: unknown): unknown => (rows as number[][]).filter(([id]) => ![4, 8, 201].includes(id ?? 0));
  expect(others(rowsOf('crm'))).toEqual(others(crmBefore));
  expect(others(rowsOf('shop'))).toEqual(others(shopBefore));

  await paste('Load what the shop lacks');
  await eventually(() => expect(rowsOf('shop')).toEqual(rowsOf('crm')), { deadlineMs: 60_000 });
}, 180_000);

it('restores a system from a backup by the page, and damages no other one', async () => {
  const [crm, shop] = [databases.get('crm'), databases.get('shop')];
  const backup = shop?.prepare('SELECT id, name, phone, changed FROM customer').raw().all() as unknown[][];
  crm?.exec(`UPDATE customer SET name = 'Since the backup' WHERE id BETWEEN 10 AND 19;
    INSERT INTO customer (id, name) SELECT id + 1000, 'New' FROM customer WHERE id <= 30; DELETE FROM customer WHERE id BETWEEN 90 AND 94`);
  await eventually(() => expect(rowsOf('shop')).toEqual(rowsOf('crm')), { deadlineMs: 60_000 });
  const crmBefore = rowsOf('crm');

  await stopShop();
  expect(await paste('Stop the adaptor before the restore')).toContain('"discoveryMode":true');
  shop?.exec('DROP TRIGGER customer_changed; DELETE FROM customer');
  const insert = shop?.prepare('INSERT INTO customer (id, name, phone, changed) VALUES (?, ?, ?, ?)');
  for (const row of backup) insert?.run(...row);
  noteShop(await paste('Start the adaptor with a new data directory', '\necho "PID $!"'));

  const compared = await paste('See what the restored system lacks');
  expect(compared).toContain(`"differing":10,"missingHere":30,"missingThere":5`);
  shop?.exec('DELETE FROM customer WHERE id BETWEEN 90 AND 94');
  await paste('Bring the values of the others');
  await eventually(() => expect(rowsOf('shop')).toEqual(crmBefore), { deadlineMs: 60_000 });
  expect(rowsOf('crm')).toEqual(crmBefore);
}, 180_000);
