import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSealer } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { bootstrapIdentity, type BootstrappedIdentity } from '../bootstrap/bootstrap-identity.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { createClientAuthenticator } from './client-authenticator.js';

const now = (): Date => new Date();
const sealer = createSealer(Buffer.alloc(32, 3));

let database: TestDatabase;
let dataDir: string;

beforeEach(async () => {
  database = await openTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'fds-authentication-'));
});

afterEach(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const bootstrap = (passwords: { adminPassword?: string; dgsPassword?: string } = {}): Promise<BootstrappedIdentity> =>
  bootstrapIdentity({ database, dataDir, now, newUuid, ...passwords });

describe('the first start', () => {
  it('takes the passwords of the settings and writes none of them down', async () => {
    const { passwordFiles } = await bootstrap({ adminPassword: 'first', dgsPassword: 'second' });
    expect(passwordFiles).toEqual([]);
    expect(await readdir(dataDir)).toEqual([]);
    const clients = createClientAuthenticator({ database, sealer, now });
    expect(await clients.authenticate('admin', ['first'], 'here')).toMatchObject({ kind: 'PERSON', clientId: 'admin' });
    expect(await clients.authenticate('dgs', ['second'], 'here')).toMatchObject({ clientId: 'dgs' });
    expect(await clients.authenticate('dgs', ['first'], 'here')).toBeUndefined();
    expect(await clients.authenticate('dgs', ['first', 'second'], 'here')).toMatchObject({ clientId: 'dgs' });
    expect(await clients.authenticate('dgs', [], 'here')).toBeUndefined();
  });

  it('keeps generated passwords in files that only their owner may read', async () => {
    const { passwordFiles } = await bootstrap();
    expect(passwordFiles.map((file) => file.slice(dataDir.length + 1))).toEqual(['admin.password', 'dgs.password']);
    const clients = createClientAuthenticator({ database, sealer, now });
    for (const [index, username] of ['admin', 'dgs'].entries()) {
      const file = passwordFiles[index] as string;
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const password = (await readFile(file, 'utf8')).trim();
      expect(await clients.authenticate(username, [password], 'here')).toMatchObject({ clientId: username });
    }
  });

  it('does not change the passwords when it happens again', async () => {
    await bootstrap({ adminPassword: 'first' });
    await bootstrap({ adminPassword: 'later' });
    const clients = createClientAuthenticator({ database, sealer, now });
    expect(await clients.authenticate('admin', ['later'], 'here')).toBeUndefined();
    expect(await clients.authenticate('admin', ['first'], 'here')).toMatchObject({ clientId: 'admin' });
  });
});

describe('the client of a person', () => {
  it('is not found while the person is deactivated in all zones', async () => {
    const { rootZoneUuid: zoneUuid } = await bootstrap();
    const uuid = newUuid();
    const memberships = { create: { uuid: newUuid(), zoneUuid, active: false } };
    await database.prisma.person.create({ data: { uuid, username: 'cleo', secretHash: 'x', memberships } });
    const clients = createClientAuthenticator({ database, sealer, now });
    expect(await clients.find('cleo')).toBeUndefined();
    await database.prisma.zoneUser.deleteMany({ where: { personUuid: uuid } });
    expect(await clients.find('cleo')).toMatchObject({ uuid });
  });
});
