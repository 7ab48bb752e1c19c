import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultSearchBounds, openDatabase, type Database } from './open-database.js';
import type { Queryable } from './queryable.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let server: TestDatabase;
let database: Database;
const hits: string[] = [];
beforeAll(async () => {
  server = await openTestDatabase();
  database = openDatabase({
    url: server.url,
    maxConnections: 2,
    searchBounds: {
      maxRunning: 3,
      maxRunningPerCaller: 2,
      maxWaitingPerCaller: 10,
      timeoutMs: 1_000,
      maxAnswerBytes: 2_000_000,
    },
    readTimeoutMs: 1_000,
    onBoundHit: (bound) => hits.push(bound),
  });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const sleep = (seconds: number) => ({ text: 'SELECT pg_sleep($1)', values: [seconds] });

/** Number of statements that are running on the server. */
const running = async (): Promise<number> => {
  const { rows } = await server.pool.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'",
  );
  return rows[0]?.n ?? 0;
};

const eventuallyRunning = async (count: number): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while ((await running()) !== count) {
    if (Date.now() > deadline) throw new Error(`${await running()} statements run, expected ${count}`);
  }
};

describe('statements of searches', () => {
  it('fail with QUERY_TIMEOUT when they run too long, and so do reads', async () => {
    const session = database.searches.sessionOf({ key: 'a' });
    await expect(session.query(sleep(60))).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    await expect(database.reads.query(sleep(60))).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    expect(hits).toEqual(['statement_time', 'statement_time']);
  });

  it('are cancelled when the answers of one operation are too large', async () => {
    const large = (megabytes: number) => ({
      text: "SELECT repeat('x', 100000) AS text FROM generate_series(1, $1)",
      values: [Math.round(megabytes * 10)],
    });
    const tooLarge = { code: 'QUERY_TOO_COMPLEX', details: { maxBytes: 2_000_000 } };
    const before = hits.length;
    const session = database.searches.sessionOf({ key: 'a' });
    // 10 GB would neither fit nor arrive in time
    await expect(session.query(large(10_000))).rejects.toMatchObject(tooLarge);
    const together = database.searches.sessionOf({ key: 'a', operation: {} });
    await together.query(large(1));
    await expect(together.query(large(1.5))).rejects.toMatchObject(tooLarge);
    await session.query(large(1));
    await session.query(large(1));
    expect(hits.slice(before)).toEqual(['answer_bytes', 'answer_bytes']);
  });

  it('do not delay writes, reads, pings or other callers when one caller has twelve of them', async () => {
    const session = database.searches.sessionOf({ key: 'a' });
    const twelve = Array.from({ length: 12 }, () => session.query(sleep(0.9)).catch((error: unknown) => error));
    await eventuallyRunning(2);
    const other = database.searches.sessionOf({ key: 'b' });
    await other.query('SELECT 1');
    await database.reads.query('SELECT $1::int', [1]);
    await database.pool.query('SELECT 1');
    await database.ping();
    expect(await running()).toBe(2);
    const answers = await Promise.all(twelve);
    // statements that waited longer than the time-out are refused
    expect(answers).toContainEqual(expect.objectContaining({ code: 'RATE_LIMITED' }));
    expect(hits).toContain('search_queue');
  });

  it('are cancelled on the server when their caller disconnects', async () => {
    const gone = new AbortController();
    const session = database.searches.sessionOf({ key: 'a', signal: gone.signal });
    const statements = Array.from({ length: 3 }, () => session.query(sleep(0.9)));
    const outcomes = Promise.allSettled(statements);
    await eventuallyRunning(2);
    gone.abort(new Error('the caller has gone'));
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'the caller has gone' } });
    }
    // a cancelled statement ends on the server a moment later
    await eventuallyRunning(0);
    const next = database.searches.sessionOf({ key: 'a' });
    await Promise.all(Array.from({ length: 6 }, () => next.query('SELECT 1')));
    await expect(session.query('SELECT 1')).rejects.toThrow('the caller has gone');
  });

  describe('with a name', () => {
    let single: Database;
    let session: Queryable;
    beforeAll(() => {
      const searchBounds = { ...defaultSearchBounds, maxRunning: 1, maxRunningPerCaller: 1, timeoutMs: 30_000 };
      single = openDatabase({ url: server.url, searchBounds });
      session = single.searches.sessionOf({ key: 'named' });
    });
    afterAll(() => single.close());

    /**
     * Number of statements that the only connection keeps, the bytes of their texts, and whether it contains the named
     * one.
     */
    const prepared = async (name: string) => {
      const { rows } = await session.query<{ count: number; bytes: number; holds: boolean }>(
        `SELECT count(*)::int AS count, coalesce(sum(octet_length(statement)), 0)::int AS bytes,
                coalesce(bool_or(name = $1), false) AS holds
         FROM pg_prepared_statements`,
        [name],
      );
      return rows[0];
    };

    it('are deallocated by their connection when it keeps 128 newer statements, and can be used again', async () => {
      const run = (n: number) =>
        session.query({ name: `named "${n}"`, text: `SELECT ${n} AS n, $1::int`, values: [1] });
      for (let n = 0; n < 128; n += 1) await run(n);
      expect(await prepared('named "0"')).toMatchObject({ count: 128, holds: true });
      // this uses the first statement again, so that the second one is the least recently used
      await run(0);
      await run(128);
      expect(await prepared('named "0"')).toMatchObject({ count: 128, holds: true });
      expect(await prepared('named "1"')).toMatchObject({ holds: false });
      expect((await run(1)).rows).toEqual([{ n: 1, int4: 1 }]);
      expect(await prepared('named "1"')).toMatchObject({ count: 128, holds: true });
    });

    it('have at most one mebibyte of text per connection', async () => {
      const run = (name: string, bytes: number) =>
        session.query({ name, text: `SELECT $1::int AS n ${' '.repeat(bytes)}`, values: [7] });
      for (let n = 0; n < 15; n += 1) await run(`long ${n}`, 100_000);
      const state = await prepared('long 14');
      expect(state).toMatchObject({ holds: true });
      expect(state?.bytes).toBeLessThanOrEqual(2 ** 20);
      expect((await run('too long', 2 ** 20)).rows).toEqual([{ n: 7 }]);
      expect(await prepared('too long')).toMatchObject({ holds: false });
    });

    it('do not disturb others when they cannot be prepared', async () => {
      const wrong = session.query({ name: 'wrong', text: 'SELECT no_such_column' });
      await expect(wrong).rejects.toMatchObject({ code: '42703' });
      for (let n = 0; n < 128; n += 1) await session.query({ name: `after ${n}`, text: `SELECT ${n}` });
      expect(await prepared('after 0')).toMatchObject({ count: 128, holds: true });
    });
  });
});
