import type { Measurement, Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createLargeRecordSet } from '../stage/create-large-record-set.js';
import { insertPlainCustomers } from '../stage/insert-plain-customers.js';
import { installPostgraphile } from '../stage/install-postgraphile.js';
import { onStage } from '../stage/open-stage.js';
import { learnGraphqlPages, learnPostgraphilePages, type PageOrder } from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverPostgraphile: Row = {
  id: 7,
  what: 'Same page among 200 000 (7b)',
  comparedWith: 'PostGraphile 4 on a plain table',
  figures: [
    { name: 'unsorted', unit: 'ratio', better: 'higher', goal: 1, stretch: 1.5 },
    { name: 'sorted', unit: 'ratio', better: 'higher', goal: 1, stretch: 1.5 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, databaseUrl } = stage;
      const folder = await installPostgraphile();
      const { set, endpoint } = await createLargeRecordSet(stage);
      await insertPlainCustomers(databaseUrl, set.domainVersionUuid);
      const origin = await startComparator(leftovers, 'postgraphile-server', {
        DATABASE_URL: databaseUrl,
        POSTGRAPHILE_FOLDER: folder,
      });
      const measure = async (order: PageOrder): Promise<Measurement> => {
        const targets = {
          service: { origin: endpoint.origin, connections, exchanges: await learnGraphqlPages(endpoint, set, order) },
          other: { origin, connections, exchanges: await learnPostgraphilePages(origin, set, order) },
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
