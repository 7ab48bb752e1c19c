import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedVersion,
} from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';
import { openSubscriber, type Received, type Subscriber } from './open-subscriber.js';

interface MetadataMessage {
  readonly metadataEvents: {
    readonly cursor: string;
    readonly action: string;
    readonly resource: string;
    readonly type: string;
    readonly data: string;
    readonly resourceUuid: string;
    readonly adaptor: { readonly name: string; readonly zone: { readonly name: string } } | null;
    readonly domainVersion: { readonly versionNumber: number } | null;
  };
}

const metadata = `subscription ($events: [NotificationEventsInput!], $after: String) {
  metadataEvents(events: $events, after: $after) {
    cursor action resource type data resourceUuid adaptor { name zone { name } }
  } }`;

interface DataMessage {
  readonly dataEvents: {
    readonly cursor: string;
    readonly action: string;
    readonly drUuid: string;
    readonly drKey: string;
    readonly jsonData: string | null;
    readonly createTime: number;
    readonly record: { readonly uuid: string; readonly drKey: string } | null;
  };
}

const dataEvents = `subscription ($domain: String!, $actions: [NotificationAction!], $after: String) {
  dataEvents(domainName: $domain, actions: $actions, after: $after) {
    cursor action drUuid drKey jsonData createTime record { uuid drKey }
  } }`;

const codesOf = ({ errors }: Received<unknown>): unknown[] =>
  errors.map((error) => (error as { readonly extensions?: { readonly code?: string } }).extensions?.code);

