import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import { eventually, mariadbMissing } from '@fds/testing';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import {
  allActions,
  createAdaptor,
  type CreatedAdaptor,
  createVersion,
  requireStatus,
  rootZone,
} from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { type Service, startService } from '../../harness/service.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import {
  type ContactDatabase,
  contactTableSql,
  createContactServers,
  type DatabaseChoice,
} from '../two-way/contact-database.js';
import { contactMetadata, contactModel } from '../two-way/contact-metadata.js';

/** Rows before the deletion, and those that the default limit lets through. */
const [rows, allowed] = [302, 100];
const parked = rows - allowed;

/** Ways to lose every row of a table, and the decision about it. */
interface Loss {
  readonly how: string;
  readonly choice: DatabaseChoice;
  readonly statements: readonly string[];
  readonly retry: boolean;
}

const losses: readonly Loss[] = [
  {
    how: 'TRUNCATE',
    choice: { kind: 'POSTGRESQL', scanMethod: 'LOG' },
    statements: ['TRUNCATE contact'],
    retry: true,
  },
  {
    how: 'DELETE without WHERE',
    choice:
      mariadbMissing === undefined
        ? { kind: 'MARIADB', scanMethod: 'LOG' }
        : { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' },
    statements: ['DELETE FROM contact'],
    retry: false,
  },
  {
    how: 'a table that is dropped and created again',
    choice: { kind: 'SQLITE', scanMethod: 'TIMESTAMP' },
    statements: ['DROP TABLE contact', contactTableSql('SQLITE')],
    retry: true,
  },
];

interface Issue {
  readonly uuid: string;
  readonly status: string;
  readonly waitingCount: number;
  readonly changeVersion: number;
}

describe('a system that loses every row', () => {
  const leftovers = createLeftovers();
  const servers = createContactServers(leftovers);
  let service: Service;
  let client: Client;
  let zone: string;
  let names = 0;

  beforeAll(async () => {
    service = await startService(leftovers);
    client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(client);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const pathOf = ({ uuid }: CreatedAdaptor): string => `/zones/${zone}/adaptors/${uuid}`;
  const configure = async (adaptor: CreatedAdaptor, metadata: unknown): Promise<void> => {
    const { changeVersion } = requireStatus(
      await client.rest<{ changeVersion: number }>('GET', pathOf(adaptor)),
      200,
    ).body;
    requireStatus(await client.rest('PATCH', pathOf(adaptor), { changeVersion, metadata }), 200);
  };
  const stateOf = async (adaptor: CreatedAdaptor) =>
    requireStatus(await client.rest<{ state: string; stateMessage: string | null }>('GET', pathOf(adaptor)), 200).body;
  const massDeletions = async (adaptor: CreatedAdaptor): Promise<readonly Issue[]> =>
    requireStatus(
      await client.rest<{ issues: readonly Issue[] }>('GET', `${pathOf(adaptor)}/issues?filters=cause:MASS_DELETION`),
      200,
    ).body.issues;

  /** A database whose rows another system holds, too. */
  const share = async (database: ContactDatabase) => {
    names += 1;
    const domain = `contact${names}`;
    await createVersion(client, {
      name: domain,
      domainType: 'FEDERATED',
      properties: contactModel,
      drKeyProperties: ['id'],
    });
    const held = new Map<string, JsonObject>();
    const holding = await createAdaptor(client, zone, { name: `holder ${names}`, capabilities: allActions(domain) });
    const holder = await startSourceAdaptor(leftovers, service, holding, {
      apply: ({ action, drKey, json }) => {
        if (action === 'DELETE') held.delete(drKey);
        else held.set(drKey, { ...held.get(drKey), ...json });
      },
      assemble: async ({ records }) => ({
        records: (records ?? []).flatMap(({ drUuid, drKey }) => {
          const data = held.get(JSON.stringify(Object.values(drKey)));
          return data === undefined ? [] : [{ drUuid, drKey, data }];
        }),
      }),
    });
    for (let from = 1; from <= rows; from += 100)
      await database.execute(
        ...Array.from({ length: Math.min(100, rows - from + 1) }, (_, index) => {
          const id = from + index;
          const clock = {
            SQLITE: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
            POSTGRESQL: 'now()',
            MARIADB: 'utc_timestamp(6)',
          };
          return `INSERT INTO contact (id, a, n, changed) VALUES (${id}, 'a of ${id}', ${id}, ${clock[database.kind]})`;
        }),
      );
    const options = { scanIntervalMilliseconds: 200, domain };
    const adaptor = await createAdaptor(client, zone, {
      name: `database ${names}`,
      capabilities: allActions(domain),
      metadata: contactMetadata(database, options),
    });
    await startDatabaseAdaptor(leftovers, service, adaptor);
    await eventually(() => expect(held.size).toBe(rows), { deadlineMs: 60_000 });
    return { domain, held, holder, adaptor, options };
  };

  /** Waits until the limit has let through what it lets through. @returns the issue with the others */
  const untilParked = async (adaptor: CreatedAdaptor, held: ReadonlyMap<string, unknown>): Promise<Issue> => {
    const issue = await eventually(
      async () => {
        const [found, ...more] = await massDeletions(adaptor);
        expect([found?.status, found?.waitingCount, more]).toEqual(['OPEN', parked, []]);
        return found as Issue;
      },
      { deadlineMs: 60_000 },
    );
    await eventually(() => expect(held.size).toBe(rows - allowed));
    const { body } = await client.rest<{ _page: { totalElements: number } }>(
      'GET',
      `${pathOf(adaptor)}/issues/${issue.uuid}/waiting?size=1`,
    );
    expect(body._page.totalElements).toBe(parked);
    return issue;
  };
  const settle = async (adaptor: CreatedAdaptor, { uuid, changeVersion }: Issue, retry: boolean): Promise<void> => {
    const body = { status: 'CLOSED', changeVersion, ...(retry ? { retry } : {}) };
    requireStatus(await client.rest('PATCH', `${pathOf(adaptor)}/issues/${uuid}`, body), 200);
  };
  const untilClosed = (adaptor: CreatedAdaptor): Promise<void> =>
    eventually(async () => expect((await massDeletions(adaptor)).map(({ status }) => status)).toEqual(['CLOSED']), {
      deadlineMs: 60_000,
    });

  /** Changes of other records pass in both directions while deletions are parked. */
  const expectOpen = async (
    database: ContactDatabase,
    { domain, held, holder }: Pick<Awaited<ReturnType<typeof share>>, 'domain' | 'held' | 'holder'>,
  ): Promise<void> => {
    await database.insert(9_001, { a: 'new in the database', n: '1' });
    await holder.publish({ action: 'POST', domain, version: 1, json: { id: 9_002, a: 'new in the other system' } });
    await eventually(async () => {
      expect(held.get('[9001]')).toMatchObject({ a: 'new in the database' });
      expect((await database.contacts()).get(9_002)).toMatchObject({ a: 'new in the other system' });
    });
  };
  const decide = async (
    database: ContactDatabase,
    { held, adaptor }: Pick<Awaited<ReturnType<typeof share>>, 'held' | 'adaptor'>,
    issue: Issue,
    retry: boolean,
  ): Promise<void> => {
    await settle(adaptor, issue, retry);
    await untilClosed(adaptor);
    // with a retry the rows are gone in both systems; without, they are in both again
    await eventually(
      async () => {
        const there = await database.contacts();
        expect([held.size, there.size]).toEqual(retry ? [1, 2] : [parked + 1, parked + 2]);
        for (const [key, { a }] of held) expect(there.get(Number(key.slice(1, -1)))).toMatchObject({ a });
      },
      { deadlineMs: 60_000 },
    );
  };

  it('because its address is wrong: nothing is deleted before ACCEPT, and then no more than the limit', async () => {
    const choice = { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' } as const;
    const database = await servers.open(leftovers, choice);
    const empty = await servers.open(leftovers, choice);
    const shared = await share(database);
    const { adaptor, held, options } = shared;
    await configure(adaptor, contactMetadata(empty, options));
    await eventually(async () => {
      const { state, stateMessage } = await stateOf(adaptor);
      expect([state, stateMessage]).toEqual(['ERROR', expect.stringMatching(/contact.*(before|former|another)/)]);
    });
    // a change of the other system waits
    await shared.holder.publish({ action: 'PUT', domain: options.domain, version: 1, json: { id: 1, a: 'changed' } });
    await eventually(async () => {
      const { body } = await client.rest<{ messageCount: number }>('GET', `${pathOf(adaptor)}/queue`);
      expect(body.messageCount).toBe(1);
    });
    expect([held.size, await massDeletions(adaptor), (await stateOf(adaptor)).state]).toEqual([rows, [], 'ERROR']);
    expect((await empty.contacts()).size).toBe(0);
    // the former address is right again: nothing was lost
    await configure(adaptor, contactMetadata(database, options));
    await eventually(async () => {
      expect((await stateOf(adaptor)).state).toBe('STARTED');
      expect((await database.contacts()).get(1)).toMatchObject({ a: 'changed' });
    });
    expect(held.size).toBe(rows);

    await configure(adaptor, contactMetadata(empty, { ...options, sourceChanged: 'ACCEPT' }));
    const issue = await untilParked(adaptor, held);
    await expectOpen(empty, shared);
    await decide(empty, shared, issue, false);
  }, 240_000);

  it.each(losses)(
    'by $how',
    async ({ choice, statements, retry }) => {
      const database = await servers.open(leftovers, choice);
      const shared = await share(database);
      await database.execute(...statements);
      const issue = await untilParked(shared.adaptor, shared.held);
      await expectOpen(database, shared);
      await decide(database, shared, issue, retry);
      expect((await stateOf(shared.adaptor)).state).toBe('STARTED');
    },
    240_000,
  );
});
