import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { startDatabaseAdaptor } from '../harness/adaptor-process.js';
import { allActions, type CreatedAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { type Client, signIn } from '../harness/client.js';
import { createLeftovers } from '../harness/leftovers.js';
import { type Service, startService } from '../harness/service.js';
import { type ContactDatabase, createContactServers } from './two-way/contact-database.js';
import { contactMetadata, contactModel } from './two-way/contact-metadata.js';

/** Rows of the first system, of which the second has the first ones, some of them with other values. */
const [rows, shared, differing, own] = [400, 240, 30, 20];

interface Job {
  readonly uuid: string;
  readonly status: string;
  readonly message: string | null;
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly byProperty: readonly { readonly property: string; readonly differing: number }[];
}

interface ShownAdaptor {
  readonly changeVersion: number;
  readonly discovery: readonly { readonly complete: boolean }[];
  readonly verified: readonly Readonly<Record<string, unknown>>[];
}

const clocks = { SQLITE: `strftime('%Y-%m-%d %H:%M:%f', 'now')`, POSTGRESQL: 'now()', MARIADB: 'utc_timestamp(6)' };

const insert = async (database: ContactDatabase, ids: readonly number[], a: (id: number) => string): Promise<void> =>
  database.execute(
    ...ids.map(
      (id) => `INSERT INTO contact (id, a, n, changed) VALUES (${id}, '${a(id)}', ${id}, ${clocks[database.kind]})`,
    ),
  );

const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

describe('a system that joins another one with partly matching rows', () => {
  const leftovers = createLeftovers();
  const servers = createContactServers(leftovers);
  const domain = 'contact';
  let service: Service;
  let client: Client;
  let zone: string;
  let versionUuid: string;
  let first: ContactDatabase;
  let second: ContactDatabase;
  let joining: CreatedAdaptor;

  const pathOf = ({ uuid }: CreatedAdaptor): string => `/zones/${zone}/adaptors/${uuid}`;
  const jobs = (): string => `${pathOf(joining)}/reconciliations`;
  const show = async (adaptor: CreatedAdaptor): Promise<ShownAdaptor> =>
    requireStatus(await client.rest<ShownAdaptor>('GET', pathOf(adaptor)), 200).body;
  const order = async (input: object, status = 202): Promise<Job> =>
    requireStatus(await client.rest<Job>('POST', jobs(), { domainVersionUuid: versionUuid, ...input }), status).body;
  const read = async ({ uuid }: Job): Promise<Job> =>
    requireStatus(await client.rest<Job>('GET', `${jobs()}/${uuid}`), 200).body;
  const ended = (job: Job): Promise<Job> =>
    eventually(
      async () => {
        const now = await read(job);
        expect(now.status).toBe('DONE');
        return now;
      },
      { deadlineMs: 120_000 },
    );
  const add = async (name: string, database: ContactDatabase, discoveryMode: boolean): Promise<CreatedAdaptor> => {
    const body = {
      name,
      discoveryMode,
      capabilities: allActions(domain),
      metadata: contactMetadata(database, { scanIntervalMilliseconds: 200, domain }),
    };
    const adaptor = requireStatus(await client.rest<CreatedAdaptor>('POST', `/zones/${zone}/adaptors`, body), 201).body;
    await startDatabaseAdaptor(leftovers, service, adaptor);
    return adaptor;
  };
  const linked = async (adaptor: CreatedAdaptor): Promise<number> => {
    const path = `${pathOf(adaptor)}?options=include-linkages:true`;
    return requireStatus(await client.rest<{ linkageCount: number }>('GET', path), 200).body.linkageCount;
  };

  beforeAll(async () => {
    service = await startService(leftovers);
    client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(client);
    const version = await createVersion(client, {
      name: domain,
      domainType: 'FEDERATED',
      properties: contactModel,
      drKeyProperties: ['id'],
    });
    versionUuid = version.domainVersionUuid;
    first = await servers.open(leftovers, { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' });
    second = await servers.open(leftovers, { kind: 'SQLITE', scanMethod: 'TIMESTAMP' });
    await insert(first, from(1, rows), (id) => `a of ${id}`);
    await insert(second, from(1, shared), (id) => (id <= differing ? `old a of ${id}` : `a of ${id}`));
    await insert(second, from(rows + 1, own), (id) => `only in the second, ${id}`);
    const holder = await add('first', first, false);
    await eventually(async () => expect(await linked(holder)).toBe(rows), { deadlineMs: 60_000 });
    joining = await add('second', second, true);
    await eventually(async () => expect(await linked(joining)).toBe(shared + own), { deadlineMs: 60_000 });
  }, 240_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('is compared without effect while it is in discovery mode', async () => {
    const job = await ended(await order({ values: 'OTHERS' }));
    expect(job.counts).toEqual({
      examined: rows + own,
      equal: shared - differing,
      differing,
      missingHere: rows - shared,
      missingThere: own,
      unreadable: 0,
      sent: 0,
    });
    expect(job).toMatchObject({ message: null, progress: 1, byProperty: [{ property: 'a', differing }] });
    const path = `${jobs()}/${job.uuid}/differences?filters=kind:DIFFERING,property:a&size=1`;
    const { differences, _page } = requireStatus(
      await client.rest<{
        differences: readonly { readonly drKey: { readonly id: number }; readonly properties: readonly object[] }[];
        _page: { totalElements: number };
      }>('GET', path),
      200,
    ).body;
    const [difference] = differences;
    const id = Number(difference?.drKey.id);
    expect(difference?.properties).toEqual([
      {
        property: 'a',
        adaptorUuid: joining.uuid,
        otherAdaptorUuid: expect.any(String),
        chosen: 'OTHER',
        value: `old a of ${id}`,
        otherValue: `a of ${id}`,
      },
    ]);
    expect(_page.totalElements).toBe(differing);
    const refused = await order({ preview: false }, 409);
    expect(refused).toMatchObject({ code: 'DISCOVERY_MODE' });
    expect((await show(joining)).verified).toMatchObject([
      {
        domainVersionUuid: versionUuid,
        equal: shared - differing,
        differing,
        missingHere: rows - shared,
        missingThere: own,
      },
    ]);
  }, 180_000);

  it('gets the values and the records that it lacks, though the service is killed, and gives its own', async () => {
    const { changeVersion } = await show(joining);
    requireStatus(await client.rest('PATCH', pathOf(joining), { changeVersion, discoveryMode: false }), 200);
    const job = await order({ preview: false, values: 'OTHERS', missingHere: 'SEND', missingThere: 'SEND' });
    await eventually(async () => expect((await read(job)).progress).toBeGreaterThan(0), { intervalMs: 5 });
    await service.kill();
    await service.start();
    client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    const done = await ended(job);
    expect(done.counts).toMatchObject({ examined: rows + own, sent: differing + (rows - shared) + own });
    await eventually(
      async () => {
        const [one, other] = [await first.contacts(), await second.contacts()];
        expect(one.size).toBe(rows + own);
        expect(Object.fromEntries(other)).toEqual(Object.fromEntries(one));
      },
      { deadlineMs: 120_000, intervalMs: 500 },
    );
    const equal = await eventually(
      async () => {
        const again = await ended(await order({}));
        expect(again.counts).toMatchObject({ equal: rows + own, differing: 0, missingHere: 0, missingThere: 0 });
        return again;
      },
      { deadlineMs: 120_000 },
    );
    expect(equal.counts).toMatchObject({ examined: rows + own, unreadable: 0, sent: 0 });
    expect((await show(joining)).verified).toMatchObject([{ equal: rows + own, differing: 0 }]);
  }, 400_000);
});
