import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@fds/auth';
import { eventually } from '@fds/testing';
import { Webhook } from 'standardwebhooks';
import { loadFirstNeededChange } from './store/queue/first-needed-change.js';
import { changeZones, register } from './testing/delivery-world.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';
import { openReceiver, type Receiver } from './testing/open-receiver.js';

interface Message {
  readonly messageUuid: string;
  readonly webhookId: string;
  readonly resource: string;
  readonly status: string;
  readonly dateCreated: string;
  readonly settledAt: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly outcome: string;
    readonly httpStatus: number | null;
  }[];
}

let notifications: TestNotifications;
let receiver: Receiver;
let notificationId: string;
let start: Date;
let isBroken = true;

const list = (variables: object = {}, username = 'admin') =>
  notifications.run<{ readonly data: readonly Message[]; readonly page: { readonly totalElements: number } }>(
    username,
    `query ($id: String!, $status: NotificationMessageStatus, $from: DateTime, $to: DateTime, $size: Int) {
      result: notificationMessages(notificationId: $id, status: $status, from: $from, to: $to, size: $size) {
        data {
          messageUuid webhookId resource status dateCreated settledAt attempts { number outcome httpStatus }
        }
        page { totalElements }
      }
    }`,
    { id: notificationId, ...variables },
  );
const redeliver = (input: object, username = 'admin') =>
  notifications.run<{ readonly messages: number }>(
    username,
    `mutation ($id: String!, $input: RedeliveryInput!) {
      result: redeliverNotifications(notificationId: $id, input: $input) { messages }
    }`,
    { id: notificationId, input },
  );
const untilReceived = (count: number): Promise<void> =>
  eventually(
    async () => {
      if (receiver.received.length < count) throw new Error(`${receiver.received.length} messages have arrived`);
    },
    { deadlineMs: 20_000 },
  );
const untilSettled = (count: number): Promise<readonly Message[]> =>
  eventually(
    async () => {
      const { result } = await list({ status: 'DELIVERED' });
      if (result.data.length !== count) throw new Error(`${result.data.length} messages are delivered`);
      return result.data;
    },
    { deadlineMs: 20_000 },
  );

/** Path below `/api` of the resource in a message. */
const pathOf = (resource: string): string => resource.slice(resource.indexOf('/api') + '/api'.length);

beforeAll(async () => {
  notifications = await openNotifications({
    delivery: { schedule: [50, 50], keptMs: 3_600_000, pruneMs: 100 },
  });
  receiver = await openReceiver((response) => {
    response.writeHead(isBroken ? 503 : 200).end();
    isBroken = false;
  });
  notificationId = await register(notifications, receiver.url);
  start = new Date();
  await changeZones(notifications, 3);
  await untilSettled(3);
});
afterAll(async () => {
  await notifications?.close();
  await receiver?.close();
});

describe('the delivery log', () => {
  it('shows every message with every attempt, the newest first', async () => {
    const { result } = await list();
    expect(result.page.totalElements).toBe(3);
    expect(result.data.map(({ attempts }) => attempts)).toEqual([
      [{ number: 1, outcome: 'DELIVERED', httpStatus: 200 }],
      [{ number: 1, outcome: 'DELIVERED', httpStatus: 200 }],
      [
        { number: 1, outcome: 'FAILED', httpStatus: 503 },
        { number: 2, outcome: 'DELIVERED', httpStatus: 200 },
      ],
    ]);
    expect(result.data.map(({ webhookId }) => webhookId)).toEqual(receiver.ids().toReversed());
  });

  it('is filtered by status and time, and paged', async () => {
    expect((await list({ status: 'QUEUED' })).result.data).toEqual([]);
    expect((await list({ to: start.toISOString() })).result.data).toEqual([]);
    expect((await list({ from: start.toISOString(), size: 1 })).result).toMatchObject({ page: { totalElements: 3 } });
  });

  it('keeps the changes of its messages in the change log', async () => {
    const { database } = notifications;
    const first = await database.prisma.changeLogEntry.findFirstOrThrow({
      where: { resourceType: 'Zone', resource: { in: receiver.received.map(({ body }) => pathOf(body.resource)) } },
      orderBy: { position: 'asc' },
    });
    expect(await loadFirstNeededChange(database)).toBe(first.position);
  });

  it('is visible only to the user of the registration', async () => {
    expect((await list({}, 'dgs')).code).toBe('NOT_FOUND');
    expect((await list({ id: 'nothing' })).code).toBe('NOT_FOUND');
    expect((await redeliver({ from: start.toISOString() }, 'dgs')).code).toBe('NOT_FOUND');
  });

  it('keeps messages only for its retention time', async () => {
    const { database } = notifications;
    const { result } = await list();
    const oldest = result.data.at(-1)?.messageUuid;
    await database.pool.query(
      "UPDATE notification_message SET settled_at = settled_at - interval '2 hours' WHERE uuid = $1",
      [oldest],
    );
    await untilSettled(2);
    const { rows } = await database.pool.query('SELECT FROM notification_attempt WHERE message_uuid = $1', [oldest]);
    expect(rows).toEqual([]);
  });
});

