import type { Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createRecordSet } from '../stage/create-record-set.js';
import { onStage } from '../stage/open-stage.js';
import { learnGraphqlPages, pagedRecords } from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverApollo: Row = {
  id: 7,
  what: 'Same page',
  comparedWith: 'plain Apollo Server on Prisma',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 2, stretch: 4 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl, authorization } = stage;
      const set = await createRecordSet(stage, pagedRecords);
      const origin = await startComparator(leftovers, 'apollo-page-server', {
        DATABASE_URL: databaseUrl,
        DOMAIN_VERSION_UUID: set.domainVersionUuid,
      });
      const ours = { origin: service.baseUrl, path: '/graphql', field: set.field, authorization };
      const plain = { origin, path: '/', field: 'customers', authorization };
      return compareUnderLoad(leftovers, {
        service: { origin: ours.origin, connections, exchanges: await learnGraphqlPages(ours, set) },
        other: { origin, connections, exchanges: await learnGraphqlPages(plain, set) },
      });
    }),
};
