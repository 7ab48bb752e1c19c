import type { Measurement, Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createLargeRecordSet } from '../stage/create-large-record-set.js';
import { onStage } from '../stage/open-stage.js';
import { learnBarePages, learnGraphqlPages, type PageOrder } from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverSql: Row = {
  id: 6,
  what: 'GraphQL page of 20 data-store records among 200 000',
  comparedWith: 'bare Node HTTP + the same SQL',
  figures: [
    { name: 'unsorted', unit: 'ratio', better: 'higher', goal: 0.65, stretch: 0.75 },
    { name: 'sorted', unit: 'ratio', better: 'higher', goal: 0.6, stretch: 0.7 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, databaseUrl } = stage;
      const { set, endpoint, sortExpression } = await createLargeRecordSet(stage);
      const origin = await startComparator(leftovers, 'bare-sql-server', {
        DATABASE_URL: databaseUrl,
        DOMAIN_VERSION_UUID: set.domainVersionUuid,
        SORT_EXPRESSION: sortExpression,
      });
      const measure = async (order: PageOrder): Promise<Measurement> => {
        const ours = await learnGraphqlPages(endpoint, set, order);
        const bare = await learnBarePages(origin, set, order);
        const targets = {
          service: { origin: endpoint.origin, connections, exchanges: ours },
          other: { origin, connections, exchanges: bare },
        };
        return compareUnderLoad(leftovers, targets, order);
      };
      const [unsorted, sorted] = [await measure('unsorted'), await measure('sorted')];
      return {
        values: { ...unsorted.values, ...sorted.values },
        notes: [...unsorted.notes, ...sorted.notes],
      };
    }),
};
