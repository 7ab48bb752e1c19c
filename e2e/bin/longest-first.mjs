// The order of the test files: long files first, so that no worker starts one when the others have ended.
// jest's own order needs the durations of an earlier run, and a fresh clone has none.
import { statSync } from 'node:fs';

/** Parts of the paths of the unit and integration tests that take more than ten seconds, and of the longest e2e tests. */
const long = [
  'adaptors/sdk/dist/conformance/conformance.integration',
  '/dist/conformance.integration',
  'embedded/open-embedded-postgres',
  'notifications/dist/faulty-receivers',
  'executor/retained-bytes',
  'listing/store/listing-memory',
  'binlog/mariadb-log',
  'bootstrap/bootstrap-identity',
  'scan/log/scan-log',
  'exchange/relay/relay',
  'dist/progressive.integration',
  'resolvers/waiting-events',
  'authorization-server/password-checks',
  'embedded/postgres-binaries',
  'sdk/dist/start-adaptor',
  'graphql/publishing.test',
  'access/endpoint-permissions',
  'packages/quick-starts',
  'bounds/document-flood',
  'processes/service-life',
  'packages/packed-adaptors',
  'pages/pages.test',
  'rest/every-operation',
  'dist/fuzz/',
  'processes/split-service',
  'journeys/databases/chinook',
];

const rankOf = ({ path }) => {
  const rank = long.findIndex((part) => path.includes(part));
  return rank < 0 ? long.length : rank;
};

export default class LongestFirst {
  /** Long files first; then the larger files, which take longer than small ones. */
  sort(tests) {
    const sized = [...tests].map((test) => ({ test, rank: rankOf(test), bytes: statSync(test.path).size }));
    return sized.sort((a, b) => a.rank - b.rank || b.bytes - a.bytes).map(({ test }) => test);
  }

  /** The files of `--onlyFailures`; nothing remembers them. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
