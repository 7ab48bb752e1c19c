import { deepStrictEqual } from 'node:assert/strict';
import { eventually } from '@fds/testing';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved } from '../interleaved.js';
import { learnExchange } from '../load/learn-exchange.js';
import type { ExpectedExchange } from '../load/load-order.js';
import { openLoad } from '../load/open-load.js';
import type { Row } from '../row.js';
import { customerProperties } from '../stage/customer.js';
import {
  insertSearchedRecords,
  requireSearchIndexes,
  searchedRecord,
  type SearchedRecord,
} from '../stage/insert-searched-records.js';
import { inParallel } from '../stage/in-parallel.js';
import { onStage } from '../stage/open-stage.js';
import { startComparator } from '../stage/start-comparator.js';

const count = 1_000_000;
const connections = 4;
const rounds = 5;
const roundMs = 2_000;
const pageSize = 20;
/** Indexes for the order by id, for the order by visits, and for trigrams of id. */
const indexes = 3;

/** A search in the form of both sides, and the records that it finds. */
interface Search {
  readonly query: string;
  readonly bare: { readonly kind: string; readonly values: readonly (string | number)[] };
  readonly finds: (record: SearchedRecord) => boolean;
}

/** Eight searches of each kind with different values. */
const searches: readonly Search[] = Array.from({ length: 8 }, (_, n): Search[] => {
  const id = `Customer-${String(n * 123_456 + 1).padStart(8, '0')}`;
  const [beginning, after] = [`customer-00${n}12`, `customer-00${n}13`];
  const middle = `0${n}765`;
  const [low, high] = [n * 1000 + 5, n * 1000 + 9];
  const within = ({ visits }: SearchedRecord): boolean => visits >= low && visits <= high;
  return [
    {
      query: `id:${id}`,
      bare: { kind: 'exact', values: [id] },
      finds: (record) => record.id === id.toLowerCase(),
    },
    {
      query: `id:${beginning}*`,
      bare: { kind: 'begins', values: [beginning, after] },
      finds: (record) => record.id.startsWith(beginning),
    },
    {
      query: `id:*${middle}*`,
      bare: { kind: 'like', values: [`%${middle}%`] },
      finds: (record) => record.id.includes(middle),
    },
    { query: `visits:[${low} TO ${high}]`, bare: { kind: 'range', values: [low, high] }, finds: within },
    {
      query: `id:customer-00${n}* AND visits:[${low} TO ${high}]`,
      bare: { kind: 'both', values: [`customer-00${n}`, `customer-00${n + 1}`, low, high] },
      finds: (record) => record.id.startsWith(`customer-00${n}`) && within(record),
    },
  ];
}).flat();

const expectedOf = (all: readonly SearchedRecord[], { finds }: Search): object => {
  const found = all.filter(finds);
  return { data: found.slice(0, pageSize), page: { totalElements: found.length } };
};

export const searchOverSql: Row = {
  id: 11,
  what: 'Search on DR keys, 1 M records, p95',
  comparedWith: 'hand-written indexed SQL',
  figures: [{ name: '', unit: 'ratio', better: 'lower', goal: 2, stretch: 1.3 }],
  run: (signal) =>
    onStage(signal, async ({ leftovers, steward, service, authorization, databaseUrl }) => {
      const { domainName, domainVersionUuid } = await createVersion(steward, {
        name: 'searched',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: customerProperties.id, visits: customerProperties.visits },
        drKeyProperties: ['id', 'visits'],
      });
      await insertSearchedRecords(databaseUrl, domainVersionUuid, count);
      const origin = await startComparator(leftovers, 'bare-search-server', { DATABASE_URL: databaseUrl });

      const all = Array.from({ length: count }, (_, index) => searchedRecord(index + 1));
      const expected = new Map(searches.map((search) => [search, expectedOf(all, search)]));
      const field = `dr_${domainName}_1`;
      const document = `query ($query: String) { ${field}(query: $query, sort: "id", size: ${pageSize}) { data { id visits } page { totalElements } } }`;
      const learnOurs = (search: Search): Promise<ExpectedExchange> =>
        learnExchange(
          service.baseUrl,
          {
            method: 'POST',
            path: '/graphql',
            headers: { 'content-type': 'application/json', authorization },
            body: JSON.stringify({ query: document, variables: { query: search.query } }),
          },
          (body) => deepStrictEqual(body, { data: { [field]: expected.get(search) } }),
        );
      const learnBare = (search: Search): Promise<ExpectedExchange> => {
        const { kind, values } = search.bare;
        const path = `/${kind}?${values.map((value) => `value=${encodeURIComponent(value)}`).join('&')}`;
        return learnExchange(origin, { method: 'GET', path, headers: {} }, (body) =>
          deepStrictEqual(body, expected.get(search)),
        );
      };
      const ours = await inParallel(1, searches, learnOurs);
      await eventually(() => requireSearchIndexes(databaseUrl, indexes), { deadlineMs: 180_000, intervalMs: 500 });
      const bare = await inParallel(1, searches, learnBare);

      const load = openLoad(leftovers);
      const p95Of = (target: string, exchanges: readonly ExpectedExchange[]) => async (): Promise<number> =>
        (await load.report({ origin: target, connections, exchanges }, roundMs)).p95Ms;
      const { subject, floor, ratio } = compare(
        await interleaved({ rounds, subject: p95Of(service.baseUrl, ours), floor: p95Of(origin, bare) }),
      );
      return {
        values: { '': ratio },
        notes: [
          `p95 ${subject.median.toFixed(1)} ms against ${floor.median.toFixed(1)}; ${connections} connections, ` +
            `${searches.length} searches of five kinds with totals, every body compared with all records held in memory`,
        ],
      };
    }),
};
