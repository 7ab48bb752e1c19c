import pg from 'pg';
import { spreadOf } from '../../measure/spread.js';
import { createLeftovers, type Leftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';
import { compare, interleaved } from '../interleaved.js';
import type { Measurement, Row } from '../row.js';
import { discoveredVersion, discoveryMetadata, fillTable } from '../stage/discovered-table.js';
import { customerChange, customerEvent } from '../stage/incoming-events.js';
import { openBareAdaptor } from '../stage/open-bare-adaptor.js';
import { startSourceDatabase } from '../stage/start-source-database.js';

const rounds = 5;
const rows = 10_000;
/** The default of the adaptor. */
const intervalMs = 1_000;

/** Rows per second. */
interface Rates {
  readonly created: number;
  readonly changed: number;
}

const ratesOf = (createdMs: number, changedMs: number): Rates => ({
  created: (rows * 1000) / createdMs,
  changed: (rows * 1000) / changedMs,
});

const measure = async (leftovers: Leftovers, signal: AbortSignal): Promise<Measurement> => {
  const databaseUrl = await startSourceDatabase(leftovers);
  await fillTable(databaseUrl, 0);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  leftovers.add(() => client.end());
  const memories: number[] = [];
  const transactions: number[] = [];

  const expectRows = async (): Promise<void> => {
    const { rows: counted } = await client.query<{ n: string; t: string }>(
      `SELECT count(*) AS n, count(DISTINCT xmin::text) AS t FROM customer
       WHERE first_name = 'First ' || id AND last_name = 'Changed ' || id AND credit = 2.5 AND company = 'Company'`,
    );
    if (Number(counted[0]?.n) !== rows) throw new Error(`${counted[0]?.n} of ${rows} rows are as the events say`);
    transactions.push(rows / Number(counted[0]?.t));
  };
  const empty = (): Promise<unknown> => client.query('TRUNCATE customer');

  const apply = async (): Promise<Rates> => {
    signal.throwIfAborted();
    await empty();
    const adaptor = await openBareAdaptor({
      script: 'adaptors/database/dist/main.js',
      metadata: discoveryMetadata(databaseUrl, { method: 'TIMESTAMP', intervalMs }),
      domainVersion: discoveredVersion,
      from: 3 * rows,
      incoming: [
        { count: rows, data: customerEvent },
        { count: rows, data: customerChange },
      ],
    });
    try {
      const rates = ratesOf(await adaptor.applied(0), await adaptor.applied(1));
      await expectRows();
      memories.push(adaptor.residentMib());
      return rates;
    } finally {
      await adaptor.close();
    }
  };
  const write = async (): Promise<Rates> => {
    await empty();
    const writer = spawnScript({
      script: 'e2e/dist/bench/servers/bare-writer.js',
      environment: { DATABASE_URL: databaseUrl, ROWS: String(rows) },
    });
    await writer.ended();
    const { newMs, changeMs } = JSON.parse(writer.output()) as { readonly newMs: number; readonly changeMs: number };
    return ratesOf(newMs, changeMs);
  };

  const measured = await interleaved({ rounds, budgetMs: 240_000, subject: apply, floor: write });
  const of = (which: keyof Rates) =>
    compare(measured.map(({ subject, floor }) => ({ subject: subject[which], floor: floor[which] })));
  const [created, changed] = [of('created'), of('changed')];
  const perSecond = (value: number): string => `${Math.round(value)}/s`;
  return {
    values: { 'new rows': created.ratio, changes: changed.ratio },
    notes: [
      `new rows: ${perSecond(created.subject.median)} against ${perSecond(created.floor.median)}, so 100 000 take ` +
        `${Math.round(100_000 / created.subject.median)} s; changes of three of ten columns: ${perSecond(changed.subject.median)} against ` +
        `${perSecond(changed.floor.median)}; ${rows} rows of each, ${created.rounds} rounds, from the first event to the last acknowledgement, ` +
        `which follows the commits and the journal; every row is compared`,
      `${Math.round(spreadOf(transactions).median)} changes in a transaction; resident memory ${Math.round(spreadOf(memories).median)} MiB ` +
        `(at most ${Math.round(spreadOf(memories).max)}); TIMESTAMP with scans every ${intervalMs} ms, concurrency 1, synchronous_commit and fsync on`,
    ],
  };
};

export const appliedEvents: Row = {
  id: 23,
  what: 'Database adaptor: incoming events applied, new rows / changes',
  comparedWith: 'the same rows by batched statements in transactions of 100',
  figures: [
    { name: 'new rows', unit: 'ratio', better: 'higher', goal: 0.3, stretch: 0.6 },
    { name: 'changes', unit: 'ratio', better: 'higher', goal: 0.3, stretch: 0.6 },
  ],
  run: async (signal) => {
    const leftovers = createLeftovers();
    try {
      return await measure(leftovers, signal);
    } finally {
      await leftovers.dispose();
    }
  },
};
