import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requeueMessage } from './store/deliveries/requeue.js';
import { changeZones, register, seeRegistration } from './testing/delivery-world.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';
import { openReceiver, type AnswerMessage, type Receiver } from './testing/open-receiver.js';

const until = <T>(check: () => T | Promise<T>): Promise<T> => eventually(async () => check(), { deadlineMs: 30_000 });
const untilReceived = (at: Receiver, count: number): Promise<void> =>
  until(() => {
    if (at.received.length < count) throw new Error(`${at.received.length} messages have arrived`);
  });

describe('faulty receivers', () => {
  let notifications: TestNotifications;
  const receivers: Receiver[] = [];
  let liar: Server;

  const open = async (answer?: AnswerMessage): Promise<Receiver> => {
    const opened = await openReceiver(answer);
    receivers.push(opened);
    return opened;
  };
  const clear = async (more: readonly string[] = []): Promise<void> => {
    for (const url of [...receivers.map((receiver) => receiver.url), ...more]) {
      const found = await seeRegistration(notifications, url).catch(() => undefined);
      if (found === undefined) continue;
      await notifications.run('admin', 'mutation ($id: String!) { result: deleteNotification(notificationId: $id) }', {
        id: found.notificationId,
      });
    }
  };

  beforeAll(async () => {
    notifications = await openNotifications({
      timeoutMs: 4000,
      delivery: { concurrency: 2, slowReceivers: 8, schedule: [60_000], leaseMs: 4000 },
    });
    // an answer that is not HTTP
    liar = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/9 OK\r\nContent-Length: -1\r\n\r\nyes'));
    });
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await notifications?.close();
    for (const each of receivers) await each.close();
    await new Promise((resolve) => liar.close(resolve));
  });

  it('that do not answer do not delay others, even if there are more of them than ordinary places', async () => {
    const hanging = await Promise.all(Array.from({ length: 6 }, () => open(() => undefined)));
    const healthy = await open();
    for (const { url } of [...hanging, healthy]) await register(notifications, url);
    const resources = await changeZones(notifications, 60);
    await untilReceived(healthy, 60);
    expect(healthy.received.map(({ body }) => body.resource)).toEqual(resources);
    // the healthy receiver has everything while the first attempt at each of the others is still in progress
    expect(hanging.map(({ received }) => received.length)).toEqual(hanging.map(() => 1));
    const { rows } = await notifications.database.pool.query('SELECT FROM notification_attempt WHERE outcome <> $1', [
      'DELIVERED',
    ]);
    expect(rows).toEqual([]);
    for (const { url } of hanging) {
      await until(async () => expect((await seeRegistration(notifications, url)).status).toBe('FAILING'));
    }
    await clear();
  });

  it('on one host take only some of the places, even if the host has more registrations than there are places', async () => {
    const hanging = await open(() => undefined);
    const healthy = await open();
    const callbacks = Array.from({ length: 20 }, (_, index) => `${hanging.url}?${index}`);
    for (const url of [...callbacks, healthy.url]) await register(notifications, url);
    const resources = await changeZones(notifications, 60);
    await untilReceived(healthy, 60);
    expect(healthy.received.map(({ body }) => body.resource)).toEqual(resources);
    expect(hanging.received.length).toBeLessThanOrEqual(8);
    // the other receivers of the host get their turns, or wait until it can be reached
    await until(async () => {
      const seen = await Promise.all(callbacks.map((url) => seeRegistration(notifications, url)));
      expect(seen.every(({ status, nextAttempt }) => status === 'FAILING' || nextAttempt !== null)).toBe(true);
    });
    expect(hanging.received.length).toBeLessThan(callbacks.length + 8);
    await clear(callbacks);
  });

  it('that answer slowly get all messages in order', async () => {
    const slow = await open((response) => setTimeout(() => response.writeHead(200).end(), 700));
    await register(notifications, slow.url);
    const resources = await changeZones(notifications, 4);
    await untilReceived(slow, 4);
    expect(slow.received.map(({ body }) => body.resource)).toEqual(resources);
    await until(async () => expect((await seeRegistration(notifications, slow.url)).status).toBe('ACTIVE'));
    await clear();
  });

  it('that send 10 MB are read in part, and their status counts', async () => {
    const chatty = await open((response) => {
      response.on('error', () => undefined);
      response.writeHead(200);
      for (let part = 0; part < 160; part += 1) response.write(Buffer.alloc(65_536, 'x'));
      response.end();
    });
    await register(notifications, chatty.url);
    await changeZones(notifications, 3);
    await untilReceived(chatty, 3);
    await until(async () => {
      const { status, lastDelivery } = await seeRegistration(notifications, chatty.url);
      expect([status, lastDelivery === null]).toEqual(['ACTIVE', false]);
    });
    await clear();
  });

  it('that send invalid HTTP or do not exist fail, with a reason that contains nothing of their answers', async () => {
    const { port } = liar.address() as AddressInfo;
    const closed = await openReceiver();
    await closed.close();
    for (const url of [`http://127.0.0.1:${port}/`, closed.url]) {
      await register(notifications, url);
      await changeZones(notifications, 1);
      const { lastError } = await until(async () => {
        const seen = await seeRegistration(notifications, url);
        expect(seen.status).toBe('FAILING');
        return seen;
      });
      expect(lastError).toEqual(expect.any(String));
      expect(lastError).not.toContain('yes');
    }
  });
});