describe('redelivery', () => {
  it('sends one message again, with its id', async () => {
    const before = receiver.received.length;
    const [newest] = (await list()).result.data;
    expect((await redeliver({ messageUuid: newest?.messageUuid })).result).toEqual({ messages: 1 });
    await untilReceived(before + 1);
    expect(receiver.received.at(-1)?.id).toBe(newest?.webhookId);
    await eventually(async () => {
      const [again] = (await list()).result.data;
      expect(again).toMatchObject({ messageUuid: newest?.messageUuid, status: 'DELIVERED' });
      expect(again?.attempts).toHaveLength(2);
    });
  });

  it('sends a time range again in order, including messages that are no longer in the log', async () => {
    const before = receiver.received.length;
    const resources = new Set(receiver.received.map(({ body }) => body.resource));
    expect((await redeliver({ from: start.toISOString() })).result).toEqual({ messages: 3 });
    await untilReceived(before + 3);
    expect(receiver.received.slice(before).map(({ body }) => body.resource)).toEqual([...resources]);
    expect(
      (await redeliver({ from: new Date(start.getTime() - 10).toISOString(), to: start.toISOString() })).result,
    ).toEqual({
      messages: 0,
    });
  });

  it('refuses a redelivery with an invalid selection, or when nothing is sent at all', async () => {
    const time = start.toISOString();
    expect((await redeliver({})).causes).toEqual(['/from REQUIRED']);
    expect((await redeliver({ from: time, to: time })).causes).toEqual(['/to OUT_OF_RANGE']);
    expect((await redeliver({ messageUuid: notificationId, from: time })).causes).toEqual(['/messageUuid NOT_ALLOWED']);
    expect((await redeliver({ messageUuid: notificationId })).code).toBe('NOT_FOUND');
    await notifications.database.pool.query("UPDATE notification_registration SET status = 'DISABLED'");
    expect((await redeliver({ from: time })).code).toBe('CONFLICT');
    await notifications.database.pool.query("UPDATE notification_registration SET status = 'ACTIVE'");
    const off = await openNotifications({ delivery: { enabled: false } });
    const id = await register(off, receiver.url);
    const { code } = await off.run(
      'admin',
      'mutation ($id: String!, $input: RedeliveryInput!) { result: redeliverNotifications(notificationId: $id, input: $input) { messages } }',
      { id, input: { from: time } },
    );
    expect(code).toBe('CONFLICT');
    await off.close();
  });
});

describe('a renewed secret', () => {
  it('is shown once, and signs in addition to the old one', async () => {
    const { result } = await notifications.run<{ readonly secret: string }>(
      'admin',
      'mutation ($id: String!) { result: renewNotificationSecret(notificationId: $id) { secret } }',
      { id: notificationId },
    );
    const before = receiver.received.length;
    await changeZones(notifications, 1);
    await untilReceived(before + 1);
    const { text = '', headers } = receiver.received.at(-1) ?? {};
    expect(() => new Webhook(result.secret).verify(text, headers as Record<string, string>)).not.toThrow();
    expect(String(headers?.['webhook-signature']).split(' ')).toHaveLength(2);
    const { rows } = await notifications.database.pool.query<{ data: string }>(
      "SELECT data FROM change_log WHERE resource_type = 'Notification'",
    );
    expect(rows.map(({ data }) => data).join('\n')).not.toContain('whsec_');
  });
});

