import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import type { Database } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

/** The statements of one transaction, by name. */
interface WatchedTransaction {
  readonly sent: string[];
  /** Statements without an answer when the transaction's work ended: the commit follows them at once. */
  unanswered: string[];
  /** Statements that were sent after the work ended. */
  readonly late: string[];
}

/** Notes the statements of pipelined transactions. */
const watch = (database: Database, transactions: WatchedTransaction[]): Database => ({
  ...database,
  pipelinedTransaction: (work) =>
    database.pipelinedTransaction(async (session) => {
      const watched: WatchedTransaction = { sent: [], unanswered: [], late: [] };
      const pending = new Set<string>();
      let isOver = false;
      const result = await work({
        query: async (statement) => {
          const name = statement.name ?? statement.text;
          watched.sent.push(name);
          if (isOver) watched.late.push(name);
          pending.add(name);
          try {
            return await session.query(statement);
          } finally {
            pending.delete(name);
          }
        },
      });
      isOver = true;
      watched.unanswered = [...pending];
      transactions.push(watched);
      return result;
    }),
});

const domain = 'Committed';
const transactions: WatchedTransaction[] = [];
let database: TestDatabase;
let server: StartedRecords;
let a: BusAdaptor;
let b: BusAdaptor;

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  server = await startRecords(watch(database, transactions));
  const connect = async (name: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  [a, b] = [await connect('A'), await connect('B')];
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

describe('the commit of a batch', () => {
  it('follows the writes without waiting for their answers', async () => {
    a.send({ action: 'POST', json: { id: 1, name: 'v1' } });
    await eventually(() => expect(b.applied).toHaveLength(1));
    const { sent, unanswered } = transactions.at(-1) ?? { sent: [] as string[], unanswered: [] };
    const writes = sent.slice(sent.indexOf('records-insert-records'));
    expect(writes).toEqual(
      expect.arrayContaining(['records-save-events', 'records-save-deliveries', 'database-log-changes']),
    );
    expect(unanswered).toEqual(writes);
  });

  it('comes after every statement, for new, changed, parked and deleted records', async () => {
    a.send({ action: 'PUT', json: { id: 1, name: 'v2' } });
    a.send({ action: 'POST', json: { id: 2, name: 7 } });
    a.send({ action: 'PUT', json: { id: 2, name: 'waits' } });
    a.send({ action: 'DELETE', drKey: { id: 1 } });
    await eventually(() => expect(a.acknowledged).toBe(5));
    const sent = new Set(transactions.flatMap((each) => each.sent));
    for (const name of ['save-links', 'delete-records', 'save-removed-links', 'save-issues']) {
      expect(sent).toContain(`records-${name}`);
    }
    // the log of issues, which has no name
    expect([...sent]).toContainEqual(expect.stringContaining("'DataIssue'"));
    expect(transactions.flatMap(({ late }) => late)).toEqual([]);
  });
});