describe('two processes on one database', () => {
  it('send each message once and in order, and one continues when the other ends', async () => {
    const notifications = await openNotifications({ delivery: { leaseMs: 2000 } });
    const another = await notifications.startAnother();
    const receivers = await Promise.all(Array.from({ length: 4 }, () => openReceiver()));
    for (const { url } of receivers) await register(notifications, url);
    const first = await changeZones(notifications, 100);
    const rest = changeZones(notifications, 100);
    await another.close();
    const resources = [...first, ...(await rest)];
    for (const each of receivers) {
      await untilReceived(each, 200);
      expect(each.received.map(({ body }) => body.resource)).toEqual(resources);
      expect(each.ids()).toHaveLength(200);
      await each.close();
    }
    await notifications.close();
  });

  it('continue after the database has ended all connections', async () => {
    const notifications = await openNotifications({ delivery: { leaseMs: 2000, schedule: [100] } });
    const receiver = await openReceiver();
    await register(notifications, receiver.url);
    const before = await changeZones(notifications, 5);
    await untilReceived(receiver, 5);
    // graphile-worker does not await the end of a job; a process survives the rejection, but a test run does not
    await until(async () => {
      const { rows } = await notifications.database.pool.query('SELECT FROM graphile_worker._private_jobs');
      expect(rows).toHaveLength(0);
    });
    await notifications.database.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const after = await until(() => changeZones(notifications, 1));
    await until(() => expect(receiver.ids()).toHaveLength(6));
    // messages whose results were not written are sent again
    const resources = new Set(receiver.received.map(({ body }) => body.resource));
    expect([...resources]).toEqual([...before, ...after]);
    await notifications.close();
    await receiver.close();
  });

  it('send messages that wait without a job because its process was killed before it began to send', async () => {
    const notifications = await openNotifications({ delivery: { leaseMs: 6000 } });
    const receiver = await openReceiver();
    const registrationUuid = await register(notifications, receiver.url);
    await changeZones(notifications, 1);
    await untilReceived(receiver, 1);
    const uuid = receiver.ids()[0]?.slice('msg_'.length) ?? '';
    const bounds = { messages: 10, bytes: 10_000 };
    // the receiver has the message before its delivery is committed, and only after the commit can it be queued again
    await until(() =>
      notifications.database.transaction(async (client) => {
        expect(await requeueMessage(client, registrationUuid, uuid, new Date(), bounds)).toMatchObject({ messages: 1 });
        await client.query('DELETE FROM graphile_worker._private_jobs');
      }),
    );
    await untilReceived(receiver, 2);
    await receiver.close();
    await notifications.close();
  });

  it('continue at the position of the last process', async () => {
    const notifications = await openNotifications({ delivery: { enabled: false } });
    const receiver = await openReceiver();
    await register(notifications, receiver.url);
    await changeZones(notifications, 3);
    // notifications were off until now, so these changes are not notified
    const settings = { delivery: { enabled: true } };
    const first = await notifications.startAnother(settings);
    const one = await changeZones(notifications, 1);
    await untilReceived(receiver, 1);
    await first.close();
    const missed = await changeZones(notifications, 2);
    const second = await notifications.startAnother(settings);
    await untilReceived(receiver, 3);
    expect(receiver.received.map(({ body }) => body.resource)).toEqual([...one, ...missed]);
    await second.close();
    await receiver.close();
    await notifications.close();
  });
});
