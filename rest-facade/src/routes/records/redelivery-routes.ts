import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const redelivery = `
  fragment AdaptorRedelivery on AdaptorRedelivery {
    uuid zoneUuid adaptorUuid status domainVersionUuid from to drUuids query
    counts { examined sent withheld unanswered } progress
    startedByUuid dateCreated dateFinished message
  }`;

const common = { kind: 'graphql', tag: 'Reconciliations' } as const;
const collectionPath = '/zones/{zoneUuid}/adaptors/{adaptorUuid}/redeliveries';

/** Records that are sent to an adaptor again. */
export const redeliveryRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listAdaptorRedeliveries',
    summary: 'List the redeliveries of an adaptor, newest first',
    query: { paged: true },
    collection: 'redeliveries',
    status: 200,
    document: `
      query listAdaptorRedeliveries($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $page: Int, $size: Int) {
        result: adaptorRedeliveries(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, page: $page, size: $size) {
          data { ...AdaptorRedelivery } ${pageFields}
        }
      } ${redelivery}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'startAdaptorRedelivery',
    summary: 'Send an adaptor the current content of records again, in the background',
    body: { kind: 'object', variable: 'input' },
    status: 202,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation startAdaptorRedelivery($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: AdaptorRedeliveryInput!) {
        result: startAdaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) {
          ...AdaptorRedelivery
        }
      } ${redelivery}`,
  },
  {
    ...common,
    method: 'GET',
    path: `${collectionPath}/{redeliveryUuid}`,
    operationId: 'getAdaptorRedelivery',
    summary: 'Read a redelivery with its counts',
    status: 200,
    document: `
      query getAdaptorRedelivery($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $redeliveryUuid: Uuid!) {
        result: adaptorRedelivery(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, redeliveryUuid: $redeliveryUuid) {
          ...AdaptorRedelivery
        }
      } ${redelivery}`,
  },
  {
    ...common,
    method: 'DELETE',
    path: `${collectionPath}/{redeliveryUuid}`,
    operationId: 'cancelAdaptorRedelivery',
    summary: 'Cancel a redelivery that runs; sent messages are not taken back',
    status: 204,
    document: `
      mutation cancelAdaptorRedelivery($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $redeliveryUuid: Uuid!) {
        result: cancelAdaptorRedelivery(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, redeliveryUuid: $redeliveryUuid
        )
      }`,
  },
];
