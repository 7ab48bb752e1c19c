import type { Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createRecordSet } from '../stage/create-record-set.js';
import { onStage } from '../stage/open-stage.js';
import { learnBarePages, learnGraphqlPages, pagedRecords } from '../stage/page-exchanges.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;

export const graphqlPageOverSql: Row = {
  id: 6,
  what: 'GraphQL page of 20 data-store records',
  comparedWith: 'bare Node HTTP + the same SQL',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 0.35, stretch: 0.6 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl, authorization } = stage;
      const set = await createRecordSet(stage, pagedRecords);
      const origin = await startComparator(leftovers, 'bare-sql-server', {
        DATABASE_URL: databaseUrl,
        DOMAIN_VERSION_UUID: set.domainVersionUuid,
      });
      const endpoint = { origin: service.baseUrl, path: '/graphql', field: set.field, authorization };
      return compareUnderLoad(leftovers, {
        service: { origin: service.baseUrl, connections, exchanges: await learnGraphqlPages(endpoint, set) },
        other: { origin, connections, exchanges: await learnBarePages(origin, set) },
      });
    }),
};
