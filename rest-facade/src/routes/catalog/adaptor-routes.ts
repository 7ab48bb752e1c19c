import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const adaptor = `
  fragment Adaptor on Adaptor {
    uuid name description adaptorTypeUuid
    adaptorType: adaptorTypeSummary { uuid name description version zoneUuid dateCreated lastUpdated changeVersion }
    zoneUuid state stateMessage discoveryMode active
    discovery { domainVersionUuid complete records dateCompleted }
    deletionLimit { percent minimum seconds }
    capabilities { domainName versionNumber action direction }
    verified { domainVersionUuid date equal differing missingHere missingThere }
    metadata createdByUuid dateCreated lastUpdated changeVersion
  }`;

const registration = `
  fragment Registration on AdaptorRegistration {
    uuid zoneUuid clientId clientSecret messageBusUrl messageBusUrls
  }`;

const common = { kind: 'graphql', tag: 'Adaptors' } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collectionPath = '/zones/{zoneUuid}/adaptors';
const path = `${collectionPath}/{adaptorUuid}`;

/** Adaptors of a zone and their registrations. */
export const adaptorRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listAdaptors',
    summary: 'List the adaptors of a zone, only the active ones by default',
    query: {
      paged: true,
      sort: ['name', 'state', 'active', 'discoveryMode', 'dateCreated', 'lastUpdated', 'adaptorType.name'],
      filters: {
        name: 'name',
        state: 'state',
        active: 'active',
        'adaptor-type-uuid': 'adaptorTypeUuid',
        'domain-version': 'domainVersionUuid',
        action: 'action',
      },
      options: { 'include-inactive': 'includeInactive', 'include-linkages': 'includeLinkages' },
    },
    collection: 'adaptors',
    status: 200,
    document: `
      query listAdaptors(
        $zoneUuid: Uuid!, $name: String, $state: AdaptorState, $active: Boolean, $adaptorTypeUuid: Uuid,
        $domainVersionUuid: Uuid, $action: CapabilityAction, $includeInactive: Boolean,
        $includeLinkages: Boolean = false, $page: Int, $size: Int, $sort: String
      ) {
        result: adaptors(
          zoneUuid: $zoneUuid, name: $name, state: $state, active: $active, adaptorTypeUuid: $adaptorTypeUuid,
          domainVersionUuid: $domainVersionUuid, action: $action, includeInactive: $includeInactive,
          page: $page, size: $size, sort: $sort
        ) { data { ...Adaptor linkageCount @include(if: $includeLinkages) } ${pageFields} }
      } ${adaptor}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createAdaptor',
    showsSecrets: true,
    summary: 'Create an adaptor; the answer contains its credentials',
    body,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createAdaptor($zoneUuid: Uuid!, $input: AdaptorInput!) {
        result: createAdaptor(zoneUuid: $zoneUuid, input: $input) {
          _spread: adaptor { ...Adaptor } clientId clientSecret
        }
      } ${adaptor}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getAdaptor',
    summary: 'Read an adaptor',
    query: { options: { 'include-linkages': 'includeLinkages' } },
    status: 200,
    document: `
      query getAdaptor($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $includeLinkages: Boolean = false) {
        result: adaptor(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) {
          ...Adaptor linkageCount @include(if: $includeLinkages)
        }
      } ${adaptor}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceAdaptor',
    summary: 'Replace an adaptor: a member that the body omits becomes null, but state and active stay',
    body,
    status: 200,
    document: `
      mutation replaceAdaptor($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: AdaptorInput!) {
        result: replaceAdaptor(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) { ...Adaptor }
      } ${adaptor}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchAdaptor',
    summary: 'Change members of an adaptor, or its state',
    body,
    status: 200,
    document: `
      mutation patchAdaptor($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $input: AdaptorInput!) {
        result: patchAdaptor(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, input: $input) { ...Adaptor }
      } ${adaptor}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteAdaptor',
    summary: 'Deactivate an adaptor, or remove it for good with force',
    query: { parameters: { force: 'force' } },
    status: 204,
    document: `
      mutation deleteAdaptor($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $force: Boolean, $changeVersion: Long) {
        result: deleteAdaptor(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, force: $force, changeVersion: $changeVersion
        )
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/registration`,
    operationId: 'getAdaptorRegistration',
    showsSecrets: true,
    summary: 'Read the credentials of an adaptor and the address of the message bus',
    status: 200,
    document: `
      query getAdaptorRegistration($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: adaptorRegistration(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) { ...Registration }
      } ${registration}`,
  },
  {
    ...common,
    method: 'POST',
    path: `${path}/registration`,
    operationId: 'reissueAdaptorRegistration',
    showsSecrets: true,
    summary: 'Issue a new secret; the old one stays valid for a grace period',
    status: 201,
    location: `${path}/registration`,
    document: `
      mutation reissueAdaptorRegistration($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: reissueAdaptorRegistration(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) { ...Registration }
      } ${registration}`,
  },
];
