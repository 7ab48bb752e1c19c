import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { exchange, type RawAnswer } from '../../harness/exchange.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody } from '../unique-name.js';

interface CreatedUser extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Listing {
  readonly drs: readonly Resource[];
  readonly _page: { readonly totalElements: number };
}

/** Part of all data that rules hide. */
const canary = 'CANARY';

/**
 * A request that returns data. `{a}`, `{hidden}`, `{c}` and `{fed}` are records, `{adaptor}` and `{closed}` are
 * adaptors.
 */
type Way = readonly [says: string, ask: (door: Door) => Promise<RawAnswer>];

const get = (path: string): Way => [`GET ${path}`, (door) => door.rest('GET', fill(path))];
const query = (text: string): Way => [`GraphQL ${text}`, (door) => door.graphql(fill(text))];

const places = new Map<string, string>();
const fill = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => places.get(name) ?? whole);

const restWays: readonly Way[] = [
  get('/drs?filters=name:vault'),
  get('/drs?filters=name:vault&options=expandRefs:false'),
  get('/drs?filters=name:vault&sort=id&size=1000'),
  get('/drs?filters=name:vault&query=*:*'),
  get('/drs?filters=name:vault&query=NOT%20id:zzz'),
  get('/drs?filters=dr-uuids:{a}:{hidden}:{c}:{fed}:{alone}'),
  get('/drs?filters=dr-uuids:{a}:{hidden}:{c}:{fed}:{alone},exclude-adaptors:true'),
  get('/drs/{a}'),
  get('/drs/{a}?options=refs:true'),
  get('/drs/{c}'),
  get('/drs/{c}?options=refs:true,expandRefs:false'),
  get('/drs/{hidden}'),
  get('/drs/{c}/data-events'),
  get('/drs/{fed}/data-events'),
  get('/drs/{alone}/data-events'),
  get('/data-events?size=1000'),
  get('/data-events?filters=adaptor:{closed}'),
  get('/data-events?filters=destination:{closed}'),
  get('/data-events?filters=reason:NOT_CAPABLE'),
  get('/drs/{fed}'),
  get('/drs/{alone}'),
  get('/drs/{fed}?filters=adaptor:{closed}'),
  get('/drs?filters=name:fed'),
  get('/drs?filters=name:fed,exclude-adaptors:true&sort=-id'),
  get('/drs?filters=name:fed,adaptor:{closed}'),
  get('/drs?filters=name:fed&query=id:*'),
  get('/drs/{fed}/adaptor/{closed}/check'),
  get('/drs?filters=name:desk'),
];

const graphqlWays: readonly Way[] = [
  query('{ dataRecords(domainName: "vault") { data { uuid drKey json } page { totalElements } } }'),
  query('{ dataRecord(drUuid: "{c}") { uuid drKey json refs { property href } } }'),
  query(
    '{ dr_vault_1 { data { id secret nick salary friend { id secret salary nick } rival { id nick } _dr { uuid drKey } } page { totalElements } } }',
  ),
  query(
    '{ dataEvents(size: 1000) { data { drKey destinations { adaptorUuid status notApplied { property reason } } overrides { eventUuid properties } overriddenBy { properties } } } }',
  ),
  query('{ dr_vault_1 { data { id nick salary } } }'),
  query('{ dr_desk_1 { data { id boss { id secret nick salary } } } }'),
  query('{ dr_fed_1 { data { id city note _dr { drKey status adaptors { uuid name } } } page { totalElements } } }'),
  query('{ dr_fed_1(query: "id:*", sort: "-id") { data { id _dr { drKey } } } }'),
];

/** Requests that would reveal hidden data, with the expected status. */
const refused: readonly (readonly [path: string, status: number])[] = [
  ['/drs/{hidden}', 404],
  ['/drs/{alone}', 404],
  ['/drs/{hidden}/data-events', 404],
  ['/drs/{alone}/data-events', 404],
  ['/drs/{fed}?filters=adaptor:{closed}', 404],
  ['/drs/{fed}/adaptor/{closed}/check', 404],
  ['/drs?filters=name:vault&query=secret:*', 400],
  ['/drs?filters=name:vault&query=id:a%20OR%20NOT%20secret:x', 400],
  ['/drs?filters=name:vault&sort=-secret', 400],
  ['/drs?filters=name:vault,dr-key:secret=x', 400],
];

