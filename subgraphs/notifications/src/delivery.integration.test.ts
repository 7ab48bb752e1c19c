import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { Webhook } from 'standardwebhooks';
import { changeZones, register, seeRegistration } from './testing/delivery-world.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';
import { openReceiver, type AnswerMessage, type Receiver } from './testing/open-receiver.js';

let notifications: TestNotifications;
const receivers: Receiver[] = [];

const receiver = async (answer?: AnswerMessage): Promise<Receiver> => {
  const opened = await openReceiver(answer);
  receivers.push(opened);
  return opened;
};
const resourcesOf = ({ received }: Receiver): string[] => received.map(({ body }) => body.resource);
const until = <T>(check: () => T | Promise<T>): Promise<T> => eventually(async () => check(), { deadlineMs: 20_000 });
const untilReceived = (at: Receiver, count: number): Promise<void> =>
  until(() => {
    if (at.received.length < count) throw new Error(`${at.received.length} messages have arrived`);
  });
const untilStatus = (callback: string, status: string) =>
  until(async () => {
    const seen = await seeRegistration(notifications, callback);
    if (seen.status !== status) throw new Error(`the status is ${seen.status}`);
    return seen;
  });

beforeAll(async () => {
  notifications = await openNotifications({ timeoutMs: 1500, delivery: { schedule: [100, 200, 300], leaseMs: 2000 } });
});
afterAll(async () => {
  await notifications?.close();
  for (const each of receivers) await each.close();
});

