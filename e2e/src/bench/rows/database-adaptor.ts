import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@fds/testing';
import pg from 'pg';
import { createLeftovers, type Leftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';
import { compare, interleaved } from '../interleaved.js';
import { percentile } from '../percentile.js';
import { monotonicMs } from '../receiver/monotonic-ms.js';
import type { Measurement, Row } from '../row.js';
import { spreadOf } from '../../measure/spread.js';
import { discoveryMetadata, discoveryQuery, fillTable } from '../stage/discovered-table.js';
import { openDiscovery } from '../stage/open-discovery.js';
import { startSourceDatabase } from '../stage/start-source-database.js';

const rounds = 5;
const rows = 100_000;
const intervalMs = 200;
const changesPerRound = 100;
const lagRounds = 3;

const discover = async (databaseUrl: string): Promise<{ readonly rate: number; readonly mib: number }> => {
  const discovery = await openDiscovery(discoveryMetadata(databaseUrl, { method: 'TIMESTAMP', intervalMs }), rows);
  try {
    const { atMs } = await discovery.taken(rows);
    return { rate: (rows * 1000) / (atMs - discovery.startedMs), mib: discovery.residentMib() };
  } finally {
    await discovery.close();
  }
};

const readByCursor = async (databaseUrl: string): Promise<number> => {
  const reader = spawnScript({
    script: 'e2e/dist/bench/servers/bare-cursor.js',
    environment: { DATABASE_URL: databaseUrl, QUERY: discoveryQuery },
  });
  await reader.ended();
  const read = JSON.parse(reader.output()) as { readonly rows: number; readonly milliseconds: number };
  if (read.rows !== rows) throw new Error(`the cursor gave ${read.rows} rows`);
  return (rows * 1000) / read.milliseconds;
};

const measureDiscovery = async (databaseUrl: string, signal: AbortSignal) => {
  const memories: number[] = [];
  const measured = await interleaved({
    rounds,
    budgetMs: 120_000,
    subject: async () => {
      signal.throwIfAborted();
      const { rate, mib } = await discover(databaseUrl);
      memories.push(mib);
      return rate;
    },
    floor: () => readByCursor(databaseUrl),
  });
  return { ...compare(measured), mib: spreadOf(memories) };
};

/**
 * Milliseconds from a committed change to its event at the hub, one change at a time, for a table that the adaptor
 * knows.
 */
const measureLag = async (databaseUrl: string, method: 'LOG' | 'TIMESTAMP'): Promise<readonly number[][]> => {
  const source = new pg.Client({ connectionString: databaseUrl });
  await source.connect();
  const discovery = await openDiscovery(discoveryMetadata(databaseUrl, { method, intervalMs }), 1);
  try {
    const { rows: known } = await source.query<{ n: string }>('SELECT count(*) AS n FROM customer');
    let sequence = Number(known[0]?.n);
    await discovery.taken(sequence);
    const random = createRandom(16);
    const change = async (): Promise<number> => {
      // distributes the changes over the interval of the scans
      await sleep(random.below(intervalMs));
      await source.query('UPDATE customer SET credit = credit + 1, changed = clock_timestamp() WHERE id = $1', [
        1 + random.below(Number(known[0]?.n)),
      ]);
      const committedMs = monotonicMs();
      sequence += 1;
      return (await discovery.taken(sequence)).atMs - committedMs;
    };
    const lags: number[][] = [];
    for (let round = 0; round <= lagRounds; round += 1) {
      const ofRound: number[] = [];
      for (let changes = 0; changes < changesPerRound; changes += 1) ofRound.push(await change());
      if (round > 0) lags.push(ofRound);
    }
    return lags;
  } finally {
    await discovery.close();
    await source.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active');
    await source.end();
  }
};

const createLagTable = async (databaseUrl: string): Promise<string> => {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('CREATE DATABASE lag');
  await admin.end();
  const url = new URL(databaseUrl);
  url.pathname = '/lag';
  await fillTable(url.href, 1_000);
  return url.href;
};

const measure = async (leftovers: Leftovers, signal: AbortSignal): Promise<Measurement> => {
  const databaseUrl = await startSourceDatabase(leftovers);
  await fillTable(databaseUrl, rows);
  const discovery = await measureDiscovery(databaseUrl, signal);
  const lagUrl = await createLagTable(databaseUrl);
  const byTime = await measureLag(lagUrl, 'TIMESTAMP');
  const byLog = await measureLag(lagUrl, 'LOG');
  const middle = (rounds_: readonly number[][], percent: number): number =>
    spreadOf(rounds_.map((lags) => percentile(lags, percent))).median;
  const milliseconds = (value: number): string => `${Math.round(value)} ms`;
  const thousands = (value: number): string => `${(value / 1000).toFixed(1)} k rows/s`;
  return {
    values: {
      discovery: discovery.ratio,
      'lag beyond the interval, p99': spreadOf(byTime.map((lags) => percentile(lags, 99) - intervalMs)),
      'LOG lag, p50': spreadOf(byLog.map((lags) => percentile(lags, 50))),
      'LOG lag, p99': spreadOf(byLog.map((lags) => percentile(lags, 99))),
    },
    notes: [
      `discovery: ${thousands(discovery.subject.median)} against ${thousands(discovery.floor.median)}; ${rows} rows of ten columns, ` +
        `${discovery.rounds} rounds, from START to the acknowledged last event; each event durable in the journal before it is sent; ` +
        `resident memory ${Math.round(discovery.mib.median)} MiB (at most ${Math.round(discovery.mib.max)})`,
      `lag by TIMESTAMP, scans every ${intervalMs} ms: p50 ${milliseconds(middle(byTime, 50))}, p99 ${milliseconds(middle(byTime, 99))}; ` +
        `by LOG: p50 ${milliseconds(middle(byLog, 50))}, p99 ${milliseconds(middle(byLog, 99))}; from the commit to the event at the hub, ` +
        `${lagRounds} rounds of ${changesPerRound} changes one at a time, synchronous_commit and fsync on`,
    ],
  };
};

export const databaseAdaptor: Row = {
  id: 16,
  what: 'Database adaptor: discovery of 100 k rows; lag',
  comparedWith: 'raw cursor read; scan interval',
  figures: [
    { name: 'discovery', unit: 'ratio', better: 'higher', goal: 0.2, stretch: 0.4 },
    { name: 'lag beyond the interval, p99', unit: 'ms', better: 'lower', goal: 10, stretch: 10 },
    { name: 'LOG lag, p50', unit: 'ms', better: 'lower', goal: 10, stretch: 10 },
    { name: 'LOG lag, p99', unit: 'ms', better: 'lower', goal: 10, stretch: 10 },
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
