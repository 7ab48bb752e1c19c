import { deepStrictEqual } from 'node:assert/strict';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved, perSecond } from '../interleaved.js';
import { learnExchange } from '../load/learn-exchange.js';
import { openLoad } from '../load/open-load.js';
import type { Row } from '../row.js';
import { customerProperties } from '../stage/customer.js';
import { insertRecords } from '../stage/insert-records.js';
import { onStage } from '../stage/open-stage.js';

const rounds = 5;
const roundMs = 1_000;
const pageSize = 20;
const deepPage = 9_999;

export const deepPageOverFirst: Row = {
  id: 12,
  what: 'Page 10 000',
  comparedWith: 'page 1',
  figures: [{ name: '', unit: 'ratio', better: 'lower', goal: 3, stretch: 1.2 }],
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
      const learnPage = (page: number) =>
        learnExchange(
          service.baseUrl,
          {
            method: 'POST',
            path: '/graphql',
            headers: { 'content-type': 'application/json', authorization },
            body: JSON.stringify({ query: `{ ${field}(page: ${page}, size: ${pageSize}) { data { id } } }` }),
          },
          (body) => {
            const data = ids.slice(page * pageSize, (page + 1) * pageSize).map((id) => ({ id }));
            deepStrictEqual(body, { data: { [field]: { data } } });
          },
        );
      const load = openLoad(leftovers);
      const msPerAnswer = async (page: number): Promise<() => Promise<number>> => {
        const target = { origin: service.baseUrl, connections: 1, exchanges: [await learnPage(page)] };
        const rate = perSecond(
          () => load.run(target, roundMs),
          () => performance.now(),
        );
        return async () => 1000 / (await rate());
      };
      const { subject, floor, ratio } = compare(
        await interleaved({ rounds, subject: await msPerAnswer(deepPage), floor: await msPerAnswer(0) }),
      );
      return {
        values: { '': ratio },
        notes: [
          `${subject.median.toFixed(1)} ms against ${floor.median.toFixed(1)}; ${ids.length} records put in by SQL, ` +
            `pages of ${pageSize} by GraphQL, one at a time, ${rounds} rounds of ${roundMs / 1000} s each side`,
        ],
      };
    }),
};
