import { deepStrictEqual } from 'node:assert/strict';
import { eventually } from '@fds/testing';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved, perSecond, type Comparison } from '../interleaved.js';
import { learnExchange } from '../load/learn-exchange.js';
import { openLoad } from '../load/open-load.js';
import type { Row } from '../row.js';
import { customerProperties } from '../stage/customer.js';
import { insertRecords } from '../stage/insert-records.js';
import { requireSearchIndexes } from '../stage/insert-searched-records.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const roundMs = 1_000;
const pageSize = 20;
const deepPage = 9_999;

/** Ids of all records in an order, and the argument that asks for it. */
interface Listing {
  readonly records: readonly string[];
  readonly sort: string;
}

export const deepPageOverFirst: Row = {
  id: 12,
  what: 'Page 10 000',
  comparedWith: 'page 1',
  figures: [
    { name: 'unsorted', unit: 'ratio', better: 'lower', goal: 1.3, stretch: 1.2 },
    { name: 'sorted by a DR Key property', unit: 'ratio', better: 'lower', goal: 3, stretch: 1.5 },
  ],
  run: (signal) =>
    onStage(signal, async ({ leftovers, steward, service, authorization, databaseUrl }) => {
      const { domainName, domainVersionUuid } = await createVersion(steward, {
        name: 'deep',
        domainType: 'SERVICE_DATA_STORE',
        properties: customerProperties,
        drKeyProperties: ['id'],
      });
      const ids = await insertRecords(databaseUrl, domainVersionUuid, (deepPage + 1) * pageSize);
      const field = `dr_${domainName}_1`;
      const learnPage = (page: number, { records, sort }: Listing) =>
        learnExchange(
          service.baseUrl,
          {
            method: 'POST',
            path: '/graphql',
            headers: { 'content-type': 'application/json', authorization },
            body: JSON.stringify({ query: `{ ${field}(page: ${page}, size: ${pageSize}${sort}) { data { id } } }` }),
          },
          (body) => {
            const data = records.slice(page * pageSize, (page + 1) * pageSize).map((id) => ({ id }));
            deepStrictEqual(body, { data: { [field]: { data } } });
          },
        );
      const load = openLoad(leftovers);
      const msPerAnswer = async (page: number, listing: Listing): Promise<() => Promise<number>> => {
        const target = { origin: service.baseUrl, connections: 1, exchanges: [await learnPage(page, listing)] };
        const rate = perSecond(
          () => load.run(target, roundMs),
          () => performance.now(),
        );
        return async () => 1000 / (await rate());
      };
      const measure = async (listing: Listing): Promise<Comparison> =>
        compare(
          await interleaved({
            rounds,
            subject: await msPerAnswer(deepPage, listing),
            floor: await msPerAnswer(0, listing),
          }),
        );
      const unsorted = await measure({ records: ids, sort: '' });
      const byId = { records: [...ids].sort(), sort: ', sort: "id"' };
      await learnPage(0, byId);
      await eventually(() => requireSearchIndexes(databaseUrl, 1), { deadlineMs: 120_000, intervalMs: 500 });
      const sorted = await measure(byId);
      const note = (name: string, { subject, floor }: Comparison): string =>
        `${name}: ${subject.median.toFixed(1)} ms against ${floor.median.toFixed(1)}`;
      return {
        values: { unsorted: unsorted.ratio, 'sorted by a DR Key property': sorted.ratio },
        notes: [
          `${note('unsorted', unsorted)}, ${note('sorted', sorted)}; ${ids.length} records put in by SQL, ` +
            `pages of ${pageSize} by GraphQL, one at a time, ${rounds} rounds of ${roundMs / 1000} s each side`,
        ],
      };
    }),
};
