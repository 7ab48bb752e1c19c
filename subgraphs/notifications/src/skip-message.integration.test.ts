import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeZones, register, seeRegistration } from './testing/delivery-world.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';
import { openReceiver, type Receiver } from './testing/open-receiver.js';

interface Message {
  readonly messageUuid: string;
  readonly resource: string;
  readonly status: string;
}

const until = <T>(check: () => Promise<T>): Promise<T> => eventually(check, { deadlineMs: 30_000 });

describe('a message that its receiver rejects', () => {
  let notifications: TestNotifications;
  let receiver: Receiver;
  let id: string;
  let poison: string;
  let isBroken = true;

  const messages = async (): Promise<readonly Message[]> =>
    (
      await notifications.run<{ readonly data: readonly Message[] }>(
        'admin',
        'query ($id: String!) { result: notificationMessages(notificationId: $id) { data { messageUuid resource status } } }',
        { id },
      )
    ).result.data;
  const skip = async (messageUuid: string, username = 'admin'): Promise<string | undefined> =>
    (
      await notifications.run(
        username,
        'mutation ($id: String!, $message: Uuid!) { result: skipNotificationMessage(notificationId: $id, messageUuid: $message) }',
        { id, message: messageUuid },
      )
    ).code;
  const uuidOf = async (path: string): Promise<string> =>
    (await messages()).find(({ resource }) => path.endsWith(resource))?.messageUuid ?? '';

  beforeAll(async () => {
    notifications = await openNotifications({ delivery: { schedule: [3_600_000] } });
    receiver = await openReceiver((response, _, { body }) => {
      response.writeHead(isBroken && body.resource === poison ? 422 : 200).end();
    });
    id = await register(notifications, receiver.url);
  });
  afterAll(async () => {
    await notifications?.close();
    await receiver?.close();
  });

  it('visibly blocks the following ones until it is skipped', async () => {
    const uuid = '01a2077d-0000-7000-8000-00000000000a';
    poison = `https://service.example/api/zones/${uuid}`;
    await changeZones(notifications, 1, { resource: `/zones/${uuid}` });
    const rest = await changeZones(notifications, 3);
    await until(async () => {
      const { status, waitingMessages, nextAttempt, lastError } = await seeRegistration(notifications, receiver.url);
      expect([status, waitingMessages, lastError]).toEqual(['FAILING', 4, 'the receiver answered 422']);
      expect(Date.parse(nextAttempt ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
    });
    // a message that is not the first leaves the queue, and the first one still waits
    await until(async () => expect(await skip(await uuidOf(rest[1] ?? ''))).toBeUndefined());
    const waiting = await seeRegistration(notifications, receiver.url);
    expect([waiting.waitingMessages, waiting.nextAttempt === null]).toEqual([3, false]);
    expect(await skip(await uuidOf(poison))).toBeUndefined();
    await until(async () => {
      const delivered = (await messages())
        .filter(({ status }) => status === 'DELIVERED')
        .map(({ resource }) => resource);
      expect(delivered.map((resource) => `https://service.example/api${resource}`)).toEqual([rest[2], rest[0]]);
    });
    expect(receiver.received.map(({ body }) => body.resource)).toEqual([poison, rest[0], rest[2]]);
    const after = await seeRegistration(notifications, receiver.url);
    expect([after.status, after.waitingMessages, after.nextAttempt]).toEqual(['ACTIVE', 0, null]);
    const statuses = new Map((await messages()).map(({ resource, status }) => [resource, status]));
    expect([statuses.get(`/zones/${uuid}`), (await messages()).length]).toEqual(['SKIPPED', 4]);
  });

  it('can be sent again after it was skipped', async () => {
    isBroken = false;
    const messageUuid = await uuidOf(poison);
    await notifications.run(
      'admin',
      'mutation ($id: String!, $input: RedeliveryInput!) { result: redeliverNotifications(notificationId: $id, input: $input) { messages } }',
      { id, input: { messageUuid } },
    );
    await until(async () => {
      const found = (await messages()).find((message) => message.messageUuid === messageUuid);
      expect(found?.status).toBe('DELIVERED');
    });
  });

  it('can be skipped only by its own user, and only while it waits', async () => {
    const messageUuid = await uuidOf(poison);
    expect(await skip(messageUuid)).toBe('CONFLICT');
    expect(await skip(messageUuid, 'dgs')).toBe('NOT_FOUND');
    expect(await skip('01a2077d-0000-7000-8000-000000000000')).toBe('NOT_FOUND');
  });
});
