import type { PlannedRow, Row } from './row.js';
import { appliedEvents } from './rows/applied-events.js';
import { accessCosts } from './rows/access-costs.js';
import { assemblyOverSlowest } from './rows/assembly-over-slowest.js';
import { assemblyWithStalled } from './rows/assembly-with-stalled.js';
import { backlogDrain } from './rows/backlog-drain.js';
import { bulkImport } from './rows/bulk-import.js';
import { commitsOfServers } from './rows/commits-of-servers.js';
import { databaseAdaptor } from './rows/database-adaptor.js';
import { deepPageOverFirst } from './rows/deep-page.js';
import { durableEventRouting } from './rows/durable-event-routing.js';
import { fileAdaptor } from './rows/file-adaptor.js';
import { eventToSockets } from './rows/event-to-sockets.js';
import { governanceDecision } from './rows/governance-decision.js';
import { graphqlPageOverApollo } from './rows/graphql-page-over-apollo.js';
import { graphqlPageOverPostgraphile } from './rows/graphql-page-over-postgraphile.js';
import { graphqlPageOverSql } from './rows/graphql-page-over-sql.js';
import { idleAndColdStart } from './rows/idle-and-cold-start.js';
import { listTotals } from './rows/list-totals.js';
import { memoryAfterLoad } from './rows/memory-after-load.js';
import { publishToReceipt } from './rows/publish-to-receipt.js';
import { reconciliationRates } from './rows/reconciliation-rates.js';
import { restRecordOverSelect } from './rows/rest-record-over-select.js';
import { scale } from './rows/scale.js';
import { searchOverSql } from './rows/search-over-sql.js';
import { versionPublishing } from './rows/version-publishing.js';
import { webhookSends } from './rows/webhook-sends.js';

/** The table of goals, by number. */
export const rows: readonly (Row | PlannedRow)[] = [
  durableEventRouting,
  publishToReceipt,
  backlogDrain,
  assemblyOverSlowest,
  assemblyWithStalled,
  graphqlPageOverSql,
  graphqlPageOverApollo,
  graphqlPageOverPostgraphile,
  restRecordOverSelect,
  versionPublishing,
  governanceDecision,
  searchOverSql,
  deepPageOverFirst,
  bulkImport,
  webhookSends,
  eventToSockets,
  databaseAdaptor,
  fileAdaptor,
  idleAndColdStart,
  accessCosts,
  listTotals,
  memoryAfterLoad,
  scale,
  appliedEvents,
  reconciliationRates,
  commitsOfServers,
];
