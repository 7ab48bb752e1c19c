import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isUnavailable, toUnavailable } from './is-unavailable.js';
import { openDatabase } from './open-database.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.pool.query('CREATE TABLE t (n int UNIQUE)');
});
afterAll(() => database.drop());

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('openDatabase', () => {
  it('commits work that resolves and rolls back work that throws', async () => {
    expect(
      await database.transaction(async (client) => (await client.query('INSERT INTO t VALUES (1)')).rowCount),
    ).toBe(1);
    const failing = database.transaction(async (client) => {
      await client.query('INSERT INTO t VALUES (2)');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect((await database.pool.query('SELECT n FROM t')).rows).toEqual([{ n: 1 }]);
  });

  it('cancels reads of models that take too long, but no transactions', async () => {
    const hits: string[] = [];
    const impatient = openDatabase({
      url: database.url,
      readTimeoutMs: 100,
      onBoundHit: (bound) => void hits.push(bound),
    });
    try {
      const late = await rejection(impatient.prisma.$queryRaw`SELECT pg_sleep(10)::text`);
      expect(late).toMatchObject({ code: 'QUERY_TIMEOUT' });
      expect(hits).toEqual(['statement_time']);
      await expect(
        impatient.prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(0.3)::text AS slept`),
      ).resolves.toHaveLength(1);
      expect(await impatient.prisma.zone.count()).toBe(0);
    } finally {
      await impatient.close();
    }
  });

  describe('a pipelined transaction', () => {
    const insert = (n: number) => ({ text: 'INSERT INTO t VALUES ($1)', values: [n] });
    const stored = async (): Promise<number[]> => {
      const { rows } = await database.pool.query<{ n: number }>('SELECT n FROM t WHERE n >= 100 ORDER BY n');
      return rows.map(({ n }) => n);
    };
    beforeEach(() => database.pool.query('DELETE FROM t WHERE n >= 100'));

    it('commits all statements in the order in which they were sent', async () => {
      const read = await database.pipelinedTransaction(async (session) => {
        const [, , { rows }] = await Promise.all([
          session.query(insert(100)),
          session.query(insert(101)),
          session.query<{ n: number }>({ text: 'SELECT n FROM t WHERE n >= 100 ORDER BY n' }),
        ]);
        return rows.map(({ n }) => n);
      });
      expect(read).toEqual([100, 101]);
      expect(await stored()).toEqual([100, 101]);
    });

    it('reports the first failure and keeps no change', async () => {
      const failing = database.pipelinedTransaction((session) =>
        Promise.all([session.query(insert(100)), session.query(insert(100)), session.query(insert(101))]),
      );
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      expect(await stored()).toEqual([]);
    });

    it('keeps no change when a statement fails that is not awaited', async () => {
      const failing = database.pipelinedTransaction(async (session) => {
        void session.query(insert(100));
        void session.query(insert(100));
      });
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      expect(await stored()).toEqual([]);
    });

    it('keeps no change when the work throws, and the connection serves the next transaction', async () => {
      for (let n = 100; n < 104; n += 1) {
        const failing = database.pipelinedTransaction(async (session) => {
          void session.query(insert(n));
          throw new Error('changed my mind');
        });
        await expect(failing).rejects.toThrow('changed my mind');
      }
      expect(await stored()).toEqual([]);
      await database.pipelinedTransaction((session) => session.query(insert(104)));
      expect(await stored()).toEqual([104]);
    });

    it('keeps no change when the server closes the connection before the commit', async () => {
      const cut = database.pipelinedTransaction((session) =>
        Promise.all([
          session.query(insert(100)),
          session.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }),
          session.query(insert(101)),
        ]),
      );
      expect(isUnavailable(await rejection(cut))).toBe(true);
      expect(await stored()).toEqual([]);
      await database.pipelinedTransaction((session) => session.query(insert(102)));
      expect(await stored()).toEqual([102]);
    });
  });

  it('can be closed twice', async () => {
    const other = openDatabase({ url: database.url });
    await other.pool.query('SELECT 1');
    await other.close();
    await other.close();
  });
});

describe('isUnavailable', () => {
  it('recognises a refused connection, from both clients', async () => {
    const absent = openDatabase({ url: 'postgresql://postgres@127.0.0.1:1/none' });
    const errors = [
      await rejection(absent.pool.query('SELECT 1')),
      await rejection(absent.prisma.zone.findMany()),
      await rejection(absent.transaction((client) => client.query('SELECT 1'))),
    ];
    expect(errors.map(isUnavailable)).toEqual([true, true, true]);
    expect(toUnavailable(errors[0])).toMatchObject({ code: 'UNAVAILABLE', cause: errors[0] });
    await absent.close();
  });

  it('recognises a connection that the server closes', async () => {
    const cut = database.transaction((client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    expect(isUnavailable(await rejection(cut))).toBe(true);
    const cutPrisma = database.prisma.$queryRawUnsafe('SELECT pg_terminate_backend(pg_backend_pid())');
    expect(isUnavailable(await rejection(cutPrisma))).toBe(true);
    // a new connection serves the next use
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('leaves other errors unchanged', async () => {
    const error = await rejection(database.pool.query('INSERT INTO t VALUES (7), (7)'));
    expect(error).toMatchObject({ code: '23505' });
    expect(isUnavailable(error)).toBe(false);
    expect(toUnavailable(error)).toBe(error);
    expect(isUnavailable('text')).toBe(false);
  });

  it('is returned for a transaction that takes too long, or a statement in it', async () => {
    const { prisma } = database;
    const late = prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(0.3)::text`, { timeout: 50 });
    const cancelled = prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 20`;
      await tx.$queryRaw`SELECT pg_sleep(1)::text`;
    });
    for (const error of await Promise.all([late, cancelled].map(rejection))) {
      expect(toUnavailable(error)).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('took too long'),
        cause: error,
      });
    }
  });
});
