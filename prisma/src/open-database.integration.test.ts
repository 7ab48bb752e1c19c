import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  it('commits what resolves and rolls back what throws', async () => {
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

  it('closes twice without harm', async () => {
    const other = openDatabase({ url: database.url });
    await other.pool.query('SELECT 1');
    await other.close();
    await other.close();
  });
});

describe('isUnavailable', () => {
  it('knows a refused connection, from both clients', async () => {
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

  it('knows a connection that the server cuts', async () => {
    const cut = database.transaction((client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    expect(isUnavailable(await rejection(cut))).toBe(true);
    const cutPrisma = database.prisma.$queryRawUnsafe('SELECT pg_terminate_backend(pg_backend_pid())');
    expect(isUnavailable(await rejection(cutPrisma))).toBe(true);
    // and the next use is served by a new connection
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('leaves other errors as they are', async () => {
    const error = await rejection(database.pool.query('INSERT INTO t VALUES (7), (7)'));
    expect(error).toMatchObject({ code: '23505' });
    expect(isUnavailable(error)).toBe(false);
    expect(toUnavailable(error)).toBe(error);
    expect(isUnavailable('text')).toBe(false);
  });
});
