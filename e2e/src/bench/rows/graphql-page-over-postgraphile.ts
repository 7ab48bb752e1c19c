import type { ExpectedExchange } from '../load/load-order.js';
import type { Measurement, Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createLargeRecordSet, largeRecordCount } from '../stage/create-large-record-set.js';
import { insertPlainCustomers } from '../stage/insert-plain-customers.js';
import { installPostgraphile } from '../stage/install-postgraphile.js';
import { onStage } from '../stage/open-stage.js';
import {
  learnGraphqlPages,
  learnGraphqlRecords,
  learnPostgraphilePages,
  learnPostgraphileRecords,
} from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverPostgraphile: Row = {
  id: 7,
  what: 'Same page, and one record, among 200 000 (7b)',
  comparedWith: 'PostGraphile 5 on a plain table',
  figures: [
    { name: 'sorted with total', unit: 'ratio', better: 'higher', goal: 1.5, stretch: 2 },
    { name: 'without total', unit: 'ratio', better: 'higher', goal: 1, stretch: 1.3 },
    { name: 'record by key', unit: 'ratio', better: 'higher', goal: 1, stretch: 1.3 },
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
        NODE_ENV: 'production',
        GRAPHILE_ENV: 'production',
      });
      const measure = async (
        name: string,
        ours: Promise<ExpectedExchange[]>,
        theirs: Promise<ExpectedExchange[]>,
      ): Promise<Measurement> => {
        const [exchanges, others] = await Promise.all([ours, theirs]);
        const targets = {
          service: { origin: endpoint.origin, connections, exchanges },
          other: { origin, connections, exchanges: others },
        };
        return compareUnderLoad(leftovers, targets, name);
      };
      const measurements = [
        await measure(
          'sorted with total',
          learnGraphqlPages(endpoint, set, 'sorted', largeRecordCount),
          learnPostgraphilePages(origin, set, 'sorted', largeRecordCount),
        ),
        await measure(
          'without total',
          learnGraphqlPages(endpoint, set),
          learnPostgraphilePages(origin, set, 'unsorted'),
        ),
        await measure('record by key', learnGraphqlRecords(endpoint, set), learnPostgraphileRecords(origin, set)),
      ];
      return {
        values: Object.assign({}, ...measurements.map(({ values }) => values)) as Measurement['values'],
        notes: measurements.flatMap(({ notes }) => notes),
      };
    }),
};
