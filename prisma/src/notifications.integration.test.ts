import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openNotificationListener } from './notification-listener.js';
import type { Notifications } from './notifications.js';
import { createAnnouncer, noteNews } from './announcements.js';
import { openDatabase } from './open-database.js';
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

  it('reach a listener that leaves out pipelined transactions from other transactions and processes only', async () => {
    const texts: (string | undefined)[] = [];
    const listener = await openNotificationListener({
      database,
      channel: 'fds_delivery',
      onWake: (text) => void texts.push(text),
      pollMs: 3_600_000,
      ignoresPipelined: true,
    });
    const other = openDatabase({ url: database.url });
    const [here, there] = [
      await collect(database.notifications, 'fds_delivery'),
      await collect(other.notifications, 'fds_delivery'),
    ];
    await database.pipelinedTransaction(async () => noteNews('fds_delivery', ['pipelined']));
    await database.transaction(async () => noteNews('fds_delivery', ['here']));
    await database.prisma.$transaction(async () => noteNews('fds_delivery', ['by prisma']));
    await other.transaction(async () => noteNews('fds_delivery', ['there']));
    const heard = ['pipelined', 'here', 'by prisma', 'there'];
    // a process hears news of its transactions once: at their commit, and not from the database again
    await until(() => [here, there].every((each) => each.heard.length === 1 + heard.length));
    for (const each of [here, there]) expect(new Set(each.heard.slice(1))).toEqual(new Set(heard));
    expect(texts).toEqual([undefined, 'here', 'by prisma', 'there']);
    for (const { stop } of [here, there]) await stop();
    await other.close();
    await listener.close();
  });

  it('are not sent for a transaction that is rolled back', async () => {
    const here = await collect(database.notifications, 'fds_delivery');
    const failing = database.transaction(async () => {
      noteNews('fds_delivery', ['lost']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.transaction(async () => noteNews('fds_delivery', ['kept']));
    expect(here.heard).toEqual([undefined, 'kept']);
    await here.stop();
  });

  it('are coalesced, and those of very many adaptors name none', async () => {
    const statements: (readonly string[])[] = [];
    const announcer = createAnnouncer({
      query: (async ({ values }: { readonly values: readonly (readonly string[])[] }) => {
        statements.push(values[1] ?? []);
      }) as never,
    });
    const names = Array.from({ length: 200 }, (_, index) => `adaptor ${index}`);
    for (const name of names.slice(0, 50)) announcer.announce(new Map([['fds_delivery', new Set([name, 'common'])]]));
    await until(() => statements.length === 1);
    for (const name of names) announcer.announce(new Map([['fds_delivery', new Set([name])]]));
    await announcer.close();
    expect(statements[0]).toHaveLength(51);
    expect(statements.at(-1)).toEqual(['']);
    announcer.announce(new Map([['fds_delivery', new Set(['late'])]]));
    expect(statements.length).toBeLessThan(4);
  });

  it('come from no trigger and no function of the database', async () => {
    const { rows } = await database.pool.query<{ readonly proname: string }>(
      `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~* 'notify'`,
    );
    expect(rows).toEqual([]);
  });
});
