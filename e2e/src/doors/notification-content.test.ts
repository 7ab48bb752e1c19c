import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { allActions, createAdaptor, createVersion, requireStatus, type CreatedAdaptor } from '../harness/catalogue.js';
import { getToken } from '../harness/client.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.js';
import { doorOf, type Door, type Resource } from './open-doors.js';
import { setUpDoors } from './set-up-doors.js';
import { uniqueName } from './unique-name.js';
import { openSubscriber } from './subscriptions/open-subscriber.js';

interface Message {
  readonly action: string;
  readonly resource: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface List {
  readonly notifications: readonly {
    readonly notificationId: string;
    readonly callback: string;
    readonly status: string;
    readonly oauth2Registration: { readonly clientSecret: string } | null;
  }[];
}

interface DataIssueEvent {
  readonly dataIssues: {
    readonly action: string;
    readonly issueUuid: string;
    readonly status: string;
    readonly title: string;
    readonly description: string | null;
    readonly adaptor: { readonly name: string } | null;
    readonly domainVersion: { readonly versionNumber: number } | null;
  };
}

const dataIssues = `subscription ($zone: Uuid) { dataIssues(zoneUuid: $zone) {
  action issueUuid status title description adaptor { name } domainVersion { versionNumber } } }`;

/** Members of GET that are computed from other resources, which have their own notifications. */
const fromOthers: Readonly<Record<string, readonly string[]>> = {
  Domain: ['defaultVersion', 'defaultVersionNumber', 'versionCount', 'versions'],
  Role: ['permissions'],
  DataIssue: ['dataEvent', 'errors', 'waitingCount'],
};

describe('the content of notifications', () => {
  const { doors, leftovers } = setUpDoors({ FDS_WEBHOOK_ALLOW_PRIVATE: 'true', FDS_NOTIFICATIONS_PER_USER: '2' });
  let receiver: WebhookReceiver;
  let adaptor: CreatedAdaptor;

  const messages = (): Message[] => receiver.received.map(({ text }) => JSON.parse(text) as Message);
  const messageOf = (action: string, type: string, uuid: string): Promise<Message> =>
    eventually(async () => {
      const found = messages().find(
        (one) => one.action === action && one.type === type && one.resource.endsWith(`/${uuid}`),
      );
      if (found === undefined) throw new Error(`no ${action} ${type} among ${receiver.received.length} messages`);
      return found;
    });
  /** Creates a resource; entries of chains are answered as a list. */
  const post = async (door: Door, path: string, body: unknown): Promise<Resource> => {
    const { body: answer } = requireStatus(await door.rest<Readonly<Record<string, unknown>>>('POST', path, body), 201);
    const listed = Object.values(answer).find((member): member is Resource[] => Array.isArray(member));
    return 'uuid' in answer || listed?.[0] === undefined ? (answer as Resource) : listed[0];
  };

  const createServiceAccount = async (username: string) =>
    (await post(doors.admin, `/zones/${doors.root}/users`, { username, serviceAccount: true })) as Resource & {
      readonly clientId: string;
      readonly clientSecret: string;
    };

  beforeAll(async () => {
    const { admin, dgs, root } = doors;
    receiver = await openWebhookReceiver(leftovers);
    const events = [{ resource: '/*', actions: ['ALL'] }];
    for (const door of [admin, dgs]) {
      const registration = { callback: receiver.url, callbackType: 'WEB_HOOK', events };
      requireStatus(await door.rest('PUT', '/notifications', registration), 204);
    }
    const properties = { id: { type: 'string' }, n: { type: 'integer' } };
    for (const domainType of ['FEDERATED', 'SERVICE_DATA_STORE'] as const) {
      const name = domainType.toLowerCase();
      await createVersion(dgs, { name, domainType, properties, drKeyProperties: ['id'] });
    }
    adaptor = await createAdaptor(dgs, root, { name: 'reporter', capabilities: allActions('federated') });
  }, 120_000);

  it('is the resource as GET shows it, for every type', async () => {
    const { admin, dgs, root } = doors;
    const zone = `/zones/${root}`;
    const steward = requireStatus(
      await dgs.rest<{ readonly domains: readonly Resource[] }>('GET', '/domains?filters=name:federated'),
      200,
    ).body.domains[0];
    const domainVersionUuid = String(steward?.['defaultVersionUuid']);
    const role = await post(admin, `${zone}/roles`, { name: 'clerk', description: 'writes' });
    const permission = { action: 'GET', resource: '/zones', holderType: 'ROLE', holderUuid: role.uuid };
    const preference = { domainVersionUuid, adaptorUuid: adaptor.uuid, preferenceType: 'GOLD' };
    const created: readonly (readonly [door: Door, type: string, path: string, body: unknown])[] = [
      [admin, 'Zone', '/zones', { name: 'north', geoCoordinates: '1,2' }],
      [admin, 'User', `${zone}/users`, { username: 'robot', serviceAccount: true }],
      [admin, 'Role', `${zone}/roles`, { name: 'reader' }],
      [admin, 'Group', `${zone}/groups`, { name: 'some', roleUuids: [role.uuid] }],
      [admin, 'Permission', `${zone}/permissions`, permission],
      [dgs, 'AdaptorType', '/adaptor-types', { name: 'mine', defaultMetadata: { a: 1 } }],
      [dgs, 'Adaptor', `${zone}/adaptors`, { name: 'other', capabilities: allActions('federated') }],
      [dgs, 'Domain', '/domains', { name: 'more', domainType: 'FEDERATED' }],
      [dgs, 'InboundAcl', `${zone}/inbound-acls`, [{ name: 'in', get: 'DENY', active: false }]],
      [dgs, 'OutboundAcl', `${zone}/outbound-acls`, [{ name: 'out', get: 'DENY', active: false }]],
      [dgs, 'OperationalAcl', '/operational-acls/entries', { name: 'op', post: 'ALLOW', active: false }],
      [dgs, 'Preference', `${zone}/settings/domain-version-adaptor-preferences`, preference],
    ];
    const shown = new Map<string, { readonly type: string; readonly body: Resource }>();
    for (const [door, type, path, body] of created) {
      const { uuid } = await post(door, path, body);
      const found = await door.rest('GET', `${path}/${uuid}`);
      // a preference has no own GET
      if (type !== 'Preference') shown.set(uuid, { type, body: requireStatus(found, 200).body });
      else expect((await messageOf('POST', type, uuid)).data).toMatchObject({ ...preference, uuid, zoneUuid: root });
    }
    const version = requireStatus(await dgs.rest('GET', `/domains/versions/${domainVersionUuid}`), 200).body;
    shown.set(domainVersionUuid, { type: 'DomainVersion', body: version });
    for (const [uuid, { type, body }] of shown) {
      const { data, resource } = await messageOf('POST', type, uuid);
      expect(resource.startsWith(`${doors.service.baseUrl}/api/`)).toBe(true);
      const expected = Object.entries(body).filter(([name]) => fromOthers[type]?.includes(name) !== true);
      expect([type, Object.fromEntries(expected.map(([name]) => [name, typeof data[name]]))]).toEqual([
        type,
        Object.fromEntries(expected.map(([name, value]) => [name, typeof value])),
      ]);
      // a nested resource is only named; its own notifications show it completely
      const told = Object.fromEntries(expected.map(([name]) => [name, data[name]]));
      expect(Object.fromEntries(expected)).toMatchObject(told);
    }
  }, 60_000);

  it('names every permission of the roles of a new zone as a separate resource', async () => {
    const { admin, root } = doors;
    const { uuid } = await post(admin, '/zones', { name: 'with roles', parentZoneUuid: root });
    const { permissions } = requireStatus(
      await admin.rest<{ readonly permissions: readonly Resource[] }>('GET', `/zones/${uuid}/permissions?size=500`),
      200,
    ).body;
    expect(permissions.length).toBeGreaterThan(20);
    for (const permission of permissions)
      expect((await messageOf('POST', 'Permission', permission.uuid)).data).toEqual(permission);
    const { users } = requireStatus(
      await admin.rest<{ readonly users: readonly Resource[] }>('GET', `/zones/${uuid}/users`),
      200,
    ).body;
    expect(users.length).toBeGreaterThan(0);
    for (const user of users) expect((await messageOf('POST', 'User', user.uuid)).data).toEqual(user);
  }, 60_000);

  it('is the record and the transaction of its event when a record is created, changed and deleted', async () => {
    const { dgs } = doors;
    const record = await post(dgs, '/drs', { name: 'service_data_store', json: { id: 'r', n: 1 } });
    const { uuid } = record;
    requireStatus(await dgs.rest('PATCH', `/drs/${uuid}`, { n: 2 }), 200);
    const { dataEvents } = requireStatus(
      await dgs.rest<{ readonly dataEvents: readonly { readonly transactionUuid: string }[] }>(
        'GET',
        `/drs/${uuid}/data-events`,
      ),
      200,
    ).body;
    requireStatus(await dgs.rest('DELETE', `/drs/${uuid}`), 204);
    const told = { uuid, domainVersionUuid: record['domainVersionUuid'], drKey: { id: 'r' } };
    const [changing, creating] = dataEvents.map(({ transactionUuid }) => transactionUuid);
    const { data: created } = await messageOf('POST', 'Dr', uuid);
    expect(created).toEqual({ ...told, json: { id: 'r', n: 1 }, transactionUuid: creating });
    const { data: changed } = await messageOf('PATCH', 'Dr', uuid);
    expect(changed).toEqual({ ...told, json: { id: 'r', n: 2 }, transactionUuid: changing });
    const { data: deleted } = await messageOf('DELETE', 'Dr', uuid);
    expect(deleted).toEqual({ ...told, json: { id: 'r', n: 2 }, transactionUuid: expect.any(String) });
  });

  it('is the issue that an event causes, and its change by a steward, also for subscribers', async () => {
    const { dgs, root, service } = doors;
    const subscribed = openSubscriber(leftovers, service.baseUrl, () => dgs.token).subscribe<DataIssueEvent>(
      dataIssues,
      {
        zone: root,
      },
    );
    const source = await startSourceAdaptor(leftovers, service, adaptor, { apply: () => undefined });
    let number = 0;
    await eventually(async () => {
      number += 1;
      await source.publish({ action: 'POST', domain: 'federated', version: 1, json: { id: number, n: 1 } });
      if (subscribed.data.length === 0) throw new Error(`no message: ${JSON.stringify(subscribed.errors)}`);
    });
    const { issueUuid: uuid } = subscribed.data[0]?.dataIssues ?? { issueUuid: '' };
    const path = `/zones/${root}/issues/${uuid}`;
    const issue = requireStatus(await dgs.rest('GET', path), 200).body;
    const { data: raised } = await messageOf('POST', 'DataIssue', uuid);
    const expected = Object.entries(issue).filter(([name]) => fromOthers['DataIssue']?.includes(name) !== true);
    expect(raised).toEqual(Object.fromEntries(expected));
    const change = { status: 'CLOSED', description: 'the source is fixed', changeVersion: issue.changeVersion };
    requireStatus(await dgs.rest('PATCH', path, change), 200);
    await eventually(async () => {
      const last = subscribed.data.findLast(({ dataIssues: { issueUuid } }) => issueUuid === uuid)?.dataIssues;
      expect(last).toEqual({
        action: 'PATCH',
        issueUuid: uuid,
        status: 'CLOSED',
        title: issue['title'],
        description: 'the source is fixed',
        adaptor: { name: 'reporter' },
        domainVersion: { versionNumber: 1 },
      });
    });
    expect((await messageOf('PATCH', 'DataIssue', uuid)).data).toMatchObject({ description: 'the source is fixed' });
    subscribed.stop();
  });

  it('arrives with an access token of the authorization server that the registration names', async () => {
    const { admin, root, service } = doors;
    // the service's own provider, found by its metadata
    const issuer = service.baseUrl;
    const client = await createServiceAccount(uniqueName('caller'));
    const guarded = await openWebhookReceiver(leftovers);
    const registration = {
      callback: guarded.url,
      callbackType: 'WEB_HOOK',
      events: [{ resource: '/zones/?/groups/?', actions: ['POST'] }],
      oauth2Registration: {
        issuerUri: issuer,
        clientId: client.clientId,
        clientSecret: client.clientSecret,
        authorizationGrantType: 'client_credentials',
      },
    };
    requireStatus(await admin.rest('PUT', '/notifications', registration), 204);
    const names = [uniqueName('group'), uniqueName('group')];
    for (const name of names) await post(admin, `/zones/${root}/groups`, { name });
    await eventually(async () => {
      if (guarded.received.length < 2) throw new Error((await admin.rest('GET', '/notifications')).text);
    });
    const keys = createRemoteJWKSet(new URL(`${issuer}/oauth2/jwks`));
    const tokens = guarded.received.map(({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
    for (const token of tokens) {
      const { payload } = await jwtVerify(token, keys, { issuer });
      expect(payload).toMatchObject({ client_id: client.clientId });
    }
    // one token is used until it expires
    expect(new Set(tokens).size).toBe(1);
    const { notifications } = requireStatus(await admin.rest<List>('GET', '/notifications'), 200).body;
    expect(notifications.find(({ callback }) => callback === guarded.url)).toMatchObject({
      status: 'ACTIVE',
      oauth2Registration: { clientSecret: '***' },
    });
    const third = { ...registration, callback: `${guarded.url}/third` };
    const refused = await admin.rest<{ readonly errors: readonly object[] }>('PUT', '/notifications', third);
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ code: 'TOO_MANY' }]]);
    const { text } = await admin.call('/metrics');
    expect(text).toMatch(/fds_bounds_hit_total\{[^}]*"notification_registrations"[^}]*\} 1/);
  });

  it('stops when the user of the registration is deleted, and the change log shows this', async () => {
    const { admin, root, service } = doors;
    const person = await createServiceAccount(uniqueName('leaver'));
    const resource = `/zones/${root}/groups/*`;
    await post(admin, `/zones/${root}/permissions`, {
      action: 'GET',
      resource,
      holderType: 'USER',
      holderUuid: person.uuid,
    });
    const credentials = { username: person.clientId, password: person.clientSecret };
    const leaver = doorOf(service, await getToken({ baseUrl: service.baseUrl, ...credentials }));
    const own = await openWebhookReceiver(leftovers);
    const events = [{ resource, actions: ['ALL'] }];
    requireStatus(
      await leaver.rest('PUT', '/notifications', { callback: own.url, callbackType: 'WEB_HOOK', events }),
      204,
    );
    const { notifications } = requireStatus(await leaver.rest<List>('GET', '/notifications'), 200).body;
    expect(notifications).toMatchObject([{ status: 'ACTIVE' }]);
    requireStatus(await admin.rest('DELETE', `/zones/${root}/users/${person.uuid}`), 204);
    const { changes } = requireStatus(
      await admin.rest<{ readonly changes: readonly object[] }>(
        'GET',
        '/change-log?filters=type:Notification,action:DELETE',
      ),
      200,
    ).body;
    expect(changes).toMatchObject([
      { resourceUuid: notifications[0]?.notificationId, data: { callback: own.url, userUuid: person['userUuid'] } },
    ]);
    const { uuid } = await post(admin, `/zones/${root}/groups`, { name: uniqueName('group') });
    await messageOf('POST', 'Group', uuid);
    expect(own.received).toEqual([]);
  });
});
