import { deepStrictEqual } from 'node:assert/strict';
import { eventually } from '@fds/testing';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved, perSecond } from '../interleaved.js';
import { learnExchange } from '../load/learn-exchange.js';
import { openLoad, type Load, type LoadTarget } from '../load/open-load.js';
import type { Row } from '../row.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { customer, customerProperties } from '../stage/customer.js';
import { inParallel } from '../stage/in-parallel.js';
import {
  insertNumberedRecords,
  requireSearchIndexes,
  searchedRecord,
  type SearchedRecord,
} from '../stage/insert-searched-records.js';
import { openEventSource } from '../stage/open-event-source.js';
import { onStage, type Stage } from '../stage/open-stage.js';

/** The contents of a service while it is measured. */
interface Size {
  readonly records: number;
  readonly adaptors: number;
}

const small: Size = { records: 10_000, adaptors: 10 };
const large: Size = { records: 10_000_000, adaptors: 1_000 };
const rounds = 5;
const eventsPerRound = 2_048;
const searchMs = 3_000;
const connections = 4;
const destinations = 3;
const adaptorsPerDomain = 10;
/** Time limit for the index of ten million records, which the service creates in the background. */
const indexDeadlineMs = 30 * 60_000;

/** Searches that find one record and a hundred records in a service of any size. */
const searches = Array.from({ length: 8 }, (_, n) => {
  const { id } = searchedRecord(1_000 + n * 1_000);
  const hundred = id.slice(0, -2);
  return [
    { query: `id:${id}`, finds: (record: SearchedRecord) => record.id === id },
    { query: `id:${hundred}*`, finds: (record: SearchedRecord) => record.id.startsWith(hundred) },
  ];
}).flat();

/** Records of the smaller service; all searches find only these records. */
const known = Array.from({ length: small.records }, (_, index) => searchedRecord(index + 1));

const openSearches = async (
  { steward, service, authorization, databaseUrl }: Stage,
  { records }: Size,
): Promise<LoadTarget> => {
  const { domainName, domainVersionUuid } = await createVersion(steward, {
    name: 'searched',
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: customerProperties.id, visits: customerProperties.visits },
    drKeyProperties: ['id', 'visits'],
  });
  await insertNumberedRecords(databaseUrl, domainVersionUuid, records);
  const field = `dr_${domainName}_1`;
  const document = `query ($query: String) { ${field}(query: $query, sort: "id") { data { id visits } page { totalElements } } }`;
  const learn = ({ query, finds }: (typeof searches)[number]) =>
    learnExchange(
      service.baseUrl,
      {
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query: document, variables: { query } }),
      },
      (body) => {
        const found = known.filter(finds);
        const answer = { data: found.slice(0, 50), page: { totalElements: found.length } };
        deepStrictEqual(body, { data: { [field]: answer } });
      },
    );
  // the first search requests the index; until the index exists, the statement time-out may end the search
  const first = `{ ${field}(query: "id:none", sort: "id") { page { totalElements } } }`;
  const deadline = { deadlineMs: indexDeadlineMs, intervalMs: 1_000 };
  await eventually(() => steward.graphql(first), deadline);
  await eventually(() => requireSearchIndexes(databaseUrl, 1), deadline);
  return { origin: service.baseUrl, connections, exchanges: await inParallel(1, searches, learn) };
};

const openEvents = async (stage: Stage, { adaptors }: Size): Promise<() => Promise<number>> => {
  const { createAdaptor } = await createCustomerDomain(stage, 'routed');
  const source = await createAdaptor('Source');
  for (let index = 0; index < destinations; index += 1) await createAdaptor(`Destination ${index}`);
  const others = adaptors - destinations - 1;
  const domains = Array.from({ length: Math.ceil(others / adaptorsPerDomain) }, (_, index) => index);
  await inParallel(4, domains, async (index) => {
    const domain = await createCustomerDomain(stage, `other-${index}`);
    const names = Array.from({ length: Math.min(adaptorsPerDomain, others - index * adaptorsPerDomain) }, (_, n) => n);
    for (const n of names) await domain.createAdaptor(`Other ${index} ${n}`);
  });
  const events = await openEventSource(stage.leftovers, stage.service.busUrl, source, 'routed');
  let sent = 0;
  return async () => {
    events.prepare(Array.from({ length: eventsPerRound }, (_, index) => ({ ...customer(sent + index) })));
    sent += eventsPerRound;
    await events.sendPrepared();
    return eventsPerRound;
  };
};

/** One side of the comparison. */
const openSide = async (stage: Stage, size: Size, load: Load) => {
  const target = await openSearches(stage, size);
  const nowMs = (): number => performance.now();
  return {
    eventsPerSecond: perSecond(await openEvents(stage, size), nowMs),
    searchP95Ms: async (): Promise<number> => (await load.report(target, searchMs)).p95Ms,
  };
};

export const scale: Row = {
  id: 22,
  what: '10 M records and 1000 adaptors',
  comparedWith: '10 000 records and 10 adaptors',
  figures: [
    { name: 'events per second', unit: 'ratio', better: 'higher', goal: 0.8, stretch: 0.95 },
    { name: 'search p95', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.2 },
  ],
  run: (signal) =>
    onStage(signal, (few) =>
      onStage(signal, async (many) => {
        const load = openLoad(few.leftovers);
        const [floor, subject] = [await openSide(few, small, load), await openSide(many, large, load)];
        const events = compare(
          await interleaved({ rounds, subject: subject.eventsPerSecond, floor: floor.eventsPerSecond }),
        );
        const search = compare(await interleaved({ rounds, subject: subject.searchP95Ms, floor: floor.searchP95Ms }));
        return {
          values: { 'events per second': events.ratio, 'search p95': search.ratio },
          notes: [
            `${Math.round(events.subject.median)} acknowledged events/s against ${Math.round(events.floor.median)}, ` +
              `${destinations} destinations, ${rounds} rounds of ${eventsPerRound}; the other adaptors are registered and away`,
            `search p95 ${search.subject.median.toFixed(1)} ms against ${search.floor.median.toFixed(1)}, ${connections} connections, ` +
              `${searches.length} searches that find 1 or 100 records with their total`,
          ],
        };
      }),
    ),
};