describe('changes that a user may no longer see', () => {
  it('leave the log, its counts and redeliveries', async () => {
    const { uuid, permits, ...admin } = await notifications.as('admin');
    const [kept] = receiver.received.map(({ body }) => pathOf(body.resource));
    const restricted: Principal = {
      ...admin,
      uuid,
      rights: 'restricted',
      permits: (action, path) => (path.startsWith('/zones/') ? path === kept : permits(action, path)),
    };
    const { result } = await notifications.runAs<{
      readonly data: readonly Message[];
      readonly page: { readonly totalElements: number };
    }>(
      restricted,
      `query ($id: String!) { result: notificationMessages(notificationId: $id) {
        data { messageUuid resource } page { totalElements }
      } }`,
      { id: notificationId },
    );
    expect(result).toMatchObject({ data: [{ resource: kept }], page: { totalElements: 1 } });

    const again = (input: object) =>
      notifications.runAs<{ readonly messages: number }>(
        restricted,
        `mutation ($id: String!, $input: RedeliveryInput!) {
          result: redeliverNotifications(notificationId: $id, input: $input) { messages }
        }`,
        { id: notificationId, input },
      );
    const hidden = (await list()).result.data.find(({ resource }) => resource !== kept);
    expect((await again({ messageUuid: hidden?.messageUuid })).code).toBe('NOT_FOUND');
    expect((await again({ from: start.toISOString() })).result).toEqual({ messages: 1 });
    const skip =
      'mutation ($id: String!, $m: Uuid!) { result: skipNotificationMessage(notificationId: $id, messageUuid: $m) }';
    expect((await notifications.runAs(restricted, skip, { id: notificationId, m: hidden?.messageUuid })).code).toBe(
      'NOT_FOUND',
    );
  });

  it('are decided once for the same rights, and again for others', async () => {
    const admin = await notifications.as('admin');
    let asked = 0;
    const withRights = (rights: string, isSeen: (path: string) => boolean): Principal => ({
      ...admin,
      rights,
      permits: (action, path) => {
        if (!path.startsWith('/zones/')) return admin.permits(action, path);
        asked += 1;
        return isSeen(path);
      },
    });
    const total = async (principal: Principal) => {
      asked = 0;
      const { result } = await notifications.runAs<{ readonly page: { readonly totalElements: number } }>(
        principal,
        'query ($id: String!) { result: notificationMessages(notificationId: $id) { page { totalElements } } }',
        { id: notificationId },
      );
      return [result.page.totalElements, asked];
    };
    const all = (await list()).result.page.totalElements;
    expect(all).toBeGreaterThan(2);
    const few = withRights('few', () => false);
    // several requests at once decide once
    expect(await Promise.all([few, few, few].map(async (each) => (await total(each))[0]))).toEqual([0, 0, 0]);
    expect(asked).toBe(all);
    expect(await total(few)).toEqual([0, 0]);
    expect(await total(withRights('more', () => true))).toEqual([all, all]);
    expect(await total(withRights('more', () => false))).toEqual([all, 0]);
    expect(await total(few)).toEqual([0, all]);
    // a new message is decided when it is queued, for the rights at that moment
    expect((await list()).result.page.totalElements).toBe(all);
    const before = receiver.received.length;
    await changeZones(notifications, 1);
    await untilReceived(before + 1);
    expect(await total(withRights(admin.rights ?? '', () => false))).toEqual([all + 1, 0]);
  });

  it('count the messages that wait for several registrations', async () => {
    const admin = await notifications.as('admin');
    const ids = await Promise.all(['one', 'two'].map((name) => register(notifications, `${receiver.url}/${name}`)));
    await notifications.database.pool.query(
      "UPDATE notification_receiver SET next_attempt = now() + interval '1 hour' WHERE registration_uuid = ANY ($1)",
      [ids],
    );
    const [first] = await changeZones(notifications, 3);
    const waiting = async (principal: Principal) => {
      const { result } = await notifications.runAs<{
        readonly data: readonly { readonly notificationId: string; readonly waitingMessages: number }[];
      }>(principal, '{ result: notifications { data { notificationId waitingMessages } } }');
      return ids.map((id) => result.data.find((each) => each.notificationId === id)?.waitingMessages);
    };
    await eventually(async () => expect(await waiting(admin)).toEqual([3, 3]));
    const path = pathOf(first ?? '');
    const seesOne: Principal = {
      ...admin,
      rights: 'one',
      permits: (action, asked) => (asked.startsWith('/zones/') ? asked === path : admin.permits(action, asked)),
    };
    expect(await waiting(seesOne)).toEqual([1, 1]);
    expect(await waiting(admin)).toEqual([3, 3]);
  });
});
