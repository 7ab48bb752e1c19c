import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const reconciliation = `
  fragment Reconciliation on Reconciliation {
    uuid zoneUuid adaptorUuid status preview domainVersionUuid values missingHere missingThere properties query
    counts { examined equal differing missingHere missingThere unreadable sent }
    byProperty { property differing }
    progress startedByUuid dateCreated dateFinished message
  }`;

const common = { kind: 'graphql', tag: 'Reconciliations' } as const;
const collectionPath = '/zones/{zoneUuid}/adaptors/{adaptorUuid}/reconciliations';
const path = `${collectionPath}/{reconciliationUuid}`;

/** Comparisons of an adaptor with the others. */
export const reconciliationRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listReconciliations',
    summary: 'List the reconciliations of an adaptor, newest first',
    query: { paged: true, filters: { status: 'status', 'domain-version': 'domainVersionUuid' } },
    collection: 'reconciliations',
    status: 200,
    document: `
      query listReconciliations(
        $zoneUuid: Uuid!, $adaptorUuid: Uuid!, $status: [ReconciliationStatus!], $domainVersionUuid: Uuid,
        $page: Int, $size: Int
      ) {
        result: reconciliations(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, status: $status, domainVersionUuid: $domainVersionUuid,
          page: $page, size: $size
        ) { data { ...Reconciliation } ${pageFields} }
      } ${reconciliation}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'startReconciliation',
    summary: 'Compare an adaptor with the others in the background, without or with effect',
    body: { kind: 'object', variable: 'input' },
    status: 202,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation startReconciliation($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: ReconciliationInput!) {
        result: startReconciliation(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) { ...Reconciliation }
      } ${reconciliation}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getReconciliation',
    summary: 'Read a reconciliation with its counts and its progress',
    status: 200,
    document: `
      query getReconciliation($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $reconciliationUuid: Uuid!) {
        result: reconciliation(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $reconciliationUuid
        ) { ...Reconciliation }
      } ${reconciliation}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'cancelReconciliation',
    summary: 'Cancel a reconciliation that runs; sent messages are not taken back',
    status: 204,
    document: `
      mutation cancelReconciliation($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $reconciliationUuid: Uuid!) {
        result: cancelReconciliation(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $reconciliationUuid
        )
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/differences`,
    operationId: 'listReconciliationDifferences',
    summary: 'List the records that differ, or that a side lacks',
    query: { paged: true, filters: { kind: 'kind', property: 'property' } },
    collection: 'differences',
    status: 200,
    document: `
      query listReconciliationDifferences(
        $zoneUuid: Uuid!, $adaptorUuid: Uuid!, $reconciliationUuid: Uuid!, $kind: [DifferenceKind!], $property: String,
        $page: Int, $size: Int
      ) {
        result: reconciliationDifferences(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, reconciliationUuid: $reconciliationUuid, kind: $kind,
          property: $property, page: $page, size: $size
        ) {
          data { drUuid drKey kind properties { property adaptorUuid otherAdaptorUuid chosen _spread: values { value otherValue } } }
          ${pageFields}
        }
      }`,
  },
];
