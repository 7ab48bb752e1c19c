import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const preference = `
  fragment Preference on AdaptorPreference {
    uuid zoneUuid domainVersionUuid adaptorUuid preferenceType createdByUuid dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Adaptors' } as const;
const collection = 'zoneDomainVersionAdaptorPreferences';
const path = '/zones/{zoneUuid}/settings/domain-version-adaptor-preferences';
const listing = {
  query: {
    paged: true,
    sort: ['preferenceType', 'dateCreated', 'lastUpdated', 'domainVersionUuid', 'adaptorUuid'],
    filters: {
      adaptor: 'adaptorUuid',
      'domain-version': 'domainVersionUuid',
      'preference-type': 'preferenceType',
    },
  },
  collection,
  status: 200,
} as const;

const listDocument = (operation: string): string => `
  query ${operation}(
    $zoneUuid: Uuid!, $adaptorUuid: Uuid, $domainVersionUuid: Uuid, $preferenceType: PreferenceType,
    $page: Int, $size: Int, $sort: String
  ) {
    result: adaptorPreferences(
      zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, domainVersionUuid: $domainVersionUuid,
      preferenceType: $preferenceType, page: $page, size: $size, sort: $sort
    ) { data { ...Preference } ${pageFields} }
  } ${preference}`;

/** A zone's gold and silver adaptors. */
export const preferenceRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    ...listing,
    method: 'GET',
    path,
    operationId: 'listAdaptorPreferences',
    summary: 'List the gold and silver adaptors of a zone',
    document: listDocument('listAdaptorPreferences'),
  },
  {
    ...common,
    ...listing,
    method: 'GET',
    path: '/zones/{zoneUuid}/adaptors/settings/domain-version-adaptor-preferences',
    operationId: 'listAdaptorPreferencesOfAdaptors',
    summary: 'List the gold and silver adaptors of a zone (second spelling of the path)',
    document: listDocument('listAdaptorPreferencesOfAdaptors'),
  },
  {
    ...common,
    method: 'POST',
    path,
    operationId: 'createAdaptorPreference',
    summary: 'Make an adaptor gold or silver for a domain version',
    body: { kind: 'object', variable: 'input' },
    status: 201,
    location: `${path}/{uuid}`,
    document: `
      mutation createAdaptorPreference($zoneUuid: Uuid!, $input: AdaptorPreferenceInput!) {
        result: createAdaptorPreference(zoneUuid: $zoneUuid, input: $input) { ...Preference }
      } ${preference}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceAdaptorPreferences',
    summary: 'Replace all preferences of a zone',
    body: { kind: 'list', variable: 'inputs', wrapper: collection },
    collection,
    status: 200,
    document: `
      mutation replaceAdaptorPreferences($zoneUuid: Uuid!, $inputs: [AdaptorPreferenceInput!]!) {
        result: replaceAdaptorPreferences(zoneUuid: $zoneUuid, inputs: $inputs) { data { ...Preference } ${pageFields} }
      } ${preference}`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/{adaptorOrPreferenceUuid}`,
    operationId: 'getAdaptorPreferences',
    summary: 'List the preferences for an adaptor, or the one of the uuid',
    query: {
      ...listing.query,
      filters: { 'domain-version': 'domainVersionUuid', 'preference-type': 'preferenceType' },
    },
    collection,
    status: 200,
    document: `
      query getAdaptorPreferences(
        $zoneUuid: Uuid!, $adaptorOrPreferenceUuid: Uuid!, $domainVersionUuid: Uuid, $preferenceType: PreferenceType,
        $page: Int, $size: Int, $sort: String
      ) {
        result: adaptorPreferences(
          zoneUuid: $zoneUuid, adaptorOrPreferenceUuid: $adaptorOrPreferenceUuid, domainVersionUuid: $domainVersionUuid,
          preferenceType: $preferenceType, page: $page, size: $size, sort: $sort
        ) { data { ...Preference } ${pageFields} }
      } ${preference}`,
  },
  {
    ...common,
    method: 'PUT',
    path: `${path}/{adaptorOrPreferenceUuid}`,
    operationId: 'setAdaptorPreference',
    summary: 'Make the adaptor gold, silver or bronze for a domain version; bronze removes the preference',
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      mutation setAdaptorPreference($zoneUuid: Uuid!, $adaptorOrPreferenceUuid: Uuid!, $input: AdaptorTierInput!) {
        result: setAdaptorPreference(zoneUuid: $zoneUuid, adaptorUuid: $adaptorOrPreferenceUuid, input: $input) {
          ...Preference
        }
      } ${preference}`,
  },
  {
    ...common,
    method: 'DELETE',
    path: `${path}/{adaptorOrPreferenceUuid}`,
    operationId: 'deleteAdaptorPreference',
    summary: 'Remove the preference of the uuid, or those for an adaptor',
    status: 204,
    document: `
      mutation deleteAdaptorPreference($zoneUuid: Uuid!, $adaptorOrPreferenceUuid: Uuid!) {
        result: deleteAdaptorPreference(zoneUuid: $zoneUuid, adaptorOrPreferenceUuid: $adaptorOrPreferenceUuid)
      }`,
  },
];
