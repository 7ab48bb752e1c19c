import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '@fds/service';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openChangeLogReader } from './change-log-reader.js';
import { logChange, logChanges, type LoggedChange } from './change-log.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

const log = createLog('silent');
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

const change = (resource: string, data?: unknown) =>
  ({ action: 'PUT', resourceType: 'Zone', resource, ...(data === undefined ? {} : { data }) }) as const;

const write = (resource: string): Promise<void> =>
  database.transaction((client) => logChanges(client, [change(resource)]));

/** Polls until the condition holds; the jest timeout is the deadline. */
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await delay(5);
};

const collect = async (options: { pageSize?: number; pollMs?: number } = {}) => {
  const seen: LoggedChange[] = [];
  const reader = await openChangeLogReader({
    database,
    from: 'now',
    onChanges: (changes) => void seen.push(...changes),
    log,
    ...options,
  });
  return { seen, names: () => seen.map(({ resource }) => resource), close: () => reader.close() };
};

describe('openChangeLogReader', () => {
  it('returns changes with their content, and keeps every digit', async () => {
    const reader = await collect();
    const zoneUuid = '01920000-0000-7000-8000-000000000001';
    await database.prisma.$transaction((tx) =>
      logChange(tx, { ...change('/zones/1', { big: 9223372036854775807n, name: 'é' }), zoneUuid }),
    );
    await until(() => reader.seen.length === 1);
    expect(reader.seen[0]).toEqual({
      position: expect.any(BigInt),
      dateCreated: expect.any(Date),
      ...change('/zones/1', { big: 9223372036854775807n, name: 'é' }),
      zoneUuid,
    });
    await reader.close();
  });

  it('returns only the requested types, at once and across pages, and is not woken by other types', async () => {
    const seen: string[] = [];
    const reader = await openChangeLogReader({
      database,
      from: 'now',
      resourceTypes: ['Zone', 'Domain'],
      onChanges: (changes) => void seen.push(...changes.map(({ resource }) => resource)),
      log,
      pageSize: 2,
      // so long that only a notification can wake the reader in time
      pollMs: 3_600_000,
    });
    const of = (resourceType: string, resource: string) => ({ action: 'PUT', resourceType, resource }) as const;
    await database.transaction((client) =>
      logChanges(client, [
        of('Dr', 'dr 1'),
        of('Zone', 'zone 1'),
        of('Dr', 'dr 2'),
        of('Dr', 'dr 3'),
        of('Domain', 'domain 1'),
        of('Zone', 'zone 2'),
        of('Dr', 'dr 4'),
      ]),
    );
    await until(() => seen.length === 3);
    await database.transaction((client) => logChanges(client, [of('Dr', 'dr 5')]));
    await database.transaction((client) => logChanges(client, [of('Domain', 'domain 2')]));
    await until(() => seen.length === 4);
    expect(seen).toEqual(['zone 1', 'domain 1', 'zone 2', 'domain 2']);
    await reader.close();
  });

  it('does not skip a lower position that commits later, and keeps the order of positions', async () => {
    const reader = await collect({ pollMs: 20 });
    const early = await database.pool.connect();
    await early.query('BEGIN');
    await logChanges(early, [change('early')]);
    await write('late');
    const { rows: clock } = await early.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    // the reader has seen the higher position and waits for the writer below it; in a transaction, repeated reads of
    // pg_stat_activity would return the first result
    await until(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query_start > $1
           AND query LIKE '%virtualtransaction%' AND pid <> pg_backend_pid()`,
        [clock[0]?.now],
      );
      return rowCount !== 0;
    });
    expect(reader.names()).toEqual([]);
    await early.query('COMMIT');
    early.release();
    await until(() => reader.seen.length === 2);
    expect(reader.names()).toEqual(['early', 'late']);
    expect(reader.seen[0]?.position).toBeLessThan(reader.seen[1]?.position ?? 0n);
    await reader.close();
  });

  it('continues when the transaction with the lower position rolls back', async () => {
    const reader = await collect({ pollMs: 20 });
    const lost = await database.pool.connect();
    await lost.query('BEGIN');
    await logChanges(lost, [change('never')]);
    await write('kept');
    await lost.query('ROLLBACK');
    lost.release();
    await until(() => reader.seen.length > 0);
    expect(reader.names()).toEqual(['kept']);
    await reader.close();
  });

  it('does not wait for a transaction that does not write to the log', async () => {
    const reader = await collect();
    const other = await database.pool.connect();
    await other.query('BEGIN');
    await other.query('CREATE TABLE elsewhere ()');
    await write('free');
    await until(() => reader.seen.length === 1);
    await other.query('ROLLBACK');
    other.release();
    await reader.close();
  });

  it('returns the whole log in pages from position 0', async () => {
    await database.transaction((client) =>
      logChanges(
        client,
        Array.from({ length: 25 }, (_, index) => change(`/page/${index}`)),
      ),
    );
    const { rows } = await database.pool.query<{ position: bigint }>(
      'SELECT position FROM change_log ORDER BY position',
    );
    const pages: bigint[][] = [];
    const reader = await openChangeLogReader({
      database,
      from: 0n,
      pageSize: 10,
      onChanges: (changes) => void pages.push(changes.map(({ position }) => position)),
      log,
    });
    await until(() => pages.flat().length >= rows.length);
    expect(pages.flat()).toEqual(rows.map(({ position }) => position));
    expect(Math.max(...pages.map((page) => page.length))).toBe(10);
    await reader.close();
  });

  it('repeats a page whose handler failed, and skips no page', async () => {
    const attempts: string[] = [];
    const reader = await openChangeLogReader({
      database,
      from: 'now',
      onChanges: async (changes) => {
        attempts.push(...changes.map(({ resource }) => resource));
        if (attempts.length === 1) throw new Error('handler failed');
      },
      log,
    });
    await write('first');
    await until(() => attempts.length >= 1);
    await write('second');
    await until(() => attempts.length >= 3);
    expect(attempts).toEqual(['first', 'first', 'second']);
    await reader.close();
  });

  it('returns every change once, in order, under concurrent writers', async () => {
    const reader = await collect({ pageSize: 7 });
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 25; round += 1) await write(`${writer}/${round}`);
    });
    await Promise.all(writers);
    await until(() => reader.seen.length >= 200);
    const positions = reader.seen.map(({ position }) => position);
    expect(new Set(reader.names()).size).toBe(200);
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    await reader.close();
  });

  it('continues after its connection was lost', async () => {
    const reader = await collect();
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'fds-listen'`,
    );
    await write('after the cut');
    await until(() => reader.seen.length === 1);
    expect(reader.names()).toEqual(['after the cut']);
    await reader.close();
  });
});
