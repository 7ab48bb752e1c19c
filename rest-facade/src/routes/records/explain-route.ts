import type { GraphqlRoute } from '../../route.js';

/** The way of events through the hub. */
export const explainRoute: GraphqlRoute = {
  kind: 'graphql',
  tag: 'Explain',
  method: 'GET',
  path: '/explain/{id}',
  operationId: 'explain',
  summary:
    'Explain a record, data event, transaction, issue, message, reconciliation or request: its steps, and the way to every adaptor',
  status: 200,
  document: `
    query explain($id: String!) {
      result: explain(id: $id) {
        id kind summary hidden
        events {
          uuid transactionUuid requestId action drUuid drKey domain version
          source { adaptorUuid userUuid name zoneUuid }
          steps { stage at outcome detail algorithm candidates { drUuid score comparisons } aclUuid text }
          destinations {
            adaptorUuid name zoneUuid action status reason chain aclUuid changed
            removed { property chain aclUuid }
            notApplied { property reason }
            sequence queuedAt sentAt acknowledgedAt attempts ahead hidden text
          }
          issues hidden
        }
        related { kind id why }
      }
    }`,
};
