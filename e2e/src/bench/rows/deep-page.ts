import { deepStrictEqual } from 'node:assert/strict';
import { eventually } from '@fds/testing';
import { Pool } from 'undici';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved, perSecond, type Comparison } from '../interleaved.js';
import { learnExchange } from '../load/learn-exchange.js';
import { openLoad } from '../load/open-load.js';
import type { Row } from '../row.js';
import { customerProperties } from '../stage/customer.js';
import { insertRecords } from '../stage/insert-records.js';
import { requireSearchIndexes } from '../stage/insert-searched-records.js';
import { keepWriting } from '../stage/keep-writing.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const roundMs = 1_000;
const pageSize = 20;
const deepPage = 9_999;
/** The id of the record that comes and goes. It is before all others in the order of ids. */
const writtenId = 'a-written-customer';

/** Ids of all records in an order, and the argument that asks for it. */
interface Listing {
  readonly records: readonly string[];
  readonly sort: string;
}

/** Requires the page as it is with the written record or without it. */
const requireWrittenPage = (
  body: unknown,
  { field, page, records }: { readonly field: string; readonly page: number; readonly records: readonly string[] },
): void => {
  const { data } = body as { readonly data: Readonly<Record<string, { readonly data: readonly { id: string }[] }>> };
  const listed = (data[field]?.data ?? []).map(({ id }) => id);
  const others = listed.filter((id) => id !== writtenId);
  const first = page * pageSize;
  const start = first > 0 && others[0] === records[first - 1] ? first - 1 : first;
  deepStrictEqual([listed.length, others], [pageSize, records.slice(start, start + others.length)]);
};

export const deepPageOverFirst: Row = {
  id: 12,
  what: 'Page 10 000',
  comparedWith: 'page 1',
  figures: [
    { name: 'unsorted', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.2 },
    { name: 'sorted by a DR Key property', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.2 },
    { name: 'unsorted, with a writer', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.2 },
    { name: 'sorted, with a writer', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.2 },
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
      const requestOf = (page: number, { sort }: Listing) => ({
        method: 'POST' as const,
        path: '/graphql',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query: `{ ${field}(page: ${page}, size: ${pageSize}${sort}) { data { id } } }` }),
      });
      const learnPage = (page: number, listing: Listing) =>
        learnExchange(service.baseUrl, requestOf(page, listing), (body) => {
          const { records } = listing;
          const data = records.slice(page * pageSize, (page + 1) * pageSize).map((id) => ({ id }));
          deepStrictEqual(body, { data: { [field]: { data } } });
        });
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
      const connection = new Pool(service.baseUrl, { connections: 1, pipelining: 1 });
      leftovers.add(() => connection.close());
      const msPerWrittenAnswer = (page: number, listing: Listing) => async (): Promise<number> => {
        const sent = requestOf(page, listing);
        const startedMs = performance.now();
        let answers = 0;
        for (; performance.now() < startedMs + roundMs; answers += 1) {
          const answer = await connection.request(sent);
          requireWrittenPage(await answer.body.json(), { field, page, records: listing.records });
        }
        return (performance.now() - startedMs) / answers;
      };
      const measureWritten = async (listing: Listing): Promise<Comparison & { readonly changes: number }> => {
        const writer = keepWriting(steward, domainName, writtenId);
        const subject = msPerWrittenAnswer(deepPage, listing);
        const measured = await interleaved({ rounds, subject, floor: msPerWrittenAnswer(0, listing) });
        return { ...compare(measured), changes: await writer.stop() };
      };
      const unsortedWritten = await measureWritten({ records: ids, sort: '' });
      const sortedWritten = await measureWritten(byId);
      const note = (name: string, { subject, floor }: Comparison): string =>
        `${name}: ${subject.median.toFixed(1)} ms against ${floor.median.toFixed(1)}`;
      return {
        values: {
          unsorted: unsorted.ratio,
          'sorted by a DR Key property': sorted.ratio,
          'unsorted, with a writer': unsortedWritten.ratio,
          'sorted, with a writer': sortedWritten.ratio,
        },
        notes: [
          `${note('unsorted', unsorted)}, ${note('sorted', sorted)}; ${ids.length} records put in by SQL, ` +
            `pages of ${pageSize} by GraphQL, one at a time, ${rounds} rounds of ${roundMs / 1000} s each side`,
          `${note('unsorted, with a writer', unsortedWritten)}, ${note('sorted, with a writer', sortedWritten)}; ` +
            `${unsortedWritten.changes} and ${sortedWritten.changes} changes of records by REST in the meantime`,
        ],
      };
    }),
};
