import { logChanges, type SqlClient } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createSettledPosition } from './settled-position.js';

describe('the settled position of the change log', () => {
  let database: TestDatabase;
  const clients: pg.PoolClient[] = [];
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(async () => {
    for (const client of clients) client.release();
    await database?.drop();
  });

  const write = (client: SqlClient) => logChanges(client, [{ action: 'POST', resourceType: 'Dr', resource: '/drs/1' }]);
  const begin = async (): Promise<pg.PoolClient> => {
    const client = await database.pool.connect();
    clients.push(client);
    await client.query('BEGIN');
    await write(client);
    return client;
  };
  const head = async (): Promise<bigint> => {
    const { rows } = await database.pool.query<{ head: bigint }>('SELECT max(position) AS head FROM change_log');
    return rows[0]?.head ?? 0n;
  };

  it('does not pass the entries of open transactions, and follows writers that overlap', async () => {
    let nowMs = 0;
    const position = createSettledPosition(() => (nowMs += 1_000));
    const advance = async (): Promise<bigint | undefined> => {
      await position.advance(database.pool);
      return position.value;
    };
    await database.transaction(write);
    const quiet = await head();
    expect(await advance()).toBe(quiet);

    const first = await begin();
    await database.transaction(write);
    const beyond = await head();
    expect(beyond).toBeGreaterThan(quiet + 1n);
    expect(await advance()).toBe(quiet);
    expect(await advance()).toBe(quiet);

    const second = await begin();
    await first.query('COMMIT');
    // the second one has no position at or below the head that was seen
    expect(await advance()).toBe(beyond);
    await second.query('COMMIT');
    expect(await advance()).toBe(await head());
  });
});
