import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { requireStatus } from '../../harness/catalogue.js';
import { createFds, type Ended, type Fds } from '../../harness/run-fds.js';
import { root } from '../../harness/spawned.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';

const { doors, leftovers } = setUpDoors();

/** Documents with everything that a hub may have, in an order in which later ones refer to earlier ones. */
type Document = { readonly kind: string; readonly name: string; readonly spec: Readonly<Record<string, unknown>> };

const segment = (name: string): string => name.replaceAll('%', '%25').replaceAll('/', '%2F');

/** A random world of about this number of resources. */
const worldOf = (random: <T>(values: readonly T[]) => T, count: number): readonly Document[] => {
  const documents: Document[] = [];
  const zones = ['Root'];
  const versions: string[] = [];
  const adaptors: string[] = [];
  const roles: string[] = [];
  const text = (): string | null => random(['yes', '', 'a: b # c', '1e3', 'ü/%2F"\n|', null, '0x10', '- x']) || null;
  const add = (kind: string, name: string, spec: Document['spec']): string => {
    documents.push({ kind, name, spec });
    return name;
  };
  const zoneOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const maybe = <T>(values: readonly T[]): T | null => (values.length === 0 ? null : random([...values, null]));
  while (documents.length < count) {
    const number = documents.length;
    const name = `${random(['a', 'Übung', 'x/y', '100%', 'null', '007'])} ${number}`;
    switch (
      random(['Zone', 'Domain', 'DomainVersion', 'Adaptor', 'Role', 'Group', 'User', 'Chain', 'Rules', 'Preferences'])
    ) {
      case 'Zone':
        zones.push(
          add('Zone', `${random(zones)}/${segment(name)}`, { description: text(), active: random([true, false]) }),
        );
        break;
      case 'Domain':
      case 'DomainVersion': {
        const domain = add('Domain', `d${number}`, {
          description: text(),
          domainType: random(['FEDERATED', 'SERVICE_DATA_STORE']),
          zone: random(zones),
        });
        const properties = { id: { type: 'string' }, total: { type: 'integer', maximum: 9223372036854775807n } };
        for (let version = 1; version <= random([1, 2]); version += 1)
          versions.push(
            add('DomainVersion', `${domain}:v${version}`, {
              modelSchema: { properties },
              drKeyProperties: ['id'],
              description: text(),
            }),
          );
        break;
      }
      case 'Adaptor':
        adaptors.push(
          add('Adaptor', `${random(zones)}/${segment(name)}`, {
            description: text(),
            discoveryMode: random([true, false]),
            metadata: random([null, { host: 'db', password: 'sesame', list: [{ token: 'x', keep: 1 }] }]),
            deletionLimit: random([null, { percent: 5, minimum: 1, seconds: 9 }]),
          }),
        );
        break;
      case 'Role': {
        const zone = random(zones);
        roles.push(
          add('Role', `${zone}/${segment(name)}`, {
            description: text(),
            permissions: random([
              [],
              [
                { action: 'GET', resource: `/zones/${encodeURIComponent(zone)}/users/*` },
                { action: 'ALL', resource: '/domains/*' },
              ],
            ]),
          }),
        );
        break;
      }
      case 'Group': {
        const zone = random(zones);
        add('Group', `${zone}/${segment(name)}`, {
          description: text(),
          roles: roles.filter((role) => zoneOf(role) === zone).slice(0, 2),
        });
        break;
      }
      case 'User': {
        const zone = random(zones);
        add('User', `${zone}/user${number}`, {
          name: text(),
          serviceAccount: random([true, false]),
          active: random([true, false]),
          roles: roles.filter((role) => zoneOf(role) === zone).slice(0, 2),
        });
        break;
      }
      case 'Chain': {
        const zone = random(zones);
        const kind = random(['InboundAcls', 'OutboundAcls', 'OperationalAcls']);
        const isOperational = kind === 'OperationalAcls';
        const at = isOperational ? 'operational' : zone;
        if (documents.some((each) => each.kind === kind && each.name === at)) break;
        const entries = Array.from({ length: random([1, 2, 4]) }, (_, place) => ({
          name: random([null, `entry ${place}`]),
          domainVersion: maybe(versions),
          sourceAdaptor: isOperational ? maybe(adaptors) : null,
          post: random(['ALLOW', 'DENY']),
          ...(isOperational ? {} : { properties: null, put: random(['ALLOW', 'DENY', null]) }),
          active: random([true, false]),
        }));
        add(kind, at, { entries });
        break;
      }
      case 'Rules': {
        const role = maybe(roles);
        if (role === null || documents.some((each) => each.kind === 'DataAccessRules' && each.name === role)) break;
        add('DataAccessRules', role, {
          rules: [
            { effect: 'DENY', actions: ['GET'], domainVersion: maybe(versions), properties: null },
            { effect: 'ALLOW', zone: random(zones) },
          ],
        });
        break;
      }
      default: {
        const [zone, version, adaptor] = [random(zones), maybe(versions), maybe(adaptors)];
        if (
          version === null ||
          adaptor === null ||
          documents.some((each) => each.kind === 'Preferences' && each.name === zone)
        )
          break;
        add('Preferences', zone, {
          preferences: [{ domainVersion: version, adaptor, preferenceType: random(['GOLD', 'SILVER']) }],
        });
      }
    }
  }
  return documents;
};

let fds: Fds;
let home: string;
const run = async (...args: string[]): Promise<Ended> => fds.run(...args);