describe('data access rules', () => {
  const { doors, leftovers } = setUpDoors();
  let reader: Door;
  let rulesPath: string;
  let vaultUuid: string;
  let fedUuid: string;

  const addRecord = async (name: string, json: unknown): Promise<string> =>
    requireStatus(await doors.dgs.rest('POST', '/drs', { name, json }), 201).body.uuid;

  const startSource = async (name: string, rows: Readonly<Record<string, object>>): Promise<CreatedAdaptor> => {
    const adaptor = await createAdaptor(doors.dgs, doors.root, { name, capabilities: allActions('fed') });
    const running = await startSourceAdaptor(leftovers, doors.service, adaptor, {
      assemble: ({ records }) =>
        Promise.resolve({
          records: (records ?? []).map(({ drUuid, drKey }) => ({
            drUuid,
            drKey,
            data: (rows[(drKey as { readonly id?: string } | undefined)?.id ?? ''] ?? {}) as Record<string, string>,
          })),
        }),
    });
    for (const json of Object.values(rows)) {
      await running.publish({ action: 'POST', domain: 'fed', version: 1, json: json as Record<string, string> });
    }
    return adaptor;
  };

  const assemble = (door: Door, json: object): Promise<RawAnswer> =>
    exchange(`${doors.service.assemblyUrl}/request`, { method: 'POST', token: door.token ?? '', json });

  const assemblies: readonly Way[] = [
    { domain: 'fed', options: { provenance: true } },
    { domain: 'fed', query: 'id:*', sort: '-id' },
    { domain: 'fed', drKeys: [{ id: '1' }], adaptors: ['{adaptor}', '{closed}'] },
    { drUuids: ['{fed}', '{alone}'] },
    { domain: 'vault' },
    { domain: 'vault', requestedProperties: ['id', 'secret', 'salary'] },
  ].map((body) => [
    `assembly ${JSON.stringify(body)}`,
    (door) => assemble(door, JSON.parse(fill(JSON.stringify(body))) as object),
  ]);

  beforeAll(async () => {
    const { admin, dgs, root, service } = doors;
    const text = { type: 'string' };
    const vault = await createVersion(dgs, {
      name: 'vault',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: text, secret: text, nick: text, salary: text },
      drKeyProperties: ['id', 'secret'],
    });
    vaultUuid = vault.domainUuid;
    const version = requireStatus(await dgs.rest('GET', `/domains/versions/${vault.domainVersionUuid}`), 200).body;
    const modelSchema = {
      properties: {
        id: text,
        secret: text,
        nick: text,
        salary: text,
        friend: { $ref: '/domains/vault:v1' },
        rival: { $ref: '/domains/vault:v1' },
      },
    };
    const { changeVersion } = version;
    const changed = { changeVersion, modelSchema, drKeyProperties: ['id', 'secret'] };
    requireStatus(await dgs.rest('PUT', `/domains/versions/${vault.domainVersionUuid}`, changed), 200);
    const fed = await createVersion(dgs, {
      name: 'fed',
      domainType: 'FEDERATED',
      properties: { id: text, city: text, note: text },
      drKeyProperties: ['id'],
    });
    fedUuid = fed.domainUuid;
    await createVersion(dgs, {
      name: 'desk',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: text, boss: { $ref: '/domains/vault:v1', query: 'id:${id} AND secret:*' } },
      drKeyProperties: ['id'],
    });

    const pay = (nick: string) => ({ nick, salary: `${canary}-pay` });
    places.set('a', await addRecord('vault', { id: 'a', secret: `${canary}-1`, ...pay('anna') }));
    places.set('hidden', await addRecord('vault', { id: `${canary}-2`, secret: `${canary}-2`, ...pay(canary) }));
    const friend = { $ref: `/drs/${places.get('a')}` };
    const rival = { $ref: `/drs/${places.get('hidden')}` };
    places.set('c', await addRecord('vault', { id: 'c', secret: `${canary}-3`, ...pay('carl'), friend, rival }));
    await addRecord('desk', { id: 'a' });

    // an adaptor that is created later does not receive the earlier records
    const closed = await startSource(`${canary}-adaptor`, {
      1: { id: '1', city: `${canary}-city`, note: `${canary}-note` },
      [`${canary}-9`]: { id: `${canary}-9`, city: canary },
    });
    await eventually(async () => {
      const { body } = await dgs.rest<Listing>('GET', '/drs?filters=name:fed');
      expect(body.drs).toHaveLength(2);
    });
    const open = await startSource('open', { 1: { id: '1', city: 'Oslo', note: `${canary}-note` } });
    places.set('adaptor', open.uuid);
    places.set('closed', closed.uuid);
    await eventually(async () => {
      const { body } = await dgs.rest<Listing>('GET', '/drs?filters=name:fed');
      expect(body.drs).toHaveLength(3);
      for (const { uuid, ...row } of body.drs) {
        const { id } = row['drKey'] as { readonly id: string };
        places.set(id === '1' ? 'fed' : 'alone', uuid);
      }
    });

    const { users } = requireStatus(
      await admin.rest<{ readonly users: readonly (Resource & { readonly username: string })[] }>(
        'GET',
        `/zones/${root}/users`,
      ),
      200,
    ).body;
    const steward = users.find(({ username }) => username === 'dgs')?.uuid;
    const grant = (door: Door, holderUuid: string | undefined, action: string, resource: string) =>
      door.rest('POST', `/zones/${root}/permissions`, {
        type: 'ALLOW',
        action,
        resource,
        holderType: 'USER',
        holderUuid,
      });
    requireStatus(await grant(admin, steward, 'POST', `/zones/${root}/permissions`), 201);
    // only a caller who has the data may widen rules
    requireStatus(await grant(admin, steward, 'ALL', `/zones/${root}/roles/*`), 201);
    const user = requireStatus(
      await admin.rest<CreatedUser>('POST', `/zones/${root}/users`, { username: 'reader', serviceAccount: true }),
      201,
    ).body;
    requireStatus(await grant(dgs, user.uuid, 'ALL', '/drs/*'), 201);
    requireStatus(await grant(dgs, user.uuid, 'GET', '/domains/*'), 201);
    requireStatus(await grant(dgs, user.uuid, 'GET', '/data-events/*'), 201);
    const role = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name: 'Clerk' }), 201).body;
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/users`, [user.uuid]), 201);
    rulesPath = `/zones/${root}/roles/${role.uuid}/data-access-rules`;
    const { clientId, clientSecret } = user;
    reader = doorOf(service, await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret }));
  }, 180_000);

  it('hide nothing without rules', async () => {
    let seen = 0;
    for (const [says, ask] of [...restWays, ...graphqlWays, ...assemblies]) {
      const answer = await ask(reader);
      if (answer.status !== 200) throw new Error(`${says}: ${answer.status} ${answer.text}`);
      if (answer.text.includes(canary)) seen += 1;
    }
    expect(seen).toBeGreaterThan(25);
  });

  it('are created in a list, and all faults are reported at once', async () => {
    const { admin } = doors;
    const wrong = await admin.rest('POST', rulesPath, [
      { effect: 'DENY', adaptorUuid: nobody },
      { actions: [], drUuids: [nobody], properties: ['a.b'] },
    ]);
    expect(wrong.status).toBe(400);
    const { errors } = wrong.body as unknown as { errors: { pointer: string; code: string }[] };
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/0/adaptorUuid UNKNOWN_REFERENCE',
      '/1/actions OUT_OF_RANGE',
      '/1/drUuids/0 UNKNOWN_REFERENCE',
      '/1/effect REQUIRED',
      '/1/properties/0 INVALID_VALUE',
    ]);
    requireStatus(
      await admin.rest('POST', rulesPath, [
        { effect: 'DENY', adaptorUuid: places.get('closed') },
        { effect: 'DENY', domainUuid: vaultUuid, properties: ['SECRET', 'salary'] },
        { effect: 'DENY', drUuids: [places.get('hidden')] },
      ]),
      201,
    );
    const last = requireStatus(
      await admin.rest('POST', rulesPath, { effect: 'DENY', domainUuid: fedUuid, properties: ['city'] }),
      201,
    ).body;
    const { uuid } = ((last as unknown as { dataAccessRules?: Resource[] }).dataAccessRules ?? [last])[0] as Resource;
    const one = `${rulesPath}/${uuid}`;
    expect(requireStatus(await admin.rest('GET', one), 200).body).toMatchObject({ position: 3, drUuids: null });
    requireStatus(await doors.dgs.rest('PATCH', one, { changeVersion: 1, properties: ['note'], position: 0 }), 200);
    expect((await doors.dgs.rest('PATCH', one, { changeVersion: 1, properties: null })).status).toBe(409);
    const { body } = requireStatus(
      await admin.rest<{ readonly dataAccessRules: readonly Resource[] }>('GET', rulesPath),
      200,
    );
    expect(body.dataAccessRules.map((rule) => [rule['position'], rule['properties']])).toEqual([
      [0, ['note']],
      [1, null],
      [2, ['SECRET', 'salary']],
      [3, null],
    ]);
    expect((await reader.rest('GET', rulesPath)).status).toBe(403);
  });

  it.each([...restWays, ...graphqlWays, ...assemblies])('hide the expected data: %s', async (_, ask) => {
    const answer = await ask(reader);
    expect(answer.status).toBeLessThan(500);
    expect(`${JSON.stringify(answer.headers)} ${answer.text}`).not.toContain(canary);
  });

  it('let a search find of each record the events that its history shows, and none of hidden ones', async () => {
    interface Event {
      readonly uuid: string;
      readonly drUuid: string;
      readonly drKey: unknown;
      readonly destinations: readonly unknown[];
    }
    const { dataEvents, more } = requireStatus(
      await reader.rest<{ readonly dataEvents: readonly Event[]; readonly more: boolean }>(
        'GET',
        '/data-events?size=1000',
      ),
      200,
    ).body;
    expect(more).toBe(false);
    for (const name of ['a', 'c', 'fed']) {
      const { body } = await reader.rest<{ readonly dataEvents: readonly Event[] }>(
        'GET',
        fill(`/drs/{${name}}/data-events`),
      );
      const found = dataEvents.filter(({ drUuid }) => drUuid === places.get(name));
      const shown = ({ uuid, drKey, destinations }: Event) => ({ uuid, drKey, destinations });
      expect(found.map(shown)).toEqual(body.dataEvents.map(shown));
      expect(found.length).toBeGreaterThan(0);
    }
    const text = JSON.stringify([
      dataEvents,
      (await reader.rest('GET', '/data-events/counts')).body,
      (await reader.rest('GET', fill('/data-events?filters=destination:{closed}'))).body,
    ]);
    for (const name of ['hidden', 'alone', 'closed']) expect(text).not.toContain(places.get(name));
  });

  it.each(refused)('refuse %s with %i, like a missing resource', async (path, status) => {
    const answer = await reader.rest('GET', fill(path));
    expect([answer.status, answer.text]).toEqual([status, expect.not.stringContaining(canary)]);
  });

  it('leave other data visible, and only count that', async () => {
    const vault = requireStatus(await reader.rest<Listing>('GET', '/drs?filters=name:vault&sort=id'), 200).body;
    expect(vault._page.totalElements).toBe(2);
    expect(vault.drs.map(({ drKey }) => drKey)).toEqual([{ id: 'a' }, { id: 'c' }]);
    const c = requireStatus(await reader.rest('GET', fill('/drs/{c}')), 200).body;
    expect(c['json']).toEqual({
      id: 'c',
      nick: 'carl',
      friend: { id: 'a', nick: 'anna' },
      rival: { $ref: fill('/drs/{hidden}') },
    });
    const fed = requireStatus(await reader.rest<Listing>('GET', '/drs?filters=name:fed'), 200).body;
    expect(fed.drs.map((row) => row['adaptorUuid'])).toEqual([places.get('adaptor')]);
    const { body } = await assemble(reader, { domain: 'fed' });
    expect(body).toMatchObject({
      assembledDataRecords: [{ data: { id: '1', city: 'Oslo' }, status: 'PREFERRED_COMPLETE' }],
    });
  });

  it('apply to writes too, and errors reveal no hidden data', async () => {
    const taken = { id: `${canary}-2`, secret: `${canary}-2` };
    const patch = (uuid: string, json: object) => reader.rest('PATCH', fill(`/drs/${uuid}`), json);
    const answers = [
      [await patch('{hidden}', { nick: 'x' }), 404],
      [await reader.rest('DELETE', fill('/drs/{hidden}')), 404],
      [await reader.rest('DELETE', fill('/drs/{alone}')), 404],
      [await patch('{c}', { salary: 'mine' }), 403],
      [await patch('{c}', { nick: 'charles' }), 200],
      [await patch('{a}', { friend: { $ref: fill('/drs/{hidden}') } }), 400],
      [await patch('{a}', { friend: { $ref: `/drs/${nobody}` } }), 400],
      [await reader.rest('POST', '/drs', { name: 'vault', json: taken }), 403],
      [await reader.rest('POST', '/drs', { name: 'fed', json: { id: 'new' } }), 201],
    ] as const;
    expect(answers.map(([{ status }]) => status)).toEqual(answers.map(([, status]) => status));
    for (const [{ text, headers }] of answers) expect(`${JSON.stringify(headers)} ${text}`).not.toContain(canary);
    const kept = requireStatus(await doors.dgs.rest('GET', fill('/drs/{c}?options=expandRefs:false')), 200).body;
    expect(kept['json']).toMatchObject({ nick: 'charles', salary: `${canary}-pay` });
    const rows = [{ id: 'a', secret: `${canary}-1`, nick: 'new' }, { id: 'a', secret: 'wrong', nick: 'new' }, taken];
    const bulk = await reader.call(`/api/drs/bulk?filters=name:vault`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text: JSON.stringify(rows),
    });
    expect(bulk.text).not.toContain(canary);
    expect(bulk.text).not.toContain(places.get('hidden'));
    const { failed, errors } = bulk.body as {
      failed: number;
      errors: { row: number; pointer: string; code: string }[];
    };
    // the answer must not show whether the hidden key of a row is right
    const told = (row: number): string[] =>
      errors.filter((each) => each.row === row).map(({ pointer, code }) => `${pointer} ${code}`);
    expect([failed, told(1)]).toEqual([3, told(2)]);
    const anna = requireStatus(await doors.dgs.rest('GET', fill('/drs/{a}')), 200).body;
    expect(anna['json']).toMatchObject({ nick: 'anna', salary: `${canary}-pay` });
  });

  it('apply to repeated answers of the same caller; another caller does not get them', async () => {
    const { dgs } = doors;
    const text = { type: 'string' };
    const locker = await createVersion(dgs, {
      name: 'locker',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: text, secret: text },
      drKeyProperties: ['id'],
    });
    const post = (door: Door) =>
      door.call<Resource>('/api/drs', {
        method: 'POST',
        headers: { 'idempotency-key': 'once' },
        json: { name: 'locker', json: { id: 'a', secret: canary } },
      });
    const rule = (selectors: object) => doors.dgs.rest('PUT', rulesPath, [{ effect: 'DENY', ...selectors }]);
    requireStatus(await doors.dgs.rest('PUT', rulesPath, []), 200);
    const first = requireStatus(await post(reader), 201);
    expect((await post(reader)).text).toBe(first.text);
    expect((await post(dgs)).status).toBe(409);
    requireStatus(await rule({ domainUuid: locker.domainUuid, properties: ['secret'], actions: ['GET'] }), 200);
    const masked = requireStatus(await post(reader), 201);
    expect([masked.headers['idempotency-replayed'], masked.headers['location']]).toEqual([
      'true',
      first.headers['location'],
    ]);
    expect(masked.text).not.toContain(canary);
    expect(masked.body['json']).toEqual({ id: 'a' });
    requireStatus(await rule({ drUuids: [first.body.uuid] }), 200);
    const hidden = await post(reader);
    expect([hidden.status, hidden.text]).toEqual([404, expect.not.stringContaining(canary)]);
    requireStatus(await doors.dgs.rest('PUT', rulesPath, []), 200);
    expect((await post(reader)).text).toBe(first.text);
  });

  it('take effect at once, and end with their removal', async () => {
    requireStatus(await doors.dgs.rest('PUT', rulesPath, [{ effect: 'ALLOW', domainUuid: fedUuid }]), 200);
    expect((await reader.rest('GET', fill('/drs/{a}'))).status).toBe(404);
    expect((await reader.rest('GET', fill('/drs/{alone}'))).status).toBe(200);
    requireStatus(await doors.dgs.rest('PUT', rulesPath, []), 200);
    expect((await reader.rest('GET', fill('/drs/{a}'))).text).toContain(canary);
  });
});
