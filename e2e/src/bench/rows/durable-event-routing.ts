import { windowSize, type JsonObject } from '@fds/adaptor-protocol';
import pg from 'pg';
import { compare, interleaved, perSecond } from '../interleaved.js';
import type { Row } from '../row.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { createTwinDatabase } from '../stage/create-twin-database.js';
import { customer } from '../stage/customer.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { openEventSource } from '../stage/open-event-source.js';
import { openPlainSqlWriter } from '../stage/plain-sql-writer.js';
import { readRoutedRows } from '../stage/routed-rows.js';

const rounds = 5;
const eventsPerRound = 4096;
const domain = 'routed';

const newRecord = (n: number): JsonObject => ({ ...customer(n), country: 'Portugal', phone: `+351 ${n}` });

/** A federated version with one source and three destinations that are not connected. */
const createAdaptors = async (stage: Stage) => {
  const { createAdaptor: create } = await createCustomerDomain(stage, domain, {
    country: { type: 'string' },
    phone: { type: 'string' },
  });
  return {
    source: await create('Source'),
    destinations: [await create('First'), await create('Second'), await create('Third')] as const,
  };
};

const requireRecords = async ({ steward }: Stage, expected: number): Promise<void> => {
  const { dataRecords } = await steward.graphql<{ dataRecords: { page: { totalElements: number } } }>(
    `{ dataRecords(domainName: "${domain}", excludeAdaptors: true, size: 1) { page { totalElements } } }`,
  );
  const { totalElements } = dataRecords.page;
  if (totalElements !== expected) throw new Error(`${expected} records were sent, ${totalElements} are there`);
};

/** Checks the server that both sides use: acknowledged changes must be on disk. */
const requireDurable = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ fsync: string; commit: string }>(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  );
  if (rows[0]?.fsync !== 'on' || rows[0].commit !== 'on') throw new Error('the database does not wait for the disk');
};

const countTransactions = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ n: string }>('SELECT count(DISTINCT xmin::text) AS n FROM data_event');
  return Number(rows[0]?.n);
};

export const durableEventRouting: Row = {
  id: 1,
  what: 'Durable event routing to 3 destinations',
  comparedWith: 'the same rows by plain SQL in batches',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 1, stretch: 1.2 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl } = stage;
      const { source, destinations } = await createAdaptors(stage);
      const events = await openEventSource(leftovers, service.busUrl, source, domain);
      const adaptorUuids = [source, ...destinations].map(({ uuid }) => uuid);
      const plainSql = await openPlainSqlWriter(leftovers, await createTwinDatabase(databaseUrl), adaptorUuids);
      const reader = new pg.Client({ connectionString: databaseUrl });
      await reader.connect();
      leftovers.add(() => reader.end());
      await requireDurable(reader);
      // the tables have no statistics yet
      await reader.query('SET enable_nestloop = off');

      const nowMs = (): number => performance.now();
      let total = 0;
      const route = async (): Promise<number> => {
        events.prepare(Array.from({ length: eventsPerRound }, (_, index) => newRecord(total + index)));
        const rate = await perSecond(async () => {
          await events.sendPrepared();
          return eventsPerRound;
        }, nowMs)();
        total += eventsPerRound;
        return rate;
      };
      const writePlainly = async (): Promise<number> => {
        // this read also checks that every event was queued three times
        const range = { destinationUuid: destinations[0].uuid, from: total - eventsPerRound + 1, to: total };
        const batches = plainSql.prepare(await readRoutedRows(reader, range), windowSize);
        return perSecond(async () => {
          await plainSql.write(batches);
          return eventsPerRound;
        }, nowMs)();
      };
      const { subject, floor, ratio } = compare(await interleaved({ rounds, subject: route, floor: writePlainly }));
      await requireRecords(stage, total);
      const batch = Math.round(total / (await countTransactions(reader)));
      return {
        values: { '': ratio },
        notes: [
          `${Math.round(subject.median)} acknowledged events/s against ${Math.round(floor.median)}; 12 properties, ` +
            `${rounds} rounds of ${eventsPerRound} new records, window ${windowSize}, fsync on`,
          `the service committed ${batch} events at a time on average, plain SQL ${windowSize}; ` +
            `sender went back ${events.rewinds} times; ${total} records and ${3 * total} deliveries counted`,
        ],
      };
    }),
};