describe('subscriptions', () => {
  const { doors, leftovers } = setUpDoors();
  let dgs: Subscriber;
  let version: CreatedVersion;

  const zoneEvents = [{ resource: '/zones/*', actions: ['ALL'] }];
  const createGroup = async (name = uniqueName('group')): Promise<Resource> =>
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/groups`, { name }), 201).body;
  const deleteGroup = async (uuid: string): Promise<void> =>
    void requireStatus(await doors.admin.rest('DELETE', `/zones/${doors.root}/groups/${uuid}`), 204);
  /** Waits for a first message, which shows that the subscription has begun. */
  const begin = async (received: Received<MetadataMessage>): Promise<void> => {
    await eventually(async () => {
      if (received.errors.length > 0) throw new Error(JSON.stringify(received.errors));
      await createGroup();
      if (received.data.length === 0) throw new Error('no message yet');
    });
  };
  const subscriber = (door: Door): Subscriber => openSubscriber(leftovers, doors.service.baseUrl, () => door.token);

  /** A person with these permissions, and their door. */
  const createPerson = async (permissions: readonly (readonly [string, string])[], granter: Door = doors.admin) => {
    const username = uniqueName('person');
    const person = requireStatus(
      await doors.admin.rest<Resource & { readonly clientId: string; readonly clientSecret: string }>(
        'POST',
        `/zones/${doors.root}/users`,
        { username, serviceAccount: true },
      ),
      201,
    ).body;
    const granted: Resource[] = [];
    for (const [action, resource] of permissions) {
      const permission = { action, resource, holderType: 'USER', holderUuid: person.uuid };
      const { body } = requireStatus(await granter.rest('POST', `/zones/${doors.root}/permissions`, permission), 201);
      granted.push(body);
    }
    const credentials = { username: person.clientId, password: person.clientSecret };
    const token = await getToken({ baseUrl: doors.service.baseUrl, ...credentials });
    return { person, granted, credentials, door: doorOf(doors.service, token) };
  };

  beforeAll(async () => {
    dgs = subscriber(doors.dgs);
    version = await createVersion(doors.dgs, {
      name: uniqueName('stored'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
  });

  it('give changes of resources with fields of other subgraphs', async () => {
    const received = dgs.subscribe<MetadataMessage>(metadata, {
      events: [{ resource: '/zones/?/adaptors/?', actions: ['POST', 'PUT'] }],
    });
    let adaptor: Resource | undefined;
    await eventually(async () => {
      const body = { name: uniqueName('adaptor'), capabilities: [] };
      adaptor = requireStatus(await doors.dgs.rest('POST', `/zones/${doors.root}/adaptors`, body), 201).body;
      if (received.data.length === 0) throw new Error(`no message: ${JSON.stringify(received.errors)}`);
    });
    const { metadataEvents: last } = (await received.wait(1)).at(-1) ?? {};
    expect(last).toMatchObject({
      cursor: expect.stringMatching(/^[\w-]{59}$/),
      action: 'POST',
      type: 'Adaptor',
      adaptor: { name: expect.any(String), zone: { name: 'Root' } },
    });
    expect(last?.resource).toBe(`${doors.service.baseUrl}/api/zones/${doors.root}/adaptors/${last?.resourceUuid}`);
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ uuid: last?.resourceUuid, name: last?.adaptor?.name });
    expect(adaptor).toBeDefined();
    expect(received.errors).toEqual([]);
    received.stop();
  });

  it('resume after a cursor, with each message once and none missing', async () => {
    const admin = subscriber(doors.admin);
    const first = admin.subscribe<MetadataMessage>(metadata, { events: zoneEvents });
    await begin(first);
    const cursor = first.data[0]?.metadataEvents.cursor;
    first.stop();
    const groups: string[] = [];
    for (let count = 0; count < 5; count += 1) groups.push((await createGroup()).uuid);
    const second = admin.subscribe<MetadataMessage>(metadata, { events: zoneEvents, after: cursor });
    for (let count = 0; count < 5; count += 1) groups.push((await createGroup()).uuid);
    await eventually(async () => {
      const last = groups.at(-1);
      if (!second.data.some(({ metadataEvents }) => metadataEvents.resourceUuid === last)) throw new Error('not yet');
    });
    const cursors = second.data.map(({ metadataEvents }) => metadataEvents.cursor);
    expect(new Set([cursor, ...cursors]).size).toBe(1 + cursors.length);
    const seen = second.data.map(({ metadataEvents }) => metadataEvents.resourceUuid);
    expect(seen.filter((uuid) => groups.includes(uuid))).toEqual(groups);
    // exactly the entries that a reader of the same part of the log sees
    const third = admin.subscribe<MetadataMessage>(metadata, { events: zoneEvents, after: cursor });
    expect((await third.wait(second.data.length)).slice(0, second.data.length)).toEqual(second.data);
    second.stop();
    third.stop();
    for (const uuid of groups) await deleteGroup(uuid);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a text of another form', { after: 'x' }, metadata, 'INVALID_PARAMETER'],
    ['a bare position beyond the log', { after: '999999999999' }, metadata, 'UNKNOWN_CURSOR'],
    ['a bare position in the log', { after: '1' }, metadata, 'UNKNOWN_CURSOR'],
    ['a cursor of another deployment', { after: 'A'.repeat(59) }, metadata, 'UNKNOWN_CURSOR'],
    [
      'a resource that is not a path',
      { events: [{ resource: 'zones', actions: ['ALL'] }] },
      metadata,
      'VALIDATION_FAILED',
    ],
    [
      'a resource that is not granted',
      { events: [{ resource: '/change-log', actions: ['ALL'] }] },
      metadata,
      'FORBIDDEN',
    ],
    ['an unknown domain', { domain: 'nothing' }, dataEvents, 'NOT_FOUND'],
  ])('are refused for %s', async (_, variables, query, code) => {
    const received = dgs.subscribe(query, variables);
    await received.end();
    expect(codesOf(received)).toEqual([code]);
  });

  it('are refused over HTTP', async () => {
    const { body } = await doors.dgs.graphql('subscription { adaptorStates { cursor } }');
    expect(body.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  it('give records of a data store, masked by the rules of the caller', async () => {
    const { domainName, domainVersionUuid } = version;
    const { users } = requireStatus(
      await doors.admin.rest<{ readonly users: readonly Resource[] }>(
        'GET',
        `/zones/${doors.root}/users?filters=username:dgs`,
      ),
      200,
    ).body;
    const resource = `/zones/${doors.root}/permissions`;
    const giving = { action: 'POST', resource, holderType: 'USER', holderUuid: users[0]?.uuid };
    requireStatus(await doors.admin.rest('POST', resource, giving), 201);
    const reading = [
      ['GET', '/drs/*'],
      ['GET', '/domains/*'],
    ] as const;
    const { door, person } = await createPerson(reading, doors.dgs);
    const { body: role } = requireStatus(
      await doors.admin.rest('POST', `/zones/${doors.root}/roles`, { name: uniqueName('role') }),
      201,
    );
    const ofRole = `/zones/${doors.root}/roles/${role.uuid}`;
    requireStatus(await doors.admin.rest('POST', `${ofRole}/users`, [person.uuid]), 201);
    const rules = [
      { effect: 'DENY', domainVersionUuid, properties: ['name'] },
      { effect: 'ALLOW', domainVersionUuid, properties: ['id'] },
    ];
    const allowing = { action: 'ALL', resource: `${ofRole}/*`, holderType: 'USER', holderUuid: users[0]?.uuid };
    requireStatus(await doors.admin.rest('POST', resource, allowing), 201);
    requireStatus(await doors.dgs.rest('PUT', `${ofRole}/data-access-rules`, rules), 200);
    const all = dgs.subscribe<DataMessage>(dataEvents, { domain: domainName });
    const some = subscriber(door).subscribe<DataMessage>(dataEvents, { domain: domainName });
    let id = 0;
    await eventually(async () => {
      id += 1;
      requireStatus(await doors.dgs.rest('POST', '/drs', { name: domainName, json: { id, name: 'Ada' } }), 201);
      for (const { errors, data } of [all, some])
        if (data.length === 0) throw new Error(`no message: ${JSON.stringify(errors)}`);
    });
    const seen = all.data.at(-1)?.dataEvents;
    expect(seen).toMatchObject({ action: 'POST', record: { uuid: seen?.drUuid } });
    expect(JSON.parse(seen?.jsonData ?? '')).toEqual({ id: expect.any(Number), name: 'Ada' });
    expect(JSON.parse(seen?.drKey ?? '')).toEqual([expect.any(Number)]);
    for (const { dataEvents: masked } of some.data) {
      expect(JSON.parse(masked.jsonData ?? '')).toEqual({ id: expect.any(Number) });
    }
    expect(JSON.stringify(some.data)).not.toContain('Ada');
    all.stop();
    some.stop();
  });

  it('hide resources without permission from the very next message on', async () => {
    const { granted, door } = await createPerson([['GET', `/zones/${doors.root}/groups/*`]]);
    const received = subscriber(door).subscribe<MetadataMessage>(metadata, {
      events: [{ resource: `/zones/${doors.root}/groups/?`, actions: ['ALL'] }],
    });
    await begin(received);
    const watching = subscriber(doors.admin).subscribe<MetadataMessage>(metadata, { events: zoneEvents });
    await begin(watching);
    requireStatus(await doors.admin.rest('DELETE', `/zones/${doors.root}/permissions/${granted[0]?.uuid}`), 204);
    const hidden = await createGroup();
    await eventually(async () => {
      if (!watching.data.some(({ metadataEvents }) => metadataEvents.resourceUuid === hidden.uuid))
        throw new Error('not yet');
    });
    expect(received.data.some(({ metadataEvents }) => metadataEvents.resourceUuid === hidden.uuid)).toBe(false);
    watching.stop();
  });

  it('end with the token', async () => {
    const { credentials, door } = await createPerson([['GET', `/zones/${doors.root}/groups/*`]]);
    const own = subscriber(door);
    const received = own.subscribe<MetadataMessage>(metadata, {
      events: [{ resource: `/zones/${doors.root}/groups/?`, actions: ['ALL'] }],
    });
    await begin(received);
    const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
    const text = new URLSearchParams({ token: door.token ?? '' }).toString();
    requireStatus(await doors.anyone.call('/oauth2/revoke', { method: 'POST', headers, text }), 200);
    await received.end();
    expect(own.closes).toEqual([{ code: 4403, reason: 'Token revoked' }]);
  });

  it('give the states of adaptors, at most once a second', async () => {
    const received = dgs.subscribe<{
      adaptorStates: { adaptors: { state: string; queueLength: number; adaptor: { zone: { name: string } } }[] };
    }>(
      'subscription { adaptorStates { cursor adaptors { name state queueLength eventsSentPerSecond eventsReceivedPerSecond adaptor { zone { name } } } } }',
    );
    const begun = performance.now();
    const [first] = await received.wait(3);
    expect(performance.now() - begun).toBeGreaterThan(1_500);
    expect(first?.adaptorStates.adaptors[0]).toMatchObject({
      state: 'DOWN',
      queueLength: 0,
      adaptor: { zone: { name: 'Root' } },
    });
    received.stop();
  });

  it('give the progress and the end of a reconciliation', async () => {
    const { domainName, domainVersionUuid } = version;
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: domainName, json: { id: 7_000, name: 'Ada' } }), 201);
    const capabilities = allActions(domainName);
    // it is never connected, so the job waits for its answer
    const { uuid: adaptorUuid } = await createAdaptor(doors.dgs, doors.root, {
      name: uniqueName('away'),
      capabilities,
    });
    const path = `/zones/${doors.root}/adaptors/${adaptorUuid}/reconciliations`;
    const received = dgs.subscribe<{
      reconciliationStates: { reconciliations: readonly { reconciliationUuid: string; status: string }[] };
    }>(
      `subscription ($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
         reconciliationStates(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) {
           cursor reconciliations { reconciliationUuid status progress examined message }
         }
       }`,
      { zoneUuid: doors.root, adaptorUuid },
    );
    const { uuid } = requireStatus(await doors.dgs.rest('POST', path, { domainVersionUuid }), 202).body;
    const states = (): string[] =>
      received.data.flatMap(({ reconciliationStates }) =>
        reconciliationStates.reconciliations.map((each) => `${each.reconciliationUuid} ${each.status}`),
      );
    await eventually(() => expect(states()).toContain(`${uuid} RUNNING`));
    requireStatus(await doors.dgs.rest<unknown>('DELETE', `${path}/${uuid}`), 204);
    await eventually(() => expect(states().at(-1)).toBe(`${uuid} CANCELLED`));
    received.stop();
  });

  it('appear in GET /notifications while they are open', async () => {
    const received = subscriber(doors.admin).subscribe<MetadataMessage>(metadata, { events: zoneEvents });
    await begin(received);
    const list = () =>
      doors.admin.rest<{
        notifications: readonly { callbackType: string; events: unknown; subscriptions: string[] }[];
      }>('GET', '/notifications?filters=type:WEB_SOCKET');
    await eventually(async () => {
      const { notifications } = (await list()).body;
      expect(notifications).toMatchObject([{ callbackType: 'WEB_SOCKET' }]);
    });
    received.stop();
    await eventually(async () => expect((await list()).body.notifications).toEqual([]));
  });

  it('continue when a version is published', async () => {
    const received = dgs.subscribe<MetadataMessage>(metadata, {
      events: [{ resource: '/domains/*', actions: ['POST'] }],
    });
    await eventually(async () => {
      await createVersion(doors.dgs, {
        name: uniqueName('more'),
        domainType: 'FEDERATED',
        properties: { id: { type: 'integer' } },
        drKeyProperties: ['id'],
      });
      if (received.data.length < 4) throw new Error(`${received.data.length} messages`);
    });
    expect(new Set(received.data.map(({ metadataEvents }) => metadataEvents.type))).toEqual(
      new Set(['Domain', 'DomainVersion']),
    );
    expect(received.isOver).toBe(false);
    received.stop();
  });
});