describe('delivery', () => {
  it('sends each change once, in order, signed, with the headers of the registration', async () => {
    const at = await receiver();
    await register(notifications, at.url, { httpHeaders: [{ name: 'X-Key', value: 'header-value' }] });
    const { database } = notifications;
    const resources = await changeZones({ database }, 120);
    await untilReceived(at, 120);
    expect(resourcesOf(at)).toEqual(resources);
    const [first] = at.received;
    expect(first?.body).toEqual({
      action: 'POST',
      resource: resources[0],
      type: 'Zone',
      data: { uuid: resources[0]?.split('/').at(-1), name: 'zone 0' },
    });
    expect(first?.headers).toMatchObject({ 'x-key': 'header-value', 'content-type': 'application/json' });
    expect(first?.id).toMatch(/^msg_/);
    expect(await seeRegistration(notifications, at.url)).toMatchObject({ status: 'ACTIVE', lastError: null });
    await until(async () => {
      const { lastDelivery } = await seeRegistration(notifications, at.url);
      if (lastDelivery === null) throw new Error('nothing was delivered');
    });
  });

  it("signs with the user's own secret, and for a while also with the replaced one", async () => {
    const [old, fresh] = ['old', 'new'].map((text) => `whsec_${Buffer.alloc(32, text).toString('base64')}`) as [
      string,
      string,
    ];
    const at = await receiver();
    await register(notifications, at.url, { secret: old });
    await changeZones(notifications, 1);
    await untilReceived(at, 1);
    await register(notifications, at.url, { secret: fresh });
    await changeZones(notifications, 1);
    await untilReceived(at, 2);
    const verify = (secret: string, index: number): unknown => {
      const message = at.received[index];
      return new Webhook(secret).verify(message?.text ?? '', message?.headers as Record<string, string>);
    };
    expect(() => verify(old, 0)).not.toThrow();
    expect(() => verify(fresh, 0)).toThrow();
    expect(() => verify(old, 1)).not.toThrow();
    expect(() => verify(fresh, 1)).not.toThrow();
  });

  it('sends only changes that the registration names and that its user may GET at that time', async () => {
    const at = await receiver();
    const events = [{ resource: '/zones/?', actions: ['DELETE'] }];
    await register(notifications, at.url, { events });
    await changeZones(notifications, 1);
    await changeZones(notifications, 1, { resourceType: 'Group', action: 'DELETE', resource: '/zones/a/groups/b' });
    const [deleted] = await changeZones(notifications, 1, { action: 'DELETE' });
    await untilReceived(at, 1);
    expect(resourcesOf(at)).toEqual([deleted]);
    const steward = await receiver();
    const own = `/zones/${notifications.rootZoneUuid}/adaptors/?`;
    await register(
      notifications,
      steward.url,
      { events: [{ resource: '/zones/?/adaptors/?', actions: ['ALL'] }] },
      'dgs',
    );
    const adaptor = { resourceType: 'Adaptor' } as const;
    await changeZones(notifications, 1, { ...adaptor, resource: '/zones/elsewhere/adaptors/hidden' });
    await changeZones(notifications, 1, { ...adaptor, resource: own.replace('?', 'seen') });
    await untilReceived(steward, 1);
    expect(resourcesOf(steward)).toEqual([`https://service.example/api${own.replace('?', 'seen')}`]);
    // the later message has arrived: the matcher has decided on the hidden change
    const { rows } = await notifications.database.pool.query(
      `SELECT FROM notification_message m JOIN change_log USING (position)
       WHERE resource = '/zones/elsewhere/adaptors/hidden'`,
    );
    expect(rows).toEqual([]);
  });

  it('sends no change from before the registration', async () => {
    await changeZones(notifications, 3);
    const at = await receiver();
    await register(notifications, at.url);
    const after = await changeZones(notifications, 1);
    await untilReceived(at, 1);
    expect(resourcesOf(at)).toEqual(after);
  });

  it('repeats a message with the same id and keeps the order while a receiver fails, and notifies the owner', async () => {
    const observer = await receiver();
    await register(notifications, observer.url, { events: [{ resource: '/notifications/?', actions: ['PATCH'] }] });
    const at = await receiver((response, number) => {
      response.writeHead(number === 2 || number === 3 ? 503 : 200).end();
    });
    const uuid = await register(notifications, at.url);
    const resources = await changeZones(notifications, 3);
    await untilReceived(at, 2);
    await untilStatus(at.url, 'FAILING');
    await untilReceived(at, 5);
    expect(resourcesOf(at)).toEqual([resources[0], resources[1], resources[1], resources[1], resources[2]]);
    expect(at.ids()).toHaveLength(3);
    expect(await untilStatus(at.url, 'ACTIVE')).toMatchObject({ lastError: null });
    await untilReceived(observer, 2);
    expect(
      observer.received.map(({ body }) => [body.type, body.resource, (body.data as { status: string }).status]),
    ).toEqual([
      ['Notification', `https://service.example/api/notifications/${uuid}`, 'FAILING'],
      ['Notification', `https://service.example/api/notifications/${uuid}`, 'ACTIVE'],
    ]);
  });

  it('waits as long as Retry-After says', async () => {
    const at = await receiver((response, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '2' }).end();
      else response.writeHead(200).end();
    });
    await register(notifications, at.url);
    await changeZones(notifications, 1);
    await untilReceived(at, 2);
    expect((at.received[1]?.time ?? 0) - (at.received[0]?.time ?? 0)).toBeGreaterThanOrEqual(1950);
  });

  it('disables a receiver that answers 410, and PUT starts it again', async () => {
    let isGone = true;
    const at = await receiver((response) => {
      response.writeHead(isGone ? 410 : 200).end();
    });
    await register(notifications, at.url);
    const [, second] = await changeZones(notifications, 2);
    expect(await untilStatus(at.url, 'DISABLED')).toMatchObject({ lastError: 'the receiver answered 410' });
    await changeZones(notifications, 1);
    isGone = false;
    await register(notifications, at.url);
    await untilReceived(at, 2);
    expect(resourcesOf(at)[1]).toBe(second);
    expect(await untilStatus(at.url, 'ACTIVE')).toMatchObject({ lastError: null });
  });

  it('disables a receiver that rejects a message in every attempt', async () => {
    const at = await receiver((response) => {
      response.writeHead(500).end();
    });
    await register(notifications, at.url);
    await changeZones(notifications, 1);
    await untilStatus(at.url, 'DISABLED');
    expect(at.received).toHaveLength(4);
    expect(at.ids()).toHaveLength(1);
  });

  it('does not follow redirects', async () => {
    const target = await receiver();
    const at = await receiver((response) => {
      response.writeHead(307, { location: target.url }).end();
    });
    await register(notifications, at.url);
    await changeZones(notifications, 1);
    const { lastError } = await untilStatus(at.url, 'FAILING');
    expect(lastError).toContain('redirects are not followed');
    expect(target.received).toEqual([]);
  });

  it('disables a registration when too many messages wait', async () => {
    const small = await openNotifications({
      delivery: { schedule: [60_000], queueBounds: { messages: 3, bytes: 1e6 } },
    });
    const at = await receiver((response) => {
      response.writeHead(500).end();
    });
    await register(small, at.url);
    await changeZones(small, 5);
    await until(async () => {
      const { status, lastError } = await seeRegistration(small, at.url);
      expect([status, lastError]).toEqual(['DISABLED', expect.stringContaining('more than 3 messages')]);
    });
    expect(small.hits).toEqual(['notification_queue']);
    await small.close();
  });
});
