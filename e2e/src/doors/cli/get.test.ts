import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { requireStatus } from '../../harness/catalogue.js';
import { createFds, type Ended, type Fds } from '../../harness/run-fds.js';
import type { Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { createServiceAccount } from './create-person.js';
import { uniqueName } from '../unique-name.js';

const { doors, leftovers } = shareDoors();
const zoneName = uniqueName('sales/north');
const zonePath = `Root/${zoneName.replace('/', '%2F')}`;
const domain = uniqueName('parcel');
let fds: Fds;
let zone: Resource;
let role: Resource;
let versionUuid: string;
let recordUuid: string;

interface Document {
  readonly kind: string;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const documentsOf = (text: string): readonly Document[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Document);

const signIn = async (username: string, password: string): Promise<Fds> => {
  const user = createFds(leftovers);
  const login = ['login', '--url', doors.service.baseUrl, '--client-id', username, '--client-secret-stdin'];
  expect(await user.runWith(password, ...login)).toMatchObject({ status: 0 });
  return user;
};

beforeAll(async () => {
  const { admin, dgs, root, service } = doors;
  const created = async (by: typeof admin, path: string, body: unknown): Promise<Resource> =>
    requireStatus(await by.rest('POST', path, body), 201).body;
  zone = await created(admin, '/zones', { name: zoneName, parentZoneUuid: root, description: 'yes' });
  await created(dgs, '/domains', { name: domain });
  const { body: domains } = await dgs.rest<{ domains: readonly Resource[] }>('GET', `/domains?filters=name:${domain}`);
  ({ uuid: versionUuid } = await created(dgs, `/domains/${String(domains.domains[0]?.uuid)}/versions`, {
    modelSchema: { properties: { id: { type: 'string' } } },
    drKeyProperties: ['id'],
  }));
  ({ uuid: recordUuid } = await created(dgs, '/drs', { name: domain, json: { id: 'a "key"' } }));
  role = await created(admin, `/zones/${zone.uuid}/roles`, {
    name: 'Auditor',
    permissions: [{ action: 'GET', resource: `/zones/${zone.uuid}/users/*` }],
  });
  await created(admin, `/zones/${zone.uuid}/users`, {
    username: uniqueName('auditor'),
    serviceAccount: true,
    roleUuids: [role.uuid],
  });
  const chain = requireStatus(
    await admin.rest<readonly Resource[]>('POST', `/zones/${zone.uuid}/inbound-acls`, [
      { name: 'first', sourceZoneUuid: root, domainVersionUuid: versionUuid, get: 'DENY', post: 'DENY' },
    ]),
    201,
  );
  const text = chain.text;
  const [, aclUuid] = /"uuid":"([0-9a-f-]{36})"/.exec(text) ?? [];
  fds = await signIn('admin', service.passwords.admin);
  expect(aclUuid).toBeDefined();
});

const run = async (...args: string[]): Promise<Ended> => fds.run(...args);

describe('fds get', () => {
  it('shows a zone by its path, in every form', async () => {
    const table = await run('get', 'zone', zonePath);
    expect(table).toMatchObject({ status: 0, stderr: '' });
    expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual(['NAME', zonePath, '']);
    expect(JSON.parse((await run('get', 'Zone', zonePath, '-o', 'json')).stdout)).toMatchObject({
      uuid: zone.uuid,
      name: zoneName,
    });
    const yaml = await run('get', 'ZONES', zonePath, '-o', 'yaml');
    expect(documentsOf(yaml.stdout)).toEqual([
      {
        kind: 'Zone',
        name: zonePath,
        spec: { description: 'yes', parentZone: 'Root', geoCoordinates: null, active: true, reconcile: null },
      },
    ]);
    // a reader of YAML 1.1 would take a bare yes for a boolean
    expect(yaml.stdout).toContain('description: "yes"');
  });

  it('lists a kind as an array with --json', async () => {
    const zones = JSON.parse((await run('get', 'zone', '--json')).stdout) as readonly { readonly uuid: string }[];
    expect(zones.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([doors.root, zone.uuid]));
  });

  it('names references: roles, zones, versions, records', async () => {
    const one = async (kind: string, name: string): Promise<Document['spec'] | undefined> => {
      const ended = await run('get', kind, name, '-o', 'yaml');
      expect([ended.status, ended.stderr]).toEqual([0, '']);
      return documentsOf(ended.stdout)[0]?.spec;
    };
    expect(await one('role', `${zonePath}/Auditor`)).toMatchObject({
      managed: false,
      permissions: [{ action: 'GET', resource: `/zones/${encodeURIComponent(zonePath)}/users/*` }],
    });
    const users = documentsOf((await run('get', 'user', '-o', 'yaml')).stdout);
    expect(users.find(({ name }) => name.startsWith(`${zonePath}/auditor`))?.spec).toMatchObject({
      serviceAccount: true,
      roles: [`${zonePath}/Auditor`],
    });
    expect(await one('inboundAcls', zonePath)).toEqual({
      entries: [
        expect.objectContaining({
          name: 'first',
          sourceZone: 'Root',
          domainVersion: `${domain}:v1`,
          get: 'DENY',
          post: 'DENY',
        }),
      ],
    });
    expect(await one('domain', domain)).toMatchObject({ defaultVersion: `${domain}:v1`, zone: 'Root' });
    expect(await one('domainVersion', `${domain}:v1`)).toMatchObject({
      drKeyProperties: ['id'],
      modelSchema: { properties: { id: { type: 'string' } } },
    });
  });

  it('names the records of rules by version and DR Key, and leaves secrets out', async () => {
    const { dgs, root, service } = doors;
    const steward = await signIn('dgs', service.passwords.dgs);
    const created = async (path: string, body: unknown): Promise<Resource> =>
      requireStatus(await dgs.rest('POST', path, body), 201).body;
    const name = uniqueName('crm');
    const types = requireStatus(await dgs.rest<{ adaptorTypes: readonly Resource[] }>('GET', '/adaptor-types'), 200);
    const adaptorTypeUuid = types.body.adaptorTypes[0]?.uuid;
    await created(`/zones/${root}/adaptors`, {
      name,
      adaptorTypeUuid,
      metadata: { host: 'db', password: 'sesame', big: 1 },
    });
    await created(`/zones/${root}/outbound-acls`, {
      name: uniqueName('own'),
      domainVersionUuid: versionUuid,
      get: 'DENY',
    });
    const chain = await dgs.rest<{ outboundAcls: readonly Resource[] }>(
      'GET',
      `/zones/${root}/outbound-acls?filters=domain-version:${versionUuid}`,
    );
    const entry = chain.body.outboundAcls[0];
    requireStatus(await dgs.rest('POST', `/zones/${root}/outbound-acls/${entry?.uuid}/drs`, [recordUuid]), 201);
    const adaptor = documentsOf((await steward.run('get', 'adaptor', `Root/${name}`, '-o', 'yaml')).stdout);
    expect(adaptor).toEqual([
      { kind: 'Adaptor', name: `Root/${name}`, spec: expect.objectContaining({ active: true }) },
    ]);
    expect(adaptor[0]?.spec).toMatchObject({
      adaptorType: types.body.adaptorTypes[0]?.name,
      metadata: { host: 'db', big: 1 },
    });
    expect(JSON.stringify(adaptor)).not.toMatch(/sesame|\*\*\*|Uuid"/);
    const [outbound] = documentsOf((await steward.run('get', 'outboundacls', 'Root', '-o', 'yaml')).stdout);
    const entries = outbound?.spec['entries'] as readonly Resource[];
    expect(entries.find(({ name: each }) => each === entry?.name)).toMatchObject({
      drs: [{ domainVersion: `${domain}:v1`, drKey: { id: 'a "key"' } }],
    });
  });

  it.each([
    ['zone', 'Root/nowhere'],
    ['adaptor', 'Root/nothing'],
    ['adaptor', 'nothing'],
    ['domainversion', 'nothing:v7'],
    ['adaptorType', 'nothing'],
  ])('exits with 5 for an unknown name: %s %s', async (kind, name) => {
    const steward = await signIn('dgs', doors.service.passwords.dgs);
    const ended = await steward.run('get', kind, name);
    expect(ended).toMatchObject({ status: 5, stdout: '' });
    expect(ended.stderr).toMatch(/^fds: there is no \w+ /);
  });

  it('exits with 2 for an unknown kind or form, before the sign-in', async () => {
    const stranger = createFds(leftovers);
    expect(await stranger.run('get', 'unicorn')).toMatchObject({ status: 2, stdout: '' });
    expect(await stranger.run('get', 'zone', '-o', 'xml')).toMatchObject({ status: 2, stdout: '' });
    expect(await stranger.run('get', 'zone')).toMatchObject({ status: 3, stdout: '' });
  });

  it('exits with 4 for a kind that the user may not list', async () => {
    const { username, password } = await createServiceAccount(doors, uniqueName('powerless'));
    const powerless = await signIn(username, password);
    expect(await powerless.run('get', 'operationalacls')).toMatchObject({ status: 4, stdout: '' });
  });
});

describe('fds export', () => {
  it('writes each document that the user may read, one file a document', async () => {
    const all = await run('export');
    expect(all.status).toBe(0);
    const printed = documentsOf(all.stdout);
    expect(printed.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining([`Zone ${zonePath}`, `Role ${zonePath}/Auditor`, `DomainVersion ${domain}:v1`]),
    );
    expect(all.stdout).not.toMatch(/"\*\*\*"|changeVersion|dateCreated/);
    const folder = mkdtempSync(join(fds.home, 'export-'));
    expect(await run('export', '-o', folder)).toMatchObject({ status: 0, stdout: '' });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const written = files.flatMap((file) => documentsOf(readFileSync(join(file.parentPath, file.name), 'utf8')));
    const byName = (documents: readonly Document[]): readonly string[] =>
      documents.map(({ kind, name }) => `${kind} ${name}`).toSorted();
    expect(byName(written)).toEqual(byName(printed));
  });
});
