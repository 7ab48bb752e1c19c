import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openNotificationListener } from './notification-listener.js';
import type { Notifications } from './notifications.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

/** Polls until the condition holds; the jest timeout is the deadline. */
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await delay(5);
};

const collect = async (notifications: Notifications, channel: string) => {
  const heard: (string | undefined)[] = [];
  const stop = await notifications.listen({ channel, onWake: (text) => void heard.push(text) });
  return { heard, stop };
};

const notify = (channel: string, text: string) => database.pool.query('SELECT pg_notify($1, $2)', [channel, text]);

const connections = async (): Promise<number[]> => {
  const { rows } = await database.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fds-listen'`,
  );
  return rows.map(({ pid }) => pid);
};

describe('the notifications of a database', () => {
  it('reach every listener of their channel, and all listeners share one connection', async () => {
    const { notifications } = database;
    const listeners = [
      await collect(notifications, 'one'),
      await collect(notifications, 'one'),
      await collect(notifications, 'other'),
    ];
    expect(await connections()).toHaveLength(1);
    await notify('one', 'a');
    await notify('other', 'b');
    await until(() => listeners.every(({ heard }) => heard.length === 2));
    expect(listeners.map(({ heard }) => heard)).toEqual([
      [undefined, 'a'],
      [undefined, 'a'],
      [undefined, 'b'],
    ]);
    for (const { stop } of listeners) await stop();
    await until(async () => (await connections()).length === 0);
  });

  it('wake every listener without a text when the lost connection is open again', async () => {
    const listeners = [await collect(database.notifications, 'one'), await collect(database.notifications, 'other')];
    await database.pool.query('SELECT pg_terminate_backend($1::int)', await connections());
    await until(() => listeners.every(({ heard }) => heard.length === 2));
    await notify('other', 'after the cut');
    await until(() => listeners[1]?.heard.length === 3);
    expect(listeners.map(({ heard }) => heard)).toEqual([
      [undefined, undefined],
      [undefined, undefined, 'after the cut'],
    ]);
    for (const { stop } of listeners) await stop();
  });

  it('no longer reach a listener that was removed, and the others stay', async () => {
    const [removed, kept] = [
      await collect(database.notifications, 'one'),
      await collect(database.notifications, 'one'),
    ];
    await removed.stop();
    await removed.stop();
    await notify('one', 'a');
    await until(() => kept.heard.length === 2);
    expect(removed.heard).toEqual([undefined]);
    await kept.stop();
    await until(async () => (await connections()).length === 0);
  });

  it('reach a listener that leaves out pipelined transactions from other transactions only', async () => {
    const texts: (string | undefined)[] = [];
    const listener = await openNotificationListener({
      database,
      channel: 'one',
      onWake: (text) => void texts.push(text),
      pollMs: 3_600_000,
      ignoresPipelined: true,
    });
    const every = await collect(database.notifications, 'one');
    await database.pipelinedTransaction((session) =>
      session.query({ text: 'SELECT pg_notify($1, $2)', values: ['one', 'pipelined'] }),
    );
    await notify('one', 'other');
    await until(() => every.heard.length === 3);
    expect(every.heard).toEqual([undefined, 'pipelined', 'other']);
    expect(texts).toEqual([undefined, 'other']);
    await every.stop();
    await listener.close();
  });
});
