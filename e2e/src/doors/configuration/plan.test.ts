import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { createAdaptor, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { connectWireAdaptor } from '../../harness/wire-adaptor.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { createServiceAccount } from '../cli/create-person.js';
import { uniqueName } from '../unique-name.js';

interface Change {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly uuid: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface Plan {
  readonly planUuid: string | null;
  readonly changes: readonly Change[];
  readonly access: readonly unknown[];
  readonly faults: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

interface Document {
  readonly kind: string;
  readonly name: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const { doors, leftovers } = shareDoors();
const zoneName = uniqueName('plan');
const zonePath = `Root/${zoneName}`;
const domain = uniqueName('invoice');

const planAs = async (door: Door, documents: readonly Document[], query = ''): Promise<Plan> =>
  requireStatus(await door.rest<Plan>('POST', `/plan${query}`, documents), 200).body;

const apply = async (door: Door, documents: readonly Document[], query = ''): Promise<Plan> => {
  const plan = await planAs(door, documents, query);
  expect(plan.faults).toEqual([]);
  requireStatus(await door.rest('POST', `/plan/${String(plan.planUuid)}/apply`), 200);
  return plan;
};

const shown = ({ changes }: Plan): readonly string[] =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name.replace(zoneName, 'Z').replace(domain, 'D')}`);

const find = async (door: Door, path: string, list: string, name: string): Promise<Resource> => {
  const { body } = await door.rest<Readonly<Record<string, readonly Resource[]>>>(
    'GET',
    `${path}?filters=name:${name}`,
  );
  const [found] = body[list] ?? [];
  if (found === undefined) throw new Error(`no ${name} at ${path}`);
  return found;
};

let zone: Resource;

/** Makes the steward an administrator of the zone, too. */
const promote = async (): Promise<void> => {
  const path = `/zones/${zone.uuid}/users`;
  const role = await find(doors.admin, `/zones/${zone.uuid}/roles`, 'roles', '"Zone Admin"');
  const users = await doors.admin.rest<{ users: readonly Resource[] }>('GET', `${path}?filters=username:dgs`);
  const user = users.body.users[0];
  const roleUuids = [...((user?.['roleUuids'] ?? []) as readonly string[]), role.uuid];
  const change = { roleUuids, changeVersion: user?.changeVersion };
  requireStatus(await doors.admin.rest('PATCH', `${path}/${String(user?.uuid)}`, change), 200);
};

beforeAll(async () => {
  const { admin, root } = doors;
  zone = requireStatus(await admin.rest('POST', '/zones', { name: zoneName, parentZoneUuid: root }), 201).body;
});

describe('a plan', () => {
  const catalogue = (): readonly Document[] => [
    {
      kind: 'DomainVersion',
      name: `${domain}:v1`,
      spec: {
        modelSchema: { properties: { id: { type: 'string' }, total: { type: 'integer' } } },
        drKeyProperties: ['id'],
      },
    },
    { kind: 'Domain', name: domain, spec: { description: 'bills', zone: 'Root' } },
    {
      kind: 'Adaptor',
      name: `${zonePath}/crm%2Feu`,
      spec: { description: 'first', metadata: { host: 'db', password: 's3cret' } },
    },
    {
      kind: 'Preferences',
      name: zonePath,
      spec: {
        preferences: [{ domainVersion: `${domain}:v1`, adaptor: `${zonePath}/crm%2Feu`, preferenceType: 'GOLD' }],
      },
    },
    {
      kind: 'InboundAcls',
      name: zonePath,
      spec: {
        entries: [
          { name: 'a', sourceZone: 'Root', domainVersion: `${domain}:v1`, post: 'DENY' },
          { name: 'b', sourceZone: 'Root', domainVersion: `${domain}:v1`, properties: ['total'], get: 'DENY' },
          { name: 'c', destinationAdaptor: `${zonePath}/crm%2Feu`, put: 'ALLOW' },
        ],
      },
    },
  ];

  it('changes nothing, and its application is all of it', async () => {
    const plan = await planAs(doors.dgs, catalogue());
    expect(plan.faults).toEqual([]);
    expect(shown(plan)).toEqual([
      'CREATE Domain D',
      'CREATE DomainVersion D:v1',
      'CREATE Adaptor Root/Z/crm%2Feu',
      'CREATE Preferences Root/Z',
      'CREATE InboundAcls Root/Z',
      'CREATE InboundAcls Root/Z',
      'CREATE InboundAcls Root/Z',
    ]);
    expect(plan.changes.every(({ uuid, before }) => uuid === null && before === null)).toBe(true);
    expect(JSON.stringify(plan)).not.toContain('s3cret');
    const { body } = await doors.dgs.rest<{ domains: readonly unknown[] }>('GET', `/domains?filters=name:${domain}`);
    expect(body.domains).toEqual([]);

    const path = `/plan/${String(plan.planUuid)}/apply`;
    expect((await doors.admin.rest('POST', path)).status).toBe(404);
    const applied = requireStatus(
      await doors.dgs.rest<{ clients: readonly { name: string; clientSecret: string }[] }>('POST', path),
      200,
    );
    expect(applied.body.clients).toEqual([
      expect.objectContaining({ kind: 'Adaptor', name: `${zonePath}/crm%2Feu`, clientSecret: expect.any(String) }),
    ]);
    expect(await doors.dgs.rest('POST', path)).toMatchObject({ status: 409, body: { code: 'PLAN_APPLIED' } });
    expect(shown(await planAs(doors.dgs, catalogue()))).toEqual([]);
    const chain = await doors.dgs.rest<{ inboundAcls: readonly Resource[] }>('GET', `/zones/${zone.uuid}/inbound-acls`);
    expect(chain.body.inboundAcls.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('sends nothing to a connected adaptor, and its application sends the new metadata once', async () => {
    const { dgs, root, service } = doors;
    const name = uniqueName('live');
    const adaptor = await createAdaptor(dgs, root, { name, capabilities: [], metadata: { host: 'former' } });
    const { ops } = await connectWireAdaptor(leftovers, service.busUrl, adaptor);
    const heard: (readonly [string, unknown])[] = [];
    ops.on('message', (_topic, body) => {
      const { data } = JSON.parse(body.toString()) as { data: { operation: string; metadata?: unknown } };
      heard.push([data.operation, data.metadata]);
    });
    const documents = [{ kind: 'Adaptor', name: `Root/${name}`, spec: { metadata: { host: 'new' } } }];
    expect(shown(await planAs(dgs, documents))).toEqual([`UPDATE Adaptor Root/${name}`]);
    // the operation is sent after the messages of the plan would have been
    const refresh = { state: 'REFRESH_STATE' };
    requireStatus(await dgs.rest('PATCH', `/zones/${root}/adaptors/${adaptor.uuid}`, refresh), 200);
    await eventually(() => expect(heard.map(([operation]) => operation)).toEqual(['REFRESH_STATE']));
    await apply(dgs, documents);
    await eventually(() => expect(heard.slice(1)).toEqual([['METADATA', { host: 'new' }]]));
  });

  it('is refused while another plan of the caller is in progress', async () => {
    const documents = [{ kind: 'Group', name: `Root/${uniqueName('group')}`, spec: {} }];
    const plan = () => doors.admin.rest('POST', '/plan', documents);
    const answers = await Promise.all([plan(), plan(), plan()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429]);
    requireStatus(await plan(), 200);
  });

  it('moves an entry as one change, which keeps its uuid', async () => {
    const path = `/zones/${zone.uuid}/inbound-acls`;
    const before = (await doors.dgs.rest<{ inboundAcls: readonly Resource[] }>('GET', path)).body.inboundAcls;
    const entries = [{ name: 'c' }, { name: 'a', post: null }, { name: 'b' }];
    const plan = await apply(doors.dgs, [{ kind: 'InboundAcls', name: zonePath, spec: { entries } }]);
    expect(plan.changes.map(({ action, uuid }) => [action, uuid])).toEqual([
      ['MOVE', before[2]?.uuid],
      ['UPDATE', before[0]?.uuid],
    ]);
    const after = (await doors.dgs.rest<{ inboundAcls: readonly Resource[] }>('GET', path)).body.inboundAcls;
    expect(after.map(({ name }) => name)).toEqual(['c', 'a', 'b']);
    expect(after[1]).toMatchObject({ uuid: before[0]?.uuid, post: null, sourceZoneUuid: doors.root });
    expect(after[2]).toMatchObject({ uuid: before[1]?.uuid, properties: ['total'], get: 'DENY' });
  });

  it('keeps left-out members and secrets, and null sets none', async () => {
    const name = `${zonePath}/crm%2Feu`;
    const first = await apply(doors.dgs, [{ kind: 'Adaptor', name, spec: { description: null } }]);
    expect(first.changes).toMatchObject([
      { action: 'UPDATE', before: { description: 'first' }, after: { description: null } },
    ]);
    const secret = { host: 'db', password: 's3cret' };
    expect(shown(await planAs(doors.dgs, [{ kind: 'Adaptor', name, spec: { metadata: secret } }]))).toEqual([]);
    expect(shown(await planAs(doors.dgs, [{ kind: 'Adaptor', name, spec: { metadata: { host: 'db' } } }]))).toEqual([]);
    const other = await planAs(doors.dgs, [
      { kind: 'Adaptor', name, spec: { metadata: { ...secret, password: 'n3w' } } },
    ]);
    expect(other.changes).toMatchObject([{ action: 'UPDATE', after: { metadata: { password: '***' } } }]);
    expect(JSON.stringify(other)).not.toContain('n3w');
  });

  it('is outdated when something that it rests on has changed', async () => {
    const documents = [{ kind: 'Zone', name: zonePath, spec: { description: 'from a file' } }];
    const plan = await planAs(doors.admin, documents);
    expect(plan.changes).toMatchObject([{ action: 'UPDATE', uuid: zone.uuid, before: { description: null } }]);
    const { changeVersion } = requireStatus(await doors.admin.rest('GET', `/zones/${zone.uuid}`), 200).body;
    requireStatus(
      await doors.admin.rest('PATCH', `/zones/${zone.uuid}`, { geoCoordinates: '1,2', changeVersion }),
      200,
    );
    expect(await doors.admin.rest('POST', `/plan/${String(plan.planUuid)}/apply`)).toMatchObject({
      status: 409,
      body: { code: 'PLAN_OUTDATED' },
    });
    await apply(doors.admin, documents);
    expect(requireStatus(await doors.admin.rest('GET', `/zones/${zone.uuid}`), 200).body).toMatchObject({
      description: 'from a file',
      geoCoordinates: '1,2',
    });
  });

  it('names every fault with the index of its document', async () => {
    const plan = await planAs(doors.dgs, [
      { kind: 'Colour', name: 'red' },
      { kind: 'Zone', name: `${zonePath}/x`, spec: {} },
      {
        kind: 'InboundAcls',
        name: zonePath,
        spec: {
          entries: [
            { name: 'c' },
            {
              name: 'new',
              sourceZone: 'Root/Nowhere',
              properties: ['nope'],
              domainVersion: `${domain}:v1`,
              post: 'DENY',
            },
            { name: 'strict', domainVersion: `${domain}:v1`, properties: ['nope'], post: 'DENY' },
          ],
        },
      },
      { kind: 'DomainVersion', name: `${domain}:v3`, spec: {} },
      { kind: 'Adaptor', name: `${zonePath}/new`, spec: { colour: 'red' } },
    ]);
    expect(plan.planUuid).toBeNull();
    expect(plan.faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/0/kind NOT_ALLOWED',
      '/1 FORBIDDEN',
      '/3/name UNKNOWN_REFERENCE',
      '/4/spec/colour UNKNOWN_MEMBER',
      '/2/spec/entries/1/sourceZone UNKNOWN_REFERENCE',
      expect.stringMatching(/^\/2\/spec\/entries\/2\/properties\/0 /),
    ]);
  });

  it('moves a zone with its parentZone; a cycle is a fault', async () => {
    const [north, south] = [`${zonePath}/north`, `${zonePath}/south`];
    await apply(doors.admin, [
      { kind: 'Zone', name: `${south}/deep`, spec: { description: 'x' } },
      { kind: 'Zone', name: south },
      { kind: 'Zone', name: north, spec: {} },
      {
        kind: 'Role',
        name: `${south}/Auditor`,
        spec: {
          permissions: [{ action: 'GET', resource: `/zones/${encodeURIComponent(south)}/users/*` }],
        },
      },
    ]);
    const moved = { kind: 'Zone', name: south, spec: { parentZone: north } };
    const cycle = await planAs(doors.admin, [
      moved,
      { kind: 'Zone', name: north, spec: { parentZone: `${south}/deep` } },
    ]);
    expect(cycle.faults.map(({ pointer }) => pointer)).toEqual([expect.stringMatching(/^\/1/)]);
    const plan = await apply(doors.admin, [moved]);
    expect(plan.changes).toMatchObject([
      { action: 'MOVE', before: { parentZone: zonePath }, after: { parentZone: north } },
    ]);
    expect(shown(await planAs(doors.admin, [moved]))).toEqual([]);
    expect(
      shown(await planAs(doors.admin, [{ kind: 'Zone', name: `${north}/south/deep`, spec: { description: 'x' } }])),
    ).toEqual([]);
  });

  it('deletes with prune only, and never a managed role', async () => {
    const roles = (names: readonly string[]): readonly Document[] =>
      names.map((name) => ({ kind: 'Role', name: `${zonePath}/${name}`, spec: { description: name } }));
    await apply(doors.admin, roles(['one', 'two']));
    expect(shown(await planAs(doors.admin, roles(['one'])))).toEqual([]);
    expect(shown(await apply(doors.admin, roles(['one']), '?prune=true'))).toEqual(['DELETE Role Root/Z/two']);
    await expect(find(doors.admin, `/zones/${zone.uuid}/roles`, 'roles', 'two')).rejects.toThrow('no two');
    expect((await find(doors.admin, `/zones/${zone.uuid}/roles`, 'roles', '"Zone Admin"')).name).toBe('Zone Admin');
    const managed = await planAs(doors.admin, [{ kind: 'Role', name: `${zonePath}/Mine`, spec: { managed: true } }]);
    expect(managed.faults).toMatchObject([{ pointer: '/0/spec/managed', code: 'MANAGED_ROLE' }]);
  });

  it('shows which data roles and people gain and lose', async () => {
    const role = `${zonePath}/Clerk`;
    const rules = [{ effect: 'ALLOW', actions: ['GET'], domainVersion: `${domain}:v1`, properties: ['total'] }];
    const reader = [{ kind: 'Role', name: role, spec: { permissions: [{ action: 'GET', resource: '/drs/*' }] } }];
    const name = uniqueName('clerk');
    const documents = [
      ...reader,
      { kind: 'DataAccessRules', name: role, spec: { rules } },
      { kind: 'User', name: `${zonePath}/${name}`, spec: { serviceAccount: true, roles: [role] } },
    ];
    const steward = doors.dgs;
    await promote();
    const plan = await planAs(steward, documents);
    expect(plan.faults).toEqual([]);
    const gains = [{ domainVersion: `${domain}:v1`, property: 'total', actions: ['GET'] }];
    expect(plan.access).toEqual([
      { subject: { kind: 'ROLE', name: role, uuid: null }, gains, loses: [] },
      { subject: { kind: 'PERSON', name, uuid: null }, gains, loses: [] },
    ]);
    await apply(steward, documents);
    const stricter = await planAs(steward, [
      { kind: 'DataAccessRules', name: role, spec: { rules: [{ effect: 'DENY' }] } },
    ]);
    expect(stricter.access).toMatchObject([
      { subject: { kind: 'ROLE', uuid: expect.any(String) }, gains: [], loses: gains },
      { subject: { kind: 'PERSON', uuid: expect.any(String) }, gains: [], loses: gains },
    ]);
    const unknown = await planAs(steward, [
      {
        kind: 'DataAccessRules',
        name: role,
        spec: { rules: [{ effect: 'ALLOW', domainVersion: `${domain}:v1`, properties: ['nope'] }] },
      },
    ]);
    expect(unknown.faults).toMatchObject([{ pointer: '/0/spec/rules/0/properties/0' }]);
  });

  it('takes YAML, and refuses YAML that would overload a reader', async () => {
    const post = (data: string) =>
      doors.admin.call<Plan & { readonly code: string; readonly errors: Plan['faults'] }>('/api/plan', {
        method: 'POST',
        headers: { 'content-type': 'application/yaml' },
        text: data,
      });
    const good = await post(`# a comment\n---\nkind: Zone\nname: ${zonePath}\nspec: {description: "in\\nYAML"}\n---\n`);
    expect(good.body.changes).toMatchObject([{ action: 'UPDATE', after: { description: 'in\nYAML' } }]);
    const laughs = `a: &a [x]\nb: &b [*a, *a]\nkind: Zone\nname: x`;
    for (const [text, code] of [
      [laughs, 'ALIAS'],
      ['kind: Zone\nkind: Role\nname: x', 'DUPLICATE_MEMBER'],
      ['kind: Zone\nname: !!binary aGVsbG8=', 'TAG'],
      ['kind: Zone\nname: x\nspec: {<<: {a: 1}}', 'MERGE_KEY'],
      [`kind: Zone\nname: x\nspec: ${'['.repeat(100)}${']'.repeat(100)}`, 'TOO_DEEP'],
      ['kind: [', 'YAML'],
    ] as const) {
      const refused = await post(text);
      expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(refused.body.errors[0]).toMatchObject({ pointer: expect.stringMatching(/^\/0/), code });
    }
  });

  it('creates people and service accounts, once for several zones', async () => {
    const name = uniqueName('ada');
    const documents = [
      {
        kind: 'User',
        name: `${zonePath}/${name}`,
        spec: { name: 'Ada', password: 'correct horse battery', roles: [`${zonePath}/Zone Admin`] },
      },
      { kind: 'User', name: `Root/${name}`, spec: {} },
      { kind: 'User', name: `${zonePath}/${name}-app`, spec: { serviceAccount: true, roles: [`${zonePath}/one`] } },
    ];
    const plan = await planAs(doors.admin, documents);
    expect(plan.faults).toEqual([]);
    const applied = await doors.admin.rest<{ clients: readonly { name: string }[] }>(
      'POST',
      `/plan/${String(plan.planUuid)}/apply`,
    );
    expect(applied.body.clients.map((client) => client.name)).toEqual([`${zonePath}/${name}-app`]);
    expect(shown(await planAs(doors.admin, documents))).toEqual([]);
  });
});

it('the schema of documents is open to everyone', async () => {
  const schema = await doors.anyone.rest<{ properties: { kind: { enum: readonly string[] } } }>(
    'GET',
    '/configuration-schema.json',
  );
  expect([schema.status, schema.body.properties.kind.enum.length]).toEqual([200, 14]);
});

it('every user may plan, and needs the permission of each change', async () => {
  const { username, password } = await createServiceAccount(doors, uniqueName('reader'));
  const person = doorOf(doors.service, await getToken({ baseUrl: doors.service.baseUrl, username, password }));
  expect((await planAs(person, [])).planUuid).toEqual(expect.any(String));
  const plan = await planAs(person, [{ kind: 'Zone', name: zonePath, spec: { description: 'mine' } }]);
  expect(plan.planUuid).toBeNull();
  expect(plan.faults).toMatchObject([{ pointer: expect.stringMatching(/^\/0/) }]);
});