beforeAll(async () => {
  // a steward who is an administrator, too
  const { admin, root: zone, service } = doors;
  const roles = await admin.rest<{ roles: readonly Resource[] }>('GET', `/zones/${zone}/roles`);
  const users = await admin.rest<{ users: readonly Resource[] }>('GET', `/zones/${zone}/users?filters=username:dgs`);
  const [dgs] = users.body.users;
  const change = { roleUuids: roles.body.roles.map(({ uuid }) => uuid), changeVersion: dgs?.changeVersion };
  requireStatus(await admin.rest('PATCH', `/zones/${zone}/users/${String(dgs?.uuid)}`, change), 200);
  fds = createFds(leftovers);
  home = fds.home;
  const login = ['login', '--url', service.baseUrl, '--client-id', 'dgs', '--client-secret-stdin'];
  expect(await fds.runWith(service.passwords.dgs, ...login)).toMatchObject({ status: 0 });
});

const write = (file: string, text: string): string => {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const jsonOf = (documents: readonly Document[]): string =>
  JSON.stringify(documents, (_, value: unknown) => (typeof value === 'bigint' ? `__${value}__` : value)).replaceAll(
    /"__(\d+)__"/g,
    '$1',
  );

describe('export, plan and apply', () => {
  it('change nothing over random worlds', async () => {
    const count = casesOf(1) > 1 ? 500 : 60;
    for (let world = 0; world < casesOf(1); world += 1) {
      const [picks] = fc.sample(fc.infiniteStream(fc.nat(1_000_003)), { numRuns: 1, seed: 20 + world });
      const random = <T>(values: readonly T[]): T => values[Number(picks?.next().value) % values.length] as T;
      const documents = worldOf(random, count);
      write(`world${world}.json`, jsonOf(documents));
      const applied = await run('apply', '-f', `world${world}.json`, '--yes');
      expect([applied.status, applied.stderr.slice(-3000)]).toEqual([0, expect.stringContaining('Applied')]);
      expect(await run('drift', '-f', `world${world}.json`)).toMatchObject({ status: 0, stdout: '' });
      expect(await run('export', '-o', `out${world}`)).toMatchObject({ status: 0 });
      expect(
        await run('plan', '-f', `out${world}`, '--prune', '--json').then(({ status, stdout, stderr }) => [
          status,
          stderr,
          (JSON.parse(stdout || '{}') as { changes?: unknown }).changes,
        ]),
      ).toEqual([0, '', []]);
    }
  });
});

describe('fds plan, apply and drift', () => {
  it('end with the status of their result', async () => {
    const text = 'kind: Zone\nname: Root/Sales\nspec:\n  description: ours\n';
    write('sales/a.yaml', text);
    const planned = await run('plan', '-f', 'sales', '--out', 'sales.plan');
    expect([planned.status, planned.stdout]).toEqual([2, '+ CREATE Zone Root/Sales\n']);
    expect((await run('apply', '-f', 'sales')).status).toBe(2);
    expect(await run('apply', '-f', 'sales.plan', '--yes')).toMatchObject({ status: 0 });
    expect(await run('apply', '-f', 'sales.plan', '--yes')).toMatchObject({ status: 6 });
    expect(await run('drift', '-f', 'sales')).toMatchObject({ status: 0, stdout: '' });
    write('sales/a.yaml', text.replace('ours', 'theirs'));
    const drifted = await run('drift', '-f', 'sales');
    expect([drifted.status, drifted.stdout]).toEqual([
      2,
      '~ UPDATE Zone Root/Sales\n    description: "ours" -> "theirs"\n',
    ]);
    expect((await run('plan', '-f', 'nowhere')).status).toBe(2);
    expect((await run('plan')).status).toBe(2);
  });

  it('name file and line of a fault, and replace variables of secrets only', async () => {
    write(
      'faults/a.yaml',
      'kind: Zone\nname: Root/A\n---\nkind: Adaptor\nname: Root/Nowhere/x\nspec:\n  colour: red\n---\nkind: Domain\nname: thing\nspec:\n  zone: Root\n  coulour: red\n',
    );
    const faulty = await run('plan', '-f', 'faults');
    expect(faulty.status).toBe(1);
    expect(faulty.stderr).toMatch(/faults\/a\.yaml:5: .*Root\/Nowhere/);
    expect(faulty.stderr).toMatch(/faults\/a\.yaml:13: .*coulour/);
    write(
      'secrets/a.yaml',
      'kind: Adaptor\nname: Root/hidden\nspec:\n  description: ${NOT_A_SECRET}\n  metadata: {host: db, password: "${CRM_PASSWORD}"}\n',
    );
    const missing = await run('plan', '-f', 'secrets');
    expect([missing.status, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/secrets\/a\.yaml:5: the variable CRM_PASSWORD is not set/),
    ]);
  });
});

it('the commands of the page run as it says', async () => {
  const page = readFileSync(join(root, 'docs/recipes/configuration-in-git.md'), 'utf8');
  const steps = [...page.matchAll(/```yaml\n# (\S+)\n([^]*?)```|^npx fds (.*?) +# (\d)/gm)];
  expect(steps.length).toBeGreaterThan(7);
  for (const [line, file, text = '', args = '', status] of steps) {
    if (file !== undefined) {
      write(file, text);
      continue;
    }
    const ended = await run(...args.split(' '));
    expect([line, ended.status, ended.status === Number(status) ? '' : ended.stderr]).toEqual([
      line,
      Number(status),
      '',
    ]);
  }
});
