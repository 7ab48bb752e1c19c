import { describe, expect, it } from '@jest/globals';
import { requireStatus } from '../harness/catalogue.js';
import { shareDoors } from './set-up-doors.js';

interface Registration {
  readonly notificationId: string;
  readonly callback: string;
  readonly status: string;
  readonly secret: string | null;
}

interface List {
  readonly notifications: readonly Registration[];
  readonly _page: { readonly totalElements: number };
}

describe('/notifications', () => {
  const { doors } = shareDoors();

  const list = async (search = ''): Promise<List> =>
    requireStatus(await doors.admin.rest<List>('GET', `/notifications${search}`), 200).body;
  const body = {
    callback: 'https://receiver.example/hook',
    callbackType: 'WEB_HOOK',
    events: [{ resource: '/api/zones/?', actions: ['ALL'] }],
    httpHeaders: [{ name: 'X-Key', value: 'header-value' }],
    oauth2Registration: { issuerUri: 'https://issuer.example', clientId: 'client', clientSecret: 'client-secret' },
  };

  it('creates and shows a registration, accepts the returned body, and deletes it', async () => {
    requireStatus(await doors.admin.rest('PUT', '/notifications', body), 204);
    const { notifications, _page } = await list('?filters=type:WEB_HOOK&options=timeout:10');
    expect([notifications.length, _page.totalElements]).toEqual([1, 1]);
    const [shown] = notifications;
    expect(shown).toMatchObject({ callback: body.callback, status: 'ACTIVE' });
    expect(shown?.secret).toMatch(/^whsec_/);
    requireStatus(await doors.admin.rest('PUT', '/notifications', { ...shown, secret: undefined }), 204);
    const { notifications: again } = await list();
    expect(again).toMatchObject([{ notificationId: shown?.notificationId, secret: null, status: 'ACTIVE' }]);
    expect((await list('?filters=type:WEB_SOCKET')).notifications).toEqual([]);
    for (const id of [shown?.notificationId, shown?.notificationId, 'nothing']) {
      requireStatus(await doors.admin.rest('DELETE', `/notifications/${id}`), 204);
    }
    expect((await list()).notifications).toEqual([]);
  });

  it('refuses only malformed bodies', async () => {
    const send = (json: unknown) => doors.admin.rest<{ readonly code: string }>('PUT', '/notifications', json);
    expect((await send([])).status).toBe(400);
    expect((await send({ ...body, callback: 'nowhere' })).status).toBe(400);
    expect((await send({ ...body, events: [{ resource: '/zones/?', actions: ['GET'] }] })).status).toBe(400);
    requireStatus(await send({ ...body, callback: 'http://127.0.0.1:1/' }), 204);
    requireStatus(await send({ ...body, notificationId: '00000000-0000-7000-8000-000000000000' }), 204);
    const { notifications } = await list();
    expect(notifications).toMatchObject([{ callback: 'http://127.0.0.1:1/', status: 'REFUSED' }]);
    requireStatus(await doors.admin.rest('DELETE', `/notifications/${notifications[0]?.notificationId}`), 204);
  });
});
