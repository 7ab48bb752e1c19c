import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  readdirSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, postgresMissing, startPostgres } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { queryEmbeddedDatabase } from '../../harness/embedded-database.js';
import { createFds, type Fds } from '../../harness/run-fds.js';
import { serviceScript, spawnScript } from '../../harness/spawned.js';
import { startService, type Service } from '../../harness/service.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { signInDoors, type Doors } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

// these tests stop the service, and restore it elsewhere
const { doors, leftovers } = setUpDoors();

const passphrase = 'correct horse battery staple';
const records = 400;
let admin: Fds;
let folder: string;
let file: string;
let crm: CreatedAdaptor;
let erp: CreatedAdaptor;
/** An adaptor keeps its journal next to its system: the hub moves, the adaptor stays. */
let journal: Readonly<Record<string, string>>;

const newFolder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'fds-backup-'));
  // if the user is root, the embedded database runs as another user
  chmodSync(made, 0o755);
  leftovers.add(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const restoreInto = (environment: Readonly<Record<string, string>>): Fds =>
  createFds(leftovers, undefined, { FDS_BACKUP_PASSPHRASE: passphrase, ...environment });

/** The parts of the hub that callers see. */
const shownBy = async ({ dgs, admin: administrator, root }: Doors): Promise<unknown> => {
  const lists = [
    '/domains',
    '/drs?filters=name:customer&size=1000',
    `/zones/${root}/adaptors`,
    `/zones/${root}/inbound-acls`,
    '/change-log?size=1000',
  ];
  const bodies: Record<string, unknown> = {};
  for (const path of lists) {
    const door = path.startsWith('/change-log') ? administrator : dgs;
    const { body } = requireStatus(await door.rest<Record<string, unknown>>('GET', path), 200);
    // links have the address of the service
    bodies[path] = { ...body, _links: undefined };
    // the callers sign in at each service
    const changes = body['changes'] as readonly { readonly type: string }[] | undefined;
    if (changes !== undefined) bodies[path] = changes.filter(({ type }) => type !== 'SignIn');
  }
  return bodies;
};

/** A state is a change: it would come between the backup and the comparison. */
const untilDown = ({ dgs, root }: Doors): Promise<void> =>
  eventually(async () => {
    const { body } = await dgs.rest<{ adaptors: { state: string }[] }>('GET', `/zones/${root}/adaptors`);
    expect(body.adaptors.map(({ state }) => state)).toEqual(['DOWN', 'DOWN']);
  });

const importRecords = async (first: number, count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, index) => ({ id: first + index, name: `Customer\t${first + index}` }));
  requireStatus(await doors.dgs.rest('POST', '/drs/bulk?filters=name:customer', rows), 200);
};

beforeAll(async () => {
  folder = newFolder();
  file = join(folder, 'hub.fds');
  await createVersion(doors.dgs, {
    name: 'customer',
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const capabilities = allActions('customer').filter(({ action }) => action !== 'GET');
  crm = await createAdaptor(doors.dgs, doors.root, {
    name: 'crm',
    capabilities,
    metadata: { url: 'https://crm.example', password: 'sealed in the database' },
  });
  erp = await createAdaptor(doors.dgs, doors.root, { name: 'erp', capabilities });
  journal = { 'data.directory': newFolder() };
  const source = await startSourceAdaptor(leftovers, doors.service, crm, { apply: () => undefined }, journal);
  await source.publish({ action: 'POST', domain: 'customer', version: 1, json: { id: 1, name: 'Ada' } });
  await importRecords(100, records - 1);
  await eventually(async () => {
    const { body } = await doors.dgs.rest<{ _page: { totalElements: number } }>('GET', '/drs?filters=name:customer');
    expect(body._page.totalElements).toBe(records);
  });
  await source.stop();
  await untilDown(doors);
  admin = createFds(leftovers);
  const { baseUrl, passwords } = doors.service;
  const login = ['login', '--url', baseUrl, '--client-id', 'admin', '--client-secret-stdin'];
  expect(await admin.runWith(passwords.admin, ...login)).toMatchObject({ status: 0 });
}, 120_000);

describe('fds backup', () => {
  it('writes a file that only its owner may read, while records are written', async () => {
    const writing = importRecords(10_000, 200);
    const ended = await admin.runWith(passphrase, 'backup', file, '--passphrase-stdin', '--json');
    await writing;
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ file, tables: expect.any(Number), rows: expect.any(Number) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['hub.fds']);
  });

  it('is refused without Root Admin with 4, without a passphrase with 2, and writes nothing', async () => {
    const steward = createFds(leftovers);
    const { baseUrl, passwords } = doors.service;
    const login = ['login', '--url', baseUrl, '--client-id', 'dgs', '--client-secret-stdin'];
    expect(await steward.runWith(passwords.dgs, ...login)).toMatchObject({ status: 0 });
    const refused = await steward.runWith(passphrase, 'backup', join(folder, 'other.fds'), '--passphrase-stdin');
    expect(refused).toMatchObject({ status: 4, stdout: '' });
    expect(await admin.run('backup', join(folder, 'other.fds'))).toMatchObject({ status: 2, stdout: '' });
    expect(await admin.runWith('', 'backup', join(folder, 'other.fds'), '--passphrase-stdin')).toMatchObject({
      status: 2,
    });
    const nowhere = await admin.runWith(passphrase, 'backup', join(folder, 'no', 'other.fds'), '--passphrase-stdin');
    expect(nowhere.status).toBe(2);
    expect(readdirSync(folder)).toEqual(['hub.fds']);
  });

  it('keeps the older file, and leaves no other, when the service does not answer', async () => {
    const before = readFileSync(file);
    await doors.service.stop();
    const failed = await admin.runWith(passphrase, 'backup', file, '--passphrase-stdin');
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['hub.fds']);
    await doors.service.start();
  });

  it('is refused by the door for another body', async () => {
    const bodies = [
      {},
      { passphrase: '' },
      { passphrase: 7 },
      { passphrase: 'x'.repeat(1025) },
      { passphrase: 'x', y: 1 },
    ];
    for (const body of bodies) expect((await doors.admin.rest('POST', '/backup', body)).status).toBe(400);
  });
});

