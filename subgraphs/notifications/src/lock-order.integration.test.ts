import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inTransaction } from '@fds/database';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { lockCursor } from './store/queue/cursor.js';
import { enqueue } from './store/queue/enqueue.js';
import { setStatus } from './store/registrations/set-status.js';
import { removeRegistrationsOf } from './store/registrations/remove-registrations-of.js';
import { saveResults, type Results } from './store/deliveries/save-results.js';
import { register } from './testing/delivery-world.js';
import { openNotifications, type TestNotifications } from './testing/open-notifications.js';

let notifications: TestNotifications;

beforeAll(async () => {
  notifications = await openNotifications({ delivery: { enabled: false } });
});
afterAll(() => notifications?.close());

/** Resolves when this many connections wait for a lock. */
const untilWaiting = (count: number): Promise<void> =>
  eventually(
    async () => {
      const { rows } = await notifications.database.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(count);
    },
    { deadlineMs: 30_000 },
  );

const removeAll = async (): Promise<void> => {
  const { uuid } = await notifications.as('admin');
  await inTransaction(notifications.database, (tx) => removeRegistrationsOf(tx, uuid, {}));
};

it('a registration can be deleted while the results of its deliveries are written', async () => {
  const { database } = notifications;
  const registrationUuid = await register(notifications, 'https://receiver.example/results');
  const owner = newUuid();
  await database.pool.query('UPDATE notification_receiver SET lease_owner = $1', [owner]);
  const failing: Results = {
    registrationUuid,
    settled: [],
    failed: undefined,
    status: { status: 'FAILING', lastError: 'an error' },
    failures: 1,
    nextAttempt: undefined,
  };
  const { removing } = await database.transaction(async (client) => {
    // the first statement of the writer
    await client.query('SELECT FROM notification_receiver WHERE registration_uuid = $1 FOR UPDATE', [registrationUuid]);
    const waiting = removeAll();
    waiting.catch(() => undefined);
    await untilWaiting(1);
    await setStatus(client, [registrationUuid], { status: 'FAILING', lastError: 'an error' }, new Date());
    return { removing: waiting };
  });
  await removing;
  expect(await saveResults(database, failing, owner, new Date())).toBe(false);
});

it('a registration can be deleted while a message is queued for it', async () => {
  const { database } = notifications;
  const registrationUuid = await register(notifications, 'https://receiver.example/queue');
  const bounds = { messages: 10, bytes: 1000 };
  // no sender is woken
  await database.pool.query("UPDATE notification_receiver SET next_attempt = now() + interval '1 hour'");
  const wanted = [{ uuid: newUuid(), registrationUuid, position: 1n, bytes: 10, decidedFor: null }];
  const { removing } = await database.transaction(async (client) => {
    await lockCursor(client);
    expect(await enqueue(client, wanted, new Date(), bounds)).toEqual([]);
    const waiting = removeAll();
    waiting.catch(() => undefined);
    await untilWaiting(1);
    await setStatus(client, [registrationUuid], { status: 'DISABLED', lastError: 'too much waits' }, new Date());
    return { removing: waiting };
  });
  await removing;
  expect(await database.prisma.notificationMessage.count({ where: { registrationUuid } })).toBe(0);
});
