export { createRecordsSubgraph, type RecordsDependencies, type RecordsSubgraph } from './create-records-subgraph.js';
export type { RecordTypeFeed } from './doors/record-types/record-type-feed.js';
export { openRecordTypeFeed } from './doors/record-types/open-record-type-feed.js';
export type { WebhookCatalog, WebhookPorts } from './exchange/webhooks/webhook-ports.js';
export { createRefusalNotices } from './issues/settlement/create-refusal-notices.js';
export {
  createAdaptorErrorTaker,
  type AdaptorErrorDependencies,
} from './issues/settlement/create-adaptor-error-taker.js';
export { renderReadingPlan } from './reading/listing/domain/render-reading-plan.js';
export { loadRecordFigures, type RecordFigures } from './store/channels/load-record-figures.js';
