import type { Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createLargeRecordSet } from '../stage/create-large-record-set.js';
import { onStage } from '../stage/open-stage.js';
import { learnGraphqlPages } from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverApollo: Row = {
  id: 7,
  what: 'Same page among 200 000',
  comparedWith: 'plain Apollo Server on Prisma',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 2, stretch: 4 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, databaseUrl, authorization } = stage;
      const { set, endpoint: ours } = await createLargeRecordSet(stage);
      const origin = await startComparator(leftovers, 'apollo-page-server', {
        DATABASE_URL: databaseUrl,
        DOMAIN_VERSION_UUID: set.domainVersionUuid,
      });
      const plain = { origin, path: '/', field: 'customers', authorization };
      return compareUnderLoad(leftovers, {
        service: { origin: ours.origin, connections, exchanges: await learnGraphqlPages(ours, set) },
        other: { origin, connections, exchanges: await learnGraphqlPages(plain, set) },
      });
    }),
};
