import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const adaptorType = `
  fragment AdaptorType on AdaptorType {
    uuid name description version adaptorTypeLabel
    defaultCapabilities { domainName versionNumber action direction }
    defaultMetadata secretProperties secretZones zoneUuid dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Adaptor types' } as const;
const body = { kind: 'object', variable: 'input' } as const;

/** Types of adaptors: defaults that their adaptors inherit. */
export const adaptorTypeRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/adaptor-types',
    operationId: 'listAdaptorTypes',
    summary: 'List the adaptor types',
    query: { paged: true, sort: ['name', 'version', 'dateCreated', 'lastUpdated'], filters: { name: 'name' } },
    collection: 'adaptorTypes',
    status: 200,
    document: `
      query listAdaptorTypes($name: String, $page: Int, $size: Int, $sort: String) {
        result: adaptorTypes(name: $name, page: $page, size: $size, sort: $sort) {
          data { ...AdaptorType } ${pageFields}
        }
      } ${adaptorType}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/adaptor-types',
    operationId: 'createAdaptorType',
    summary: 'Create an adaptor type',
    body,
    status: 201,
    location: '/adaptor-types/{uuid}',
    document: `
      mutation createAdaptorType($input: AdaptorTypeInput!) {
        result: createAdaptorType(input: $input) { ...AdaptorType }
      } ${adaptorType}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/adaptor-types/{adaptorTypeUuid}',
    operationId: 'getAdaptorType',
    versioned: 'wholly',
    summary: 'Read an adaptor type',
    status: 200,
    document: `
      query getAdaptorType($adaptorTypeUuid: Uuid!) {
        result: adaptorType(adaptorTypeUuid: $adaptorTypeUuid) { ...AdaptorType }
      } ${adaptorType}`,
  },
  {
    ...common,
    method: 'PUT',
    path: '/adaptor-types/{adaptorTypeUuid}',
    operationId: 'replaceAdaptorType',
    summary: 'Replace an adaptor type: a member that the body omits becomes null',
    body,
    status: 200,
    document: `
      mutation replaceAdaptorType($adaptorTypeUuid: Uuid!, $input: AdaptorTypeInput!) {
        result: replaceAdaptorType(adaptorTypeUuid: $adaptorTypeUuid, input: $input) { ...AdaptorType }
      } ${adaptorType}`,
  },
  {
    ...common,
    method: 'PATCH',
    path: '/adaptor-types/{adaptorTypeUuid}',
    operationId: 'patchAdaptorType',
    summary: 'Change members of an adaptor type',
    body,
    status: 200,
    document: `
      mutation patchAdaptorType($adaptorTypeUuid: Uuid!, $input: AdaptorTypeInput!) {
        result: patchAdaptorType(adaptorTypeUuid: $adaptorTypeUuid, input: $input) { ...AdaptorType }
      } ${adaptorType}`,
  },
  {
    ...common,
    method: 'DELETE',
    path: '/adaptor-types/{adaptorTypeUuid}',
    operationId: 'deleteAdaptorType',
    summary: 'Remove an adaptor type that no adaptor has',
    status: 204,
    document: `
      mutation deleteAdaptorType($adaptorTypeUuid: Uuid!, $changeVersion: Long) {
        result: deleteAdaptorType(adaptorTypeUuid: $adaptorTypeUuid, changeVersion: $changeVersion)
      }`,
  },
];
