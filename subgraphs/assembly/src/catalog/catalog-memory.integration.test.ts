import { logChanges, type Database, type Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createRandom, eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plantWorld } from '../testing/faults/plant-world.js';
import { randomWorld, type World } from '../testing/faults/world.js';
import { logCatalogChange } from '../testing/log-catalog-change.js';
import type { CatalogFacts } from './catalog-facts.js';
import { createCatalogMemory, type CatalogMemory } from './catalog-memory.js';

let database: TestDatabase;
let world: World;
let memory: CatalogMemory;
/** Names of the statements since the last check. */
let statements: string[] = [];

const observed = (reads: Queryable): Queryable => ({
  query: (statement, values) => {
    statements.push(typeof statement === 'string' ? 'unnamed' : (statement.name ?? 'unnamed'));
    return reads.query(statement, values);
  },
});

const names = (): Promise<string[]> =>
  memory.decide(async (facts: CatalogFacts) => {
    const version = await facts.byName(world.domain, 1);
    if (version === undefined) return [];
    const { capable } = await facts.adaptorsFor(version, world.zoneUuids[0]);
    return capable.map(({ name, zoneName, preferredTier }) => `${name} ${zoneName} ${preferredTier}`);
  });

const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  statements = [];
  await work();
  return statements;
};

const check = 'assembly-catalog-changes';

/** Reads until only the change log is read. */
const untilRemembered = () =>
  eventually(async () => expect(await statementsOf(names)).toEqual([check]), { deadlineMs: 10_000 });

beforeAll(async () => {
  database = await openTestDatabase();
  world = randomWorld(createRandom(1));
  await plantWorld(database, world);
  memory = createCatalogMemory({ reads: observed(database.reads) });
});

afterAll(async () => {
  await memory.close();
  await database.drop();
});

describe('the catalog memory', () => {
  it('reads the facts once, and then only the change log', async () => {
    expect(await names()).toHaveLength(world.adaptors.length);
    await untilRemembered();
    expect(await names()).toHaveLength(world.adaptors.length);
  });

  it.each([
    [
      'Adaptor' as const,
      ({ prisma }: Database) => prisma.adaptor.updateMany({ data: { name: 'renamed' } }),
      (name: string) => name.startsWith('renamed'),
    ],
    [
      'Zone' as const,
      ({ pool }: Database) => pool.query("UPDATE zone SET name = 'moved ' || name"),
      (name: string) => name.includes('moved'),
    ],
    [
      'Preference' as const,
      ({ prisma }: Database) => prisma.adaptorPreference.deleteMany(),
      (name: string) => name.endsWith('BRONZE'),
    ],
  ])('shows every change of the type %s that was committed before', async (type, change, shows) => {
    await untilRemembered();
    await change(database);
    await logCatalogChange(database, type);
    expect((await names()).every(shows)).toBe(true);
    await untilRemembered();
    expect((await names()).every(shows)).toBe(true);
  });

  it('rejects with the error of the work if nothing has changed, and otherwise runs the work again', async () => {
    await untilRemembered();
    let runs = 0;
    const fail = () =>
      memory.decide(() => {
        runs += 1;
        return Promise.reject(new Error(`run ${runs}`));
      });
    await expect(fail()).rejects.toThrow('run 1');
    await logCatalogChange(database, 'OutboundAcl');
    await expect(fail()).rejects.toThrow('run 3');
  });

  it('stores nothing while an older change may still appear', async () => {
    await untilRemembered();
    const before = await names();
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await logChanges(client, [{ action: 'PUT', resourceType: 'Adaptor', resource: '/late' }]);
    await client.query(`UPDATE adaptor SET name = 'late'`);
    // the change with the higher position becomes visible first
    await logCatalogChange(database, 'OutboundAcl');
    expect(await names()).toEqual(before);
    expect(await statementsOf(names)).not.toEqual([check]);
    await client.query('COMMIT');
    client.release();
    expect((await names()).every((name) => name.startsWith('late'))).toBe(true);
    await untilRemembered();
    expect((await names()).every((name) => name.startsWith('late'))).toBe(true);
  });

  it('ignores changes of records', async () => {
    await untilRemembered();
    await logChanges(database.pool, [{ action: 'PUT', resourceType: 'Dr', resource: '/drs/1' }]);
    expect(await statementsOf(names)).toEqual([check]);
  });
});
