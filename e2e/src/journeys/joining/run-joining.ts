import { eventually } from '@fds/testing';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import { allActions, type CreatedAdaptor, createVersion, requireStatus, rootZone } from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { startService } from '../../harness/service.js';
import { residentMib } from '../../measure/resident-memory.js';
import type { Contact, ContactDatabase, ContactServers } from '../two-way/contact-database.js';
import { contactMetadata, contactModel } from '../two-way/contact-metadata.js';

interface Job {
  readonly uuid: string;
  readonly status: string;
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** The result of a system that joins. */
interface Joined {
  /** Differences from the expected result; none is right. */
  readonly faults: readonly string[];
  readonly preview: Readonly<Record<string, number>>;
  readonly load: Readonly<Record<string, number>>;
  /** The last entry of `verified`. */
  readonly verified: Readonly<Record<string, unknown>>;
  /** Resident memory at the end, in MiB. */
  readonly residentMib: Readonly<Record<'service' | 'joining', number>>;
  /** From the creation of the joining adaptor. */
  readonly seconds: Readonly<Record<'discovered' | 'previewed' | 'loaded' | 'verified', number>>;
}

const rowsAtOnce = 1_000;

const insertRows = async (database: ContactDatabase, from: number, to: number, a: (id: number) => string) => {
  const clock = database.kind === 'MARIADB' ? 'utc_timestamp(6)' : 'clock_timestamp()';
  for (let first = from; first <= to; first += rowsAtOnce) {
    const ids = Array.from({ length: Math.min(rowsAtOnce, to - first + 1) }, (_, index) => first + index);
    const rows = ids.map((id) => `(${id}, '${a(id)}', ${id}, ${clock})`);
    await database.execute(`INSERT INTO contact (id, a, n, changed) VALUES ${rows.join(', ')}`);
  }
};

/** Members of an answer that are not as expected. */
const differing = (
  name: string,
  given: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, number>>,
) =>
  Object.entries(expected).flatMap(([member, value]) =>
    given[member] === value ? [] : [`${name}.${member} is ${String(given[member])}, not ${value}`],
  );

const countUnequal = (one: ReadonlyMap<number, Contact>, other: ReadonlyMap<number, Contact>): number =>
  [...new Set([...one.keys(), ...other.keys()])].filter(
    (id) => JSON.stringify(one.get(id)) !== JSON.stringify(other.get(id)),
  ).length;

/**
 * A MariaDB with as many rows joins a PostgreSQL. 60 % of the rows are in both, a tenth of these with another value. The service,
 * the joining adaptor and the service again are killed while the rows are loaded.
 */
export const runJoining = async (
  leftovers: Leftovers,
  servers: ContactServers,
  { rows, deadlineMs }: { readonly rows: number; readonly deadlineMs: number },
): Promise<Joined> => {
  const patience = { deadlineMs, intervalMs: 200 };
  const service = await startService(leftovers);
  const signInAgain = (): Promise<Client> => signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  let client = await signInAgain();
  const zone = await rootZone(client);
  const { domainVersionUuid } = await createVersion(client, {
    name: 'contact',
    domainType: 'FEDERATED',
    properties: contactModel,
    drKeyProperties: ['id'],
  });
  const [first, second] = [
    await servers.open(leftovers, { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' }),
    await servers.open(leftovers, { kind: 'MARIADB', scanMethod: 'TIMESTAMP' }),
  ];
  const shared = Math.floor(rows * 0.6);
  const valueOf = (id: number): string => `value ${id}`;
  await insertRows(first, 1, rows, valueOf);
  await insertRows(second, 1, shared, (id) => (id % 10 === 0 ? `old ${id}` : valueOf(id)));
  await insertRows(second, rows + 1, 2 * rows - shared, valueOf);

  const add = async (name: string, database: ContactDatabase, discoveryMode: boolean) => {
    const body = {
      name,
      discoveryMode,
      deletionLimit: null,
      capabilities: allActions('contact'),
      metadata: contactMetadata(database, { scanIntervalMilliseconds: 500 }),
    };
    const adaptor = requireStatus(await client.rest<CreatedAdaptor>('POST', `/zones/${zone}/adaptors`, body), 201).body;
    const path = `/zones/${zone}/adaptors/${adaptor.uuid}`;
    return { path, process: await startDatabaseAdaptor(leftovers, service, adaptor) };
  };
  const show = async <Body>(path: string): Promise<Body> =>
    requireStatus(await client.rest<Body>('GET', path), 200).body;

  const holder = await add('first', first, false);
  await eventually(async () => {
    const { linkageCount } = await show<{ linkageCount: number }>(`${holder.path}?options=include-linkages:true`);
    if (linkageCount < rows) throw new Error(`the first adaptor has reported ${linkageCount} of ${rows} rows`);
  }, patience);

  const startedAt = performance.now();
  const elapsed = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  const joining = await add('second', second, true);
  await eventually(async () => {
    const { discovery } = await show<{ discovery: readonly { complete: boolean }[] }>(joining.path);
    if (discovery[0]?.complete !== true) throw new Error('the discovery is not complete');
  }, patience);
  const discovered = elapsed();

  const jobs = `${joining.path}/reconciliations`;
  const order = async (input: object): Promise<Job> =>
    requireStatus(await client.rest<Job>('POST', jobs, { domainVersionUuid, ...input }), 202).body;
  const read = ({ uuid }: Job): Promise<Job> => show<Job>(`${jobs}/${uuid}`);
  const done = (job: Job): Promise<Job> =>
    eventually(async () => {
      const now = await read(job);
      if (now.status !== 'DONE') throw new Error(`the reconciliation is ${now.status} at ${now.progress}`);
      return now;
    }, patience);
  const preview = await done(await order({ values: 'OTHERS' }));
  const previewed = elapsed();

  const [outdated, own] = [Math.floor(shared / 10), rows - shared];
  const examined = rows + own;
  const { changeVersion } = await show<{ changeVersion: number }>(joining.path);
  requireStatus(await client.rest('PATCH', joining.path, { changeVersion, discoveryMode: false }), 200);
  const job = await order({ preview: false, values: 'OTHERS', missingHere: 'SEND', missingThere: 'SEND' });
  const untilProgress = (part: number): Promise<void> =>
    eventually(
      async () => {
        const { status, progress } = await read(job);
        if (status === 'RUNNING' && progress < part) throw new Error(`the load is at ${progress}`);
      },
      { deadlineMs, intervalMs: 10 },
    );
  const killService = async (): Promise<void> => {
    await service.kill();
    await service.start();
    client = await signInAgain();
  };
  await untilProgress(0.1);
  await killService();
  await untilProgress(0.4);
  await joining.process.kill();
  joining.process.start();
  await untilProgress(0.7);
  await killService();
  const load = await done(job);
  const unequalNow = async (): Promise<number> => countUnequal(await first.contacts(), await second.contacts());
  await eventually(
    async () => {
      const unequal = await unequalNow();
      if (unequal > 0) throw new Error(`${unequal} rows are not equal`);
    },
    { deadlineMs, intervalMs: 1_000 },
  );
  const loaded = elapsed();

  // the links of the last rows may still be on their way
  const verified = await eventually(async () => {
    await done(await order({}));
    const [last = {}] = (await show<{ verified: Joined['verified'][] }>(joining.path)).verified;
    if (last['equal'] !== 2 * rows - shared) throw new Error(`verified: ${JSON.stringify(last)}`);
    return last;
  }, patience);
  const counts = { examined, equal: shared - outdated, differing: outdated, missingHere: own, missingThere: own };
  return {
    faults: [
      ...differing('preview', preview.counts, { ...counts, unreadable: 0, sent: 0 }),
      ...differing('load', load.counts, { ...counts, unreadable: 0, sent: outdated + 2 * own }),
      ...differing('verified', verified, { equal: examined, differing: 0, missingHere: 0, missingThere: 0 }),
    ],
    preview: preview.counts,
    load: load.counts,
    verified,
    residentMib: { service: residentMib(service.process().pid), joining: residentMib(joining.process.process().pid) },
    seconds: { discovered, previewed, loaded, verified: elapsed() },
  };
};
