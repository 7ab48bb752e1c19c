import pg from 'pg';
import { eventually } from '@fds/testing';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import { allActions, type CreatedAdaptor, createVersion, requireStatus, rootZone } from '../../harness/catalogue.js';
import { residentMib } from '../../measure/resident-memory.js';
import { spreadOf } from '../../measure/spread.js';
import { compare, interleaved, perSecond } from '../interleaved.js';
import type { Measurement, Row } from '../row.js';
import { discoveredVersion, discoveryMetadata, fillTable } from '../stage/discovered-table.js';
import { customerEvent } from '../stage/incoming-events.js';
import { openBareAdaptor } from '../stage/open-bare-adaptor.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { startSourceDatabase } from '../stage/start-source-database.js';

const rounds = 3;
const rows = 10_000;
/** One row in so many has another value in the second system. */
const differsEvery = 100;
const scan = { method: 'TIMESTAMP', intervalMs: 1_000 } as const;
const deadline = { deadlineMs: 20 * 60_000, intervalMs: 200 };
/** Rows of a cursor that are in memory at one time. */
const fetched = 1_000;

interface Job {
  readonly uuid: string;
  readonly status: string;
  readonly message: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** Runs work with a connection, and closes it. */
const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** One more database of the server with the table. */
const addDatabase = async (serverUrl: string, name: string, count: number): Promise<string> => {
  await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await fillTable(url.href, count);
  return url.href;
};

/** Reads both tables by cursors and compares the rows. @returns their number */
const compareByCursors = (urls: readonly [string, string]): Promise<number> =>
  withClient(urls[0], (one) =>
    withClient(urls[1], async (other) => {
      const columns = 'id, first_name, last_name, email, company, street, city, postal_code, born, credit';
      for (const client of [one, other]) {
        await client.query(`BEGIN; DECLARE r CURSOR FOR SELECT ${columns} FROM customer ORDER BY id`);
      }
      const next = async (client: pg.Client): Promise<readonly object[]> =>
        (await client.query<object>(`FETCH ${fetched} FROM r`)).rows;
      let [read, differing] = [0, 0];
      for (;;) {
        const [here, there] = await Promise.all([next(one), next(other)]);
        if (here.length === 0) break;
        read += here.length;
        differing += here.filter((row, index) => JSON.stringify(row) !== JSON.stringify(there[index])).length;
      }
      if (differing !== rows / differsEvery) throw new Error(`the cursors found ${differing} differences`);
      return read;
    }),
  );

const measure = async ({ service, steward, leftovers }: Stage): Promise<Measurement> => {
  const server = await startSourceDatabase(leftovers);
  const [first, second, empty, applied] = [
    await addDatabase(server, 'first', rows),
    await addDatabase(server, 'second', rows),
    await addDatabase(server, 'joining', 0),
    await addDatabase(server, 'applied', 0),
  ];
  await withClient(second, (client) =>
    client.query(`UPDATE customer SET city = 'Elsewhere' WHERE id % ${differsEvery} = 0`),
  );
  const zone = await rootZone(steward);
  const { domain, drKeyProperties, modelSchema } = discoveredVersion;
  const { properties } = modelSchema;
  const version = { name: domain, domainType: 'FEDERATED', properties, drKeyProperties } as const;
  const { domainVersionUuid } = await createVersion(steward, version);
  const pathOf = ({ uuid }: CreatedAdaptor): string => `/zones/${zone}/adaptors/${uuid}`;
  const join = async (name: string, url: string, linked: number): Promise<CreatedAdaptor> => {
    const body = {
      name,
      discoveryMode: true,
      capabilities: allActions(domain),
      metadata: discoveryMetadata(url, scan),
    };
    const adaptor = requireStatus(
      await steward.rest<CreatedAdaptor>('POST', `/zones/${zone}/adaptors`, body),
      201,
    ).body;
    await startDatabaseAdaptor(leftovers, service, adaptor);
    const path = `${pathOf(adaptor)}?options=include-linkages:true`;
    await eventually(async () => {
      interface Shown {
        readonly linkageCount: number;
        readonly discovery: readonly object[];
      }
      const shown = requireStatus(await steward.rest<Shown>('GET', path), 200).body;
      if (shown.linkageCount !== linked || shown.discovery.length === 0) {
        throw new Error(`${name} has linked ${shown.linkageCount} of ${linked} rows`);
      }
    }, deadline);
    return adaptor;
  };
  const run = async (adaptor: CreatedAdaptor, order: object): Promise<Job> => {
    const jobs = `${pathOf(adaptor)}/reconciliations`;
    const input = { domainVersionUuid, ...order };
    const { uuid } = requireStatus(await steward.rest<Job>('POST', jobs, input), 202).body;
    return eventually(async () => {
      const job = requireStatus(await steward.rest<Job>('GET', `${jobs}/${uuid}`), 200).body;
      if (job.status !== 'DONE') throw new Error(`the job is ${job.status}: ${job.message}`);
      return job;
    }, deadline);
  };
  await join('First', first, rows);
  const other = await join('Second', second, rows);
  const memories: number[] = [];
  const preview = async (): Promise<number> => {
    const { counts } = await run(other, {});
    if (counts['differing'] !== rows / differsEvery || counts['examined'] !== rows) {
      throw new Error(`the preview has counted ${JSON.stringify(counts)}`);
    }
    memories.push(residentMib(service.process().pid));
    return rows;
  };
  const nowMs = (): number => performance.now();
  const compared = compare(
    await interleaved({
      rounds,
      budgetMs: 300_000,
      subject: perSecond(preview, nowMs),
      floor: perSecond(() => compareByCursors([first, second]), nowMs),
    }),
  );

  const joining = await join('Joining', empty, 0);
  const changeVersion = requireStatus(await steward.rest<{ changeVersion: number }>('GET', pathOf(joining)), 200).body
    .changeVersion;
  requireStatus(await steward.rest('PATCH', pathOf(joining), { discoveryMode: false, changeVersion }), 200);
  const load = perSecond(async () => {
    await run(joining, { preview: false, missingHere: 'SEND' });
    await eventually(async () => {
      const found = await withClient(empty, (client) =>
        client.query<{ n: string }>('SELECT count(*) AS n FROM customer'),
      );
      if (Number(found.rows[0]?.n) !== rows) throw new Error(`${found.rows[0]?.n} of ${rows} rows are loaded`);
    }, deadline);
    return rows;
  }, nowMs);
  const apply = async (): Promise<number> => {
    const adaptor = await openBareAdaptor({
      script: 'adaptors/database/dist/main.js',
      metadata: discoveryMetadata(applied, scan),
      domainVersion: discoveredVersion,
      from: 3 * rows,
      incoming: [{ count: rows, data: customerEvent }],
    });
    try {
      return (rows * 1000) / (await adaptor.applied(0));
    } finally {
      await adaptor.close();
    }
  };
  const [loadRate, applyRate] = [await load(), await apply()];
  const text = (value: number): string => `${Math.round(value)}/s`;
  return {
    values: { preview: compared.ratio, 'initial load': spreadOf([loadRate / applyRate]) },
    notes: [
      `preview: ${text(compared.subject.median)} against ${text(compared.floor.median)}; ${rows} records of two database adaptors, of which ` +
        `1 in ${differsEvery} differs, ${compared.rounds} rounds, from the order to DONE; each count is checked`,
      `initial load: ${text(loadRate)} against ${text(applyRate)}; ${rows} records into an empty table, from the order until all rows are there, once`,
      `resident memory of the service after a preview ${Math.round(spreadOf(memories).max)} MiB at most`,
    ],
  };
};

export const reconciliationRates: Row = {
  id: 24,
  what: 'Reconciliation: records previewed a second / initial load',
  comparedWith: 'two cursors side by side that compare the rows / the adaptor alone that applies as many events',
  figures: [
    { name: 'preview', unit: 'ratio', better: 'higher', goal: 0.2, stretch: 0.5 },
    { name: 'initial load', unit: 'ratio', better: 'higher', goal: 0.9, stretch: 1 },
  ],
  run: (signal) => onStage(signal, measure),
};