describe('fds restore', () => {
  it('refuses a running service and a hub that was started with 6, and other faults with 1, before it writes', async () => {
    const { dataDir } = doors.service;
    const running = await restoreInto({ FDS_DATA_DIR: dataDir }).run('restore', file);
    expect(running).toMatchObject({ status: 6, stdout: '' });
    expect(running.stderr).toContain('stop it first');
    await doors.service.stop();
    const started = await restoreInto({ FDS_DATA_DIR: dataDir }).run('restore', file);
    expect(started).toMatchObject({ status: 6, stdout: '' });
    expect(started.stderr).toContain('never started');
    await doors.service.start();

    const dataDir2 = join(newFolder(), 'data');
    const other = restoreInto({ FDS_DATA_DIR: dataDir2 });
    const wrong = await other.runWith('another', 'restore', file, '--passphrase-stdin');
    expect(wrong).toMatchObject({ status: 1, stdout: '' });
    expect(wrong.stderr).toContain('passphrase is wrong');
    const altered = join(folder, 'altered.fds');
    const bytes = readFileSync(file);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(altered, bytes);
    expect(await other.run('restore', altered)).toMatchObject({ status: 1, stdout: '' });
    writeFileSync(altered, bytes.subarray(0, -1));
    expect(await other.run('restore', altered)).toMatchObject({ status: 1, stdout: '' });
    rmSync(altered);
    expect(await other.run('restore', altered)).toMatchObject({ status: 2, stdout: '' });
    expect(existsSync(dataDir2)).toBe(false);
  });

  it('refuses a backup of a newer version with 1', async () => {
    const newer = join(folder, 'newer.fds');
    const { dataDir } = doors.service;
    await queryEmbeddedDatabase(
      dataDir,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('later', '', '29991231000000_later', now())`,
    );
    expect(await admin.runWith(passphrase, 'backup', newer, '--passphrase-stdin')).toMatchObject({ status: 0 });
    await queryEmbeddedDatabase(dataDir, "DELETE FROM _prisma_migrations WHERE id = 'later'");
    const refused = await restoreInto({ FDS_DATA_DIR: join(folder, 'data') }).run('restore', newer);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('29991231000000_later');
  });

  const onPostgres = postgresMissing === undefined ? it : it.skip;
  onPostgres(
    'goes into a PostgreSQL of another version, also after kill -9, and from there into an embedded one; adaptors continue',
    async () => {
      const applied: unknown[] = [];
      const handlers = { apply: ({ json }: { readonly json?: unknown }) => void applied.push(json) };
      expect(await admin.runWith(passphrase, 'backup', file, '--passphrase-stdin')).toMatchObject({ status: 0 });
      const before = await shownBy(doors);
      await doors.service.stop();

      const postgres = await startPostgres();
      leftovers.add(() => postgres.dispose());
      const url = `postgresql://${postgres.user}@127.0.0.1:${postgres.port}/postgres`;
      const dataDir = newFolder();
      const environment = { FDS_DATA_DIR: dataDir, FDS_DATABASE_URL: url };
      const killed = restoreInto(environment).start(['restore', file]);
      await eventually(() => expect(existsSync(join(dataDir, 'restore.incomplete'))).toBe(true), { intervalMs: 5 });
      killed.kill('SIGKILL');
      expect((await killed.ended()).status).toBe(null);
      const refused = spawnScript({ script: serviceScript, environment });
      expect(await refused.ended()).toBe(1);
      expect(refused.output()).toContain('a restore into this hub was interrupted');

      const again = await restoreInto(environment).run('restore', file);
      expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('the service can be started')]);
      expect(readdirSync(dataDir)).toEqual(['secret.key']);
      expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
      const moved = await startService(leftovers, environment);
      const movedDoors = await signInDoors(moved);
      expect(await shownBy(movedDoors)).toEqual(before);

      // the secrets of adaptors are those of before, and their events have the next sequence
      const source = await startSourceAdaptor(leftovers, moved, crm, handlers, journal);
      const target = await startSourceAdaptor(leftovers, moved, erp, handlers);
      await source.publish({ action: 'PUT', domain: 'customer', version: 1, json: { id: 1, name: 'Ada Lovelace' } });
      await eventually(() => expect(applied).toContainEqual({ id: 1, name: 'Ada Lovelace' }));

      await source.stop();
      await target.stop();
      await untilDown(movedDoors);

      const second = join(folder, 'second.fds');
      const user = createFds(leftovers);
      const login = ['login', '--url', moved.baseUrl, '--client-id', 'admin', '--client-secret-stdin'];
      expect(await user.runWith(moved.passwords.admin, ...login)).toMatchObject({ status: 0 });
      expect(await user.runWith(passphrase, 'backup', second, '--passphrase-stdin')).toMatchObject({ status: 0 });
      const shown = await shownBy(movedDoors);
      await moved.stop();

      const embedded = { FDS_DATA_DIR: join(newFolder(), 'data') };
      expect(await restoreInto(embedded).run('restore', second)).toMatchObject({ status: 0, stdout: '' });
      const back: Service = await startService(leftovers, embedded);
      expect(await shownBy(await signInDoors(back))).toEqual(shown);
    },
    180_000,
  );
});
