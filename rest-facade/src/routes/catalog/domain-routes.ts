import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const summary =
  'uuid versionNumber description drKeyProperties active createdByUuid dateCreated lastUpdated changeVersion';

const domain = `
  fragment Domain on Domain {
    uuid name description domainType zoneUuid active
    defaultVersionUuid defaultVersionNumber versionCount
    defaultVersion: defaultVersionSummary {
      ${summary} modelSchema matchingAlgorithm { _value: definition }
    }
    versions: versionSummaries { ${summary} }
    createdByUuid dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Domains' } as const;
const body = { kind: 'object', variable: 'input' } as const;

/** Domains: kinds of data. */
export const domainRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/domains',
    operationId: 'listDomains',
    summary: 'List the domains',
    query: {
      paged: true,
      sort: ['name', 'domainType', 'active', 'dateCreated', 'lastUpdated'],
      filters: { name: 'domainName', 'domain-type': 'domainType', active: 'active' },
    },
    collection: 'domains',
    status: 200,
    document: `
      query listDomains(
        $domainName: String, $domainType: Domain_DomainType, $active: Boolean, $page: Int, $size: Int, $sort: String
      ) {
        result: domains(
          domainName: $domainName, domainType: $domainType, active: $active, page: $page, size: $size, sort: $sort
        ) { data { ...Domain } ${pageFields} }
      } ${domain}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/domains',
    operationId: 'createDomain',
    summary: 'Create a domain',
    body,
    status: 201,
    location: '/domains/{uuid}',
    document: `
      mutation createDomain($input: DomainInput!) { result: createDomain(input: $input) { ...Domain } } ${domain}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/domains/{domainUuid}',
    operationId: 'getDomain',
    summary: 'Read a domain',
    status: 200,
    document: `
      query getDomain($domainUuid: Uuid!) { result: domain(domainUuid: $domainUuid) { ...Domain } } ${domain}`,
  },
  {
    ...common,
    method: 'PUT',
    path: '/domains/{domainUuid}',
    operationId: 'replaceDomain',
    summary: 'Replace a domain: a member that the body omits becomes null',
    body,
    status: 200,
    document: `
      mutation replaceDomain($domainUuid: Uuid!, $input: DomainInput!) {
        result: replaceDomain(domainUuid: $domainUuid, input: $input) { ...Domain }
      } ${domain}`,
  },
  {
    ...common,
    method: 'PATCH',
    path: '/domains/{domainUuid}',
    operationId: 'patchDomain',
    summary: 'Change the description, activity or default version of a domain',
    body,
    status: 200,
    document: `
      mutation patchDomain($domainUuid: Uuid!, $input: DomainInput!) {
        result: patchDomain(domainUuid: $domainUuid, input: $input) { ...Domain }
      } ${domain}`,
  },
];
