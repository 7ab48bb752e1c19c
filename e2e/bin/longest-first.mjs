// The order of the test files: long files first, so that no worker starts one when the others have ended.
// jest's own order needs the durations of an earlier run, and a fresh clone has none.
import { statSync } from 'node:fs';

/** Parts of the paths of test files that take longest, the longest of each part of the run first. */
const long = [
  'sdk/dist/conformance/conformance.integration',
  'database/dist/conformance.integration',
  'file-system/dist/conformance.integration',
  'incoming/unreported-changes',
  'embedded/open-embedded-postgres',
  'incoming/apply-events',
  'reconciliation/reconciliations',
  'notifications/dist/faulty-receivers',
  'listing/store/listing-memory',
  'binlog/mariadb-log',
  'log/source-shutdown',
  'local/swapped-folders',
  'temporal/dist/conformance.integration',
  'source/source-changed',
  'settlement/repair-watch',
  'bootstrap/bootstrap-identity',
  'counts/record-counts',
  'mapping/open-evaluator',
  'notifications/dist/delivery.integration',
  'requests/retained-bytes',
  'routing/not-applied',
  'scan/log/scan-log',
  'exchange/relay/relay',
  'dist/progressive.integration',
  'resolvers/waiting-events',
  'authorization-server/password-checks',
  'embedded/postgres-binaries',
  'sdk/dist/start-adaptor',
  'refusals/refusals',
  'packages/quick-starts',
  'processes/service-life',
  'access/endpoint-permissions',
  'packages/packed-adaptors',
  'kills/random-kills',
  'two-way/two-way',
  'pages/pages.test',
  'records/bulk-import-memory',
  'rest/every-operation',
  'graphql/publishing.test',
  'refusals/foreign-keys',
  'kills/crash-points',
  'dist/fuzz/',
  'journeys/mass-deletion',
  'bounds/document-flood',
  'catalog/adaptor-operations',
  'databases/databases.test',
  'files/missing-folder',
  'processes/split-service',
  'doors/webhook-adaptors',
  'subscriptions/subscription-processes',
  'bounds/socket-bounds',
  'files/files.test',
  'demo/demo',
  'subscriptions/page-examples',
  'processes/npm-start',
  'doors/notification-deliveries',
  'databases/chinook',
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
