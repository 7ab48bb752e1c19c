import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { openWebhookReceiver } from '../../harness/webhook-receiver.js';
import { createPageProject, type PageProject } from '../clients/page-project.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';
import { openSubscriber } from './open-subscriber.js';

describe('the examples of the pages on notifications', () => {
  const { doors, leftovers } = setUpDoors({ FDS_WEBHOOK_ALLOW_PRIVATE: 'true' });
  let page: PageProject;

  const createGroup = async (): Promise<string> =>
    requireStatus(await doors.admin.rest('POST', `/zones/${doors.root}/groups`, { name: uniqueName('g') }), 201).body
      .uuid;

  beforeAll(async () => {
    page = createPageProject(leftovers, 'docs/reference/subscriptions.md');
    await createVersion(doors.dgs, {
      name: 'person',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
  }, 60_000);

  it.each<[string, (() => Promise<unknown>) | undefined]>([
    ['metadata', () => doors.dgs.rest('POST', `/zones/${doors.root}/adaptors`, { name: uniqueName('a') })],
    ['data', () => doors.dgs.rest('POST', '/drs', { name: 'person', json: { id: Date.now() } })],
    // the test causes no issue, so only the acceptance of the subscription is tested
    ['issues', undefined],
    ['states', () => Promise.resolve()],
  ])('%s is accepted and returns messages without errors', async (name, cause) => {
    const query = page.read(`${name}.graphql`).replaceAll('019a5d2e-0000-7000-8000-000000000001', doors.root);
    const subscriber = openSubscriber(leftovers, doors.service.baseUrl, () => doors.dgs.token);
    const received = subscriber.subscribe<object>(query);
    // the server answers in order, so the refusal of a further subscription shows that this one was accepted
    const refused = subscriber.subscribe<object>('subscription { metadataEvents(after: "999999999999") { cursor } }');
    await refused.end();
    await eventually(async () => {
      await cause?.();
      if (cause !== undefined && received.data.length === 0) throw new Error('no message');
    });
    expect([received.errors, received.isOver]).toEqual([[], false]);
    received.stop();
  });

  it('resume after the service was killed, each change once', async () => {
    const { service, admin } = doors;
    const environment = { FDS_URL: `${service.baseUrl.replace('http', 'ws')}/graphql`, FDS_TOKEN: admin.token ?? '' };
    const running = page.start('resume.js', environment);
    const shown = (): string[] =>
      running
        .output()
        .split('\n')
        .flatMap((line) => /^POST .*\/groups\/([0-9a-f-]+)$/.exec(line)?.[1] ?? []);
    await eventually(
      async () => {
        await createGroup();
        if (shown().length === 0) throw new Error(running.output());
      },
      { deadlineMs: 30_000 },
    );
    const known = await createGroup();
    await eventually(() => expect(shown()).toContain(known));
    const missed = await createGroup();
    await service.kill();
    await service.start();
    const later = await createGroup();
    await eventually(() => expect(shown()).toContain(later), { deadlineMs: 30_000 });
    expect(shown().slice(shown().indexOf(known))).toEqual([known, missed, later]);
    await running.end('SIGKILL');
  }, 90_000);

  it('register a receiver', async () => {
    const body = createPageProject(leftovers, 'docs/reference/notifications.md').read('registration.json');
    requireStatus(await doors.admin.rest('PUT', '/notifications', JSON.parse(body)), 204);
    const { notifications } = requireStatus(
      await doors.admin.rest<{ readonly notifications: readonly { readonly notificationId: string }[] }>(
        'GET',
        '/notifications?filters=type:WEB_HOOK',
      ),
      200,
    ).body;
    expect(notifications).toMatchObject([{ callback: 'https://receiver.example/hook', secret: null }]);
    requireStatus(await doors.admin.rest('DELETE', `/notifications/${notifications[0]?.notificationId}`), 204);
  });

  describe('with notifications switched off', () => {
    beforeAll(async () => {
      await doors.service.kill();
      doors.service.launch({ environment: { FDS_NOTIFICATIONS_ENABLED: 'false' } });
      await doors.service.untilHealthy();
    }, 60_000);

    it('subscriptions are refused, registrations are kept, and changes made in that time are never sent', async () => {
      const { admin, service } = doors;
      const refused = openSubscriber(leftovers, service.baseUrl, () => admin.token).subscribe<object>(
        'subscription { metadataEvents { cursor } }',
      );
      await refused.end();
      expect(refused.data).toEqual([]);
      expect(refused.errors).toHaveLength(1);
      const receiver = await openWebhookReceiver(leftovers);
      const events = [{ resource: '/zones/?/groups/?', actions: ['POST'] }];
      const registration = { callback: receiver.url, callbackType: 'WEB_HOOK', events };
      requireStatus(await admin.rest('PUT', '/notifications', registration), 204);
      const { notifications } = requireStatus(
        await admin.rest<{ readonly notifications: readonly { readonly notificationId: string }[] }>(
          'GET',
          // sockets of the killed process are listed until their lease ends
          '/notifications?filters=type:WEB_HOOK',
        ),
        200,
      ).body;
      expect(notifications).toMatchObject([{ callback: receiver.url, status: 'ACTIVE' }]);
      const path = `/notifications/${notifications[0]?.notificationId}/redeliveries`;
      expect((await admin.rest('POST', path, { from: 0 })).status).toBe(409);
      const silent = await createGroup();
      await service.stop();
      await service.start();
      const told = await createGroup();
      await eventually(() => expect(receiver.received.map(({ text }) => text).join()).toContain(told));
      expect(receiver.received.map(({ text }) => text).join()).not.toContain(silent);
    }, 90_000);
  });
});
