import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@fds/database';
import { publicTargets } from '@fds/webhook-client';
import { v7 as newUuid } from 'uuid';
import { removeRegistrationsOf } from './store/registrations/remove-registrations-of.js';
import { createSocketStore } from './store/sockets/socket-store.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';

interface Listed {
  readonly notificationId: string;
  readonly callback: string;
  readonly callbackType: string;
  readonly events: readonly { readonly resource: string; readonly actions: readonly string[] }[];
  readonly httpHeaders: readonly { readonly name: string; readonly value: string }[];
  readonly oauth2Registration: { readonly clientId: string; readonly clientSecret: string } | null;
  readonly secret: string | null;
  readonly status: string;
  readonly lastError: string | null;
  readonly subscriptions: readonly string[];
}

interface List {
  readonly data: readonly Listed[];
  readonly page: { readonly totalElements: number };
}

let notifications: TestNotifications;
const ownSecret = `whsec_${Buffer.alloc(32, 'own').toString('base64')}`;
const events = [{ resource: '/zones/?', actions: ['POST', 'PUT'] }];
const headers = [{ name: 'X-Key', value: 'header-value' }];
const oauth2 = { issuerUri: 'https://issuer.example', clientId: 'client', clientSecret: 'client-secret' };

const put = (input: object, username = 'admin', at = notifications) =>
  at.run<boolean>(username, 'mutation ($input: NotificationInput!) { result: putNotification(input: $input) }', {
    input: { callbackType: 'WEB_HOOK', events, ...input },
  });
const remove = (notificationId: string, username = 'admin') =>
  notifications.run<boolean>(username, 'mutation ($id: String!) { result: deleteNotification(notificationId: $id) }', {
    id: notificationId,
  });
const list = async (username = 'admin', variables: object = {}, at = notifications): Promise<List> => {
  const { result, code } = await at.run<List>(
    username,
    `query ($type: NotificationType, $page: Int, $size: Int) {
      result: notifications(type: $type, page: $page, size: $size) {
        data {
          notificationId callback callbackType events { resource actions } httpHeaders { name value }
          oauth2Registration { clientId clientSecret } secret status lastError subscriptions refusedEvents { resource reason }
        }
        page { totalElements }
      }
    }`,
    variables,
  );
  expect(code).toBeUndefined();
  return result;
};
const only = async (username = 'admin'): Promise<Listed> => {
  const { data } = await list(username);
  expect(data).toHaveLength(1);
  return data[0] as Listed;
};
const clear = async (): Promise<void> => {
  await notifications.database.pool.query('DELETE FROM notification_registration');
};
const logged = async (notificationId: string): Promise<string[]> => {
  const { rows } = await notifications.database.pool.query<{ action: string; data: string }>(
    'SELECT action, data FROM change_log WHERE resource = $1 ORDER BY position',
    [`/notifications/${notificationId}`],
  );
  return rows.map(({ action, data }) => `${action} ${data}`);
};

beforeAll(async () => {
  notifications = await openNotifications();
});
afterAll(() => notifications?.close());

describe('registrations', () => {
  it('are created, and shown without secrets', async () => {
    await put({ callback: 'https://receiver.example/hook', httpHeaders: headers, oauth2Registration: oauth2 });
    expect(await only()).toMatchObject({
      callback: 'https://receiver.example/hook',
      callbackType: 'WEB_HOOK',
      events,
      httpHeaders: [{ name: 'X-Key', value: '***' }],
      oauth2Registration: { clientId: 'client', clientSecret: '***' },
      status: 'ACTIVE',
      lastError: null,
    });
    await clear();
  });

  it('show a generated secret once, to one of several requests', async () => {
    await put({ callback: 'https://receiver.example/once' });
    const answers = await Promise.all([only(), only(), only()]);
    const secrets = answers.flatMap(({ secret }) => (secret === null ? [] : [secret]));
    expect(secrets).toEqual([expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)]);
    expect((await only()).secret).toBeNull();
    await clear();
  });

  it('never show a secret that the user set', async () => {
    await put({ callback: 'https://receiver.example/own', secret: ownSecret });
    expect((await only()).secret).toBeNull();
    await clear();
  });

  it('replace one with the same callback, and can be changed by their id', async () => {
    await put({ callback: 'https://receiver.example/same' });
    const { notificationId } = await only();
    await put({ callback: 'https://receiver.example/same', events: [{ resource: '/domains/*', actions: ['ALL'] }] });
    expect(await only()).toMatchObject({ notificationId, events: [{ resource: '/domains/*', actions: ['ALL'] }] });
    await put({ notificationId, callback: 'https://receiver.example/moved' });
    expect(await only()).toMatchObject({ notificationId, callback: 'https://receiver.example/moved', events });
    await put({ callback: 'https://receiver.example/other' });
    await put({ notificationId, callback: 'https://receiver.example/other' });
    expect(await only()).toMatchObject({ notificationId, callback: 'https://receiver.example/other' });
    expect((await logged(notificationId)).map((entry) => entry.split(' ')[0])).toEqual(['POST', 'PUT', 'PUT', 'PUT']);
    await clear();
  });

  it('keep secrets that *** stands for, only under the same name', async () => {
    const callback = 'https://receiver.example/keep';
    await put({ callback, httpHeaders: headers, oauth2Registration: oauth2 });
    const sealed = async () =>
      (await notifications.database.prisma.notificationRegistration.findFirstOrThrow()).sealedCredentials;
    const before = await sealed();
    const masked = [{ name: 'x-key', value: '***' }];
    expect((await put({ callback, httpHeaders: masked, oauth2Registration: oauth2 })).code).toBeUndefined();
    expect(before).not.toBeNull();
    const { code, causes } = await put({
      callback,
      httpHeaders: [{ name: 'X-Other', value: '***' }],
      oauth2Registration: { ...oauth2, clientSecret: '***' },
    });
    expect([code, causes]).toEqual(['VALIDATION_FAILED', ['/httpHeaders/0/value NOTHING_TO_KEEP']]);
    const { notificationId } = await only();
    const texts = [...(await logged(notificationId)), before ?? '', (await sealed()) ?? ''].join('\n');
    for (const secret of ['header-value', 'client-secret', 'whsec_']) expect(texts).not.toContain(secret);
    await clear();
  });

  it('keep secrets for the receiver only that they were sent to', async () => {
    const callback = 'https://receiver.example/keep';
    await put({ callback, httpHeaders: headers, oauth2Registration: oauth2 });
    const { notificationId } = await only();
    const masked = {
      notificationId,
      callback: 'https://receiver.example:443/other-path',
      httpHeaders: [{ name: 'X-Key', value: '***' }],
      oauth2Registration: { ...oauth2, clientSecret: '***' },
    };
    const causesOf = async (change: object) => {
      const { code, causes } = await put({ ...masked, ...change });
      return code === undefined ? [] : [code, ...causes];
    };
    const ofHeader = ['VALIDATION_FAILED', '/httpHeaders/0/value NOTHING_TO_KEEP'];
    const ofClient = ['VALIDATION_FAILED', '/oauth2Registration/clientSecret NOTHING_TO_KEEP'];
    expect(await causesOf({ callback: 'https://evil.example/keep' })).toEqual(ofHeader);
    expect(await causesOf({ callback: 'http://receiver.example/keep' })).toEqual(ofHeader);
    expect(await causesOf({ callback: 'https://receiver.example:444/keep' })).toEqual(ofHeader);
    const moved = { ...masked.oauth2Registration, tokenUri: 'https://evil.example/token' };
    expect(await causesOf({ oauth2Registration: moved })).toEqual(ofClient);
    expect(await causesOf({ oauth2Registration: { ...moved, issuerUri: null } })).toEqual(ofClient);
    const sameServer = { ...masked.oauth2Registration, tokenUri: 'https://issuer.example/token' };
    expect(await causesOf({ oauth2Registration: sameServer })).toEqual([]);
    const again = { callback: 'https://new.example/', httpHeaders: headers };
    expect(await causesOf({ ...again, oauth2Registration: sameServer })).toEqual([]);
    await clear();
  });

  it('belong to their user', async () => {
    await put({ callback: 'https://receiver.example/mine' });
    const { notificationId } = await only();
    expect((await list('dgs')).data).toEqual([]);
    await put({ notificationId, callback: 'https://receiver.example/stolen' }, 'dgs');
    await remove(notificationId, 'dgs');
    expect(await only()).toMatchObject({ notificationId, callback: 'https://receiver.example/mine' });
    expect((await list('dgs')).data).toEqual([]);
    for (const id of [notificationId, notificationId, 'no-uuid']) expect((await remove(id)).result).toBe(true);
    expect((await list()).data).toEqual([]);
    expect((await logged(notificationId)).at(-1)).toMatch(/^DELETE /);
  });

  it('are deleted with their user, with one entry each in the change log', async () => {
    const { database } = notifications;
    await put({ callback: 'https://one.example/' }, 'dgs');
    await put({ callback: 'https://two.example/', httpHeaders: headers }, 'dgs');
    await put({ callback: 'https://of-another.example/' });
    const { uuid: userUuid } = await notifications.as('dgs');
    const { uuid: actorUuid } = await notifications.as('admin');
    await inTransaction(database, (tx) => removeRegistrationsOf(tx, userUuid, { actorUuid }));
    expect((await list('dgs')).data).toEqual([]);
    expect((await only()).callback).toBe('https://of-another.example/');
    const entries = await database.prisma.changeLogEntry.findMany({
      where: { resourceType: 'Notification', action: 'DELETE', actorUuid, data: { contains: userUuid } },
    });
    expect(entries.map(({ data }) => (JSON.parse(data ?? '') as Listed).callback).sort()).toEqual([
      'https://one.example/',
      'https://two.example/',
    ]);
    expect(entries.map(({ data }) => data).join()).not.toContain('header-value');
    await clear();
  });

  it('are stored as REFUSED until GET is granted', async () => {
    const input = { callback: 'https://receiver.example/refused', events: [{ resource: '/drs/?', actions: ['ALL'] }] };
    await put(input);
    expect(await only()).toMatchObject({
      status: 'REFUSED',
      lastError: 'GET is not granted to you on /drs/?',
    });
    await put(input, 'dgs');
    expect(await only('dgs')).toMatchObject({ status: 'ACTIVE', lastError: null });
    await put({ ...input, events });
    expect(await only()).toMatchObject({ status: 'ACTIVE', lastError: null });
    await clear();
  });

  it('name refused entries, and the others are in effect', async () => {
    const resources = ['/domains', '/drs/?', '/nowhere', '/zones/*'];
    const input = {
      callback: 'https://receiver.example/parts',
      events: resources.map((resource) => ({ resource, actions: ['ALL'] })),
    };
    await put(input);
    expect(await only()).toMatchObject({
      status: 'ACTIVE',
      lastError: null,
      refusedEvents: [
        { resource: '/drs/?', reason: 'GET is not granted to you on /drs/?' },
        { resource: '/nowhere', reason: 'no resource that changes has the path /nowhere' },
      ],
    });
    await put({ ...input, events: input.events.slice(1, 3) });
    const { status, lastError } = await only();
    expect([status, lastError]).toEqual([
      'REFUSED',
      'GET is not granted to you on /drs/?; no resource that changes has the path /nowhere',
    ]);
    await clear();
  });

  it('with a private target are refused unless the deployment allows it', async () => {
    const strict = await openNotifications({ targets: publicTargets });
    await put({ callback: 'http://127.0.0.1:9/hook' }, 'admin', strict);
    const { data } = await list('admin', {}, strict);
    expect(data).toMatchObject([
      { status: 'REFUSED', lastError: expect.stringContaining('FDS_WEBHOOK_ALLOW_PRIVATE') },
    ]);
    await strict.close();
  });

  it('that are malformed are refused with every cause', async () => {
    const { code, causes } = await put({
      notificationId: 'no-uuid',
      callback: 'ftp://receiver.example',
      callbackType: 'WEB_SOCKET',
      events: [{ resource: 'zones', actions: [] }],
      httpHeaders: [{ name: 'Host', value: 'a' }],
      oauth2Registration: { clientId: 'client' },
      secret: 'short',
    });
    expect(code).toBe('VALIDATION_FAILED');
    expect(causes).toEqual([
      '/callback INVALID_VALUE',
      '/callbackType NOT_ALLOWED',
      '/events/0/actions INVALID_VALUE',
      '/events/0/resource INVALID_VALUE',
      '/httpHeaders/0/name INVALID_VALUE',
      '/notificationId INVALID_VALUE',
      '/oauth2Registration INVALID_VALUE',
      '/oauth2Registration/clientSecret INVALID_VALUE',
      '/secret INVALID_VALUE',
    ]);
  });

  it('are limited in number and size', async () => {
    const bounded = await openNotifications({
      bounds: { registrationsPerUser: 2, registrationBytes: 2000, totalBytes: 2 ** 20 },
    });
    const at = (path: string, more: object = {}) =>
      put({ callback: `https://receiver.example/${path}`, ...more }, 'admin', bounded);
    const statuses = await Promise.all(['a', 'b', 'c', 'd'].map((path) => at(path)));
    expect(statuses.filter(({ code }) => code === undefined)).toHaveLength(2);
    expect(statuses.flatMap(({ causes }) => causes)).toEqual([' TOO_MANY', ' TOO_MANY']);
    const large = [{ name: 'X-Large', value: 'x'.repeat(2000) }];
    const { data } = await list('admin', {}, bounded);
    const { notificationId, callback } = data[0] as Listed;
    const answer = await put({ notificationId, callback, httpHeaders: large }, 'admin', bounded);
    expect(answer.causes).toEqual([' TOO_LARGE']);
    expect(new Set(bounded.hits)).toEqual(new Set(['notification_registrations', 'notification_bytes']));
    await bounded.close();
  });

  it('are limited for all users together', async () => {
    const bounds = { registrationsPerUser: 100, registrationBytes: 2000, totalBytes: 4000 };
    const bounded = await openNotifications({ bounds });
    const at = (path: string, length: number, username: string) =>
      put({ callback: `https://receiver.example/${path}${'x'.repeat(length)}` }, username, bounded);
    const answers = [];
    for (const path of ['a', 'b', 'c', 'd']) answers.push(await at(path, 1500, path < 'c' ? 'admin' : 'dgs'));
    expect(answers.map(({ causes }) => causes)).toEqual([[], [], [' TOO_MANY'], [' TOO_MANY']]);
    expect(bounded.hits).toEqual(['notification_total_bytes', 'notification_total_bytes']);
    // a registration that does not grow can still be changed
    expect((await at('a', 1500, 'admin')).code).toBeUndefined();
    await bounded.close();
  });

  it('are refused for a user who was removed in the meantime', async () => {
    const { database } = notifications;
    const principal = { ...(await notifications.as('dgs')), uuid: newUuid() };
    const answer = await notifications.runAs(
      principal,
      'mutation ($input: NotificationInput!) { result: putNotification(input: $input) }',
      { input: { callback: 'https://receiver.example/orphan', callbackType: 'WEB_HOOK', events } },
    );
    expect(answer.code).toBe('UNAUTHENTICATED');
    expect(await database.prisma.notificationRegistration.count({ where: { userUuid: principal.uuid } })).toBe(0);
  });

  it('are listed in pages with open websockets, by type', async () => {
    await put({ callback: 'https://receiver.example/beside' });
    let time = Date.now() + 1;
    const sockets = createSocketStore({
      database: notifications.database,
      now: () => new Date(time),
      leaseMs: 10_000,
    });
    const { uuid: userUuid } = await notifications.as('admin');
    const [mine, lost] = [newUuid(), newUuid()];
    const socket = {
      userUuid,
      subscriptions: [{ name: 'metadataEvents', events: [{ resource: '/zones/?', actions: ['ALL' as const] }] }],
    };
    await sockets.register({ ...socket, uuid: newUuid(), instanceUuid: mine });
    await sockets.register({ ...socket, uuid: newUuid(), instanceUuid: lost });
    expect((await list()).data.map(({ callbackType }) => callbackType)).toEqual([
      'WEB_HOOK',
      'WEB_SOCKET',
      'WEB_SOCKET',
    ]);
    expect(await list('admin', { type: 'WEB_SOCKET', size: 1, page: 1 })).toMatchObject({
      data: [
        { events: [{ resource: '/zones/?', actions: ['ALL'] }], subscriptions: ['metadataEvents'], status: 'ACTIVE' },
      ],
      page: { totalElements: 2 },
    });
    expect((await list('dgs', { type: 'WEB_SOCKET' })).data).toEqual([]);
    time -= 20_000;
    await sockets.register({ ...socket, uuid: newUuid(), instanceUuid: lost });
    expect((await list('admin', { type: 'WEB_SOCKET' })).data).toHaveLength(2);
    time += 20_000;
    await sockets.renew(mine);
    const { rows } = await notifications.database.pool.query('SELECT FROM notification_socket');
    expect(rows).toHaveLength(2);
    await sockets.unregisterAll(lost);
    expect((await list('admin', { type: 'WEB_SOCKET' })).data).toHaveLength(1);
    await sockets.unregisterAll(mine);
    await clear();
  });

  it('are answered with QUERY_TIMEOUT when they cannot be read in time', async () => {
    await notifications.database.transaction(async (client) => {
      await client.query('LOCK TABLE notification_registration IN ACCESS EXCLUSIVE MODE');
      const { code } = await notifications.run('admin', '{ result: notifications(timeout: 1) { data { status } } }');
      expect(code).toBe('QUERY_TIMEOUT');
    });
    const { code } = await notifications.run('admin', '{ result: notifications(timeout: 0) { data { status } } }');
    expect(code).toBe('INVALID_PARAMETER');
  });
});
