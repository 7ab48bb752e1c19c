import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const version = `
  fragment Version on DomainVersion {
    uuid versionNumber description modelSchema drKeyProperties searchProperties
    matchingAlgorithm { _value: definition }
    domain: domainSummary { uuid name description domainType zoneUuid active }
    active createdByUuid dateCreated lastUpdated changeVersion
  }`;

const property = `
  fragment Property on DomainVersionProperty {
    uuid name type format required drKey description reference
  }`;

/** Members of a property that its patch accepts unchanged from an answer. */
const derivedMembers = ['uuid', 'name', 'type', 'format', 'required', 'drKey', 'reference'];

const common = { kind: 'graphql', tag: 'Domain versions' } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collection = 'domainVersions';
const sort = ['domain.name', 'versionNumber', 'dateCreated', 'lastUpdated'];

/** The answer for a saved version, or the faults of a version that was only validated. */
const outcome = '{ _spread: domainVersion { ...Version } errors @include(if: $validateOnly) { pointer code detail } }';
const validateOnly = { parameters: { 'validate-only': 'validateOnly' } } as const;

const collectionRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/domains/{domainUuid}/versions',
    operationId: 'listVersionsOfDomain',
    summary: 'List versions of a domain: without a query string the default one, version:0 the default, otherwise all',
    query: { paged: true, sort, filters: { version: 'versionNumber' }, withoutQuery: { versionNumber: 0 } },
    collection,
    status: 200,
    document: `
      query listVersionsOfDomain($domainUuid: Uuid!, $versionNumber: Long, $page: Int, $size: Int, $sort: String) {
        result: versionsOfDomain(
          domainUuid: $domainUuid, versionNumber: $versionNumber, page: $page, size: $size, sort: $sort
        ) { data { ...Version } ${pageFields} }
      } ${version}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/domains/{domainUuid}/versions',
    operationId: 'createDomainVersion',
    summary: 'Create a version of a domain, or only validate it',
    query: validateOnly,
    body,
    status: 201,
    dryRunVariable: 'validateOnly',
    location: '/domains/{domainUuid}/versions/{uuid}',
    document: `
      mutation createDomainVersion($domainUuid: Uuid!, $input: DomainVersionInput!, $validateOnly: Boolean = false) {
        result: createDomainVersion(domainUuid: $domainUuid, input: $input, validateOnly: $validateOnly) ${outcome}
      } ${version}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/domains/versions',
    operationId: 'listDomainVersions',
    summary: 'List the active versions of all domains',
    query: { paged: true, sort, filters: { name: 'domainName', version: 'versionNumber' } },
    collection,
    status: 200,
    document: `
      query listDomainVersions(
        $domainName: String, $versionNumber: Long, $page: Int, $size: Int, $sort: String
      ) {
        result: domainVersions(
          domainName: $domainName, versionNumber: $versionNumber, page: $page, size: $size, sort: $sort
        ) { data { ...Version } ${pageFields} }
      } ${version}`,
  },
];

/** The two forms of a version's path: below its domain, or by its uuid only. */
interface PathForm {
  readonly path: string;
  /** Suffix of the operation ids of the form. */
  readonly suffix: string;
  readonly declares: string;
  readonly passes: string;
}

const variables = '$domainVersionUuid: Uuid!';
const given = 'domainVersionUuid: $domainVersionUuid';

const belowDomain: PathForm = {
  path: '/domains/{domainUuid}/versions/{domainVersionUuid}',
  suffix: 'OfDomain',
  declares: `$domainUuid: Uuid!, ${variables}`,
  passes: `domainUuid: $domainUuid, ${given}`,
};
const byUuid: PathForm = {
  path: '/domains/versions/{domainVersionUuid}',
  suffix: '',
  declares: variables,
  passes: given,
};

const versionRoutes = ({ path, suffix, declares, passes }: PathForm): readonly GraphqlRoute[] => [
  {
    ...common,
    method: 'GET',
    path,
    operationId: `getVersion${suffix}`,
    summary: 'Read a domain version',
    status: 200,
    document: `query getVersion(${declares}) { result: domainVersion(${passes}) { ...Version } } ${version}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: `replaceVersion${suffix}`,
    summary: 'Replace a domain version, or only validate it',
    query: validateOnly,
    body,
    status: 200,
    document: `
      mutation replaceVersion(${declares}, $input: DomainVersionInput!, $validateOnly: Boolean = false) {
        result: replaceDomainVersion(${passes}, input: $input, validateOnly: $validateOnly) ${outcome}
      } ${version}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: `patchVersion${suffix}`,
    summary: 'Add properties to a domain version, with data for them',
    body,
    status: 200,
    document: `
      mutation patchVersion(${declares}, $input: DomainVersionInput!) {
        result: patchDomainVersion(${passes}, input: $input) { _spread: domainVersion { ...Version } }
      } ${version}`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/properties`,
    operationId: `listProperties${suffix}`,
    summary: 'List the catalogued properties of a domain version, depth first unless sorted',
    query: { paged: true, sort: ['name', 'type', 'required', 'drKey'] },
    collection: 'properties',
    status: 200,
    document: `
      query listProperties(${declares}, $page: Int, $size: Int, $sort: String) {
        result: domainVersionProperties(${passes}, page: $page, size: $size, sort: $sort) {
          data { ...Property } ${pageFields}
        }
      } ${property}`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/properties/{propertyUuid}`,
    operationId: `getProperty${suffix}`,
    summary: 'Read a catalogued property',
    status: 200,
    document: `
      query getProperty(${declares}, $propertyUuid: Uuid!) {
        result: domainVersionProperty(${passes}, propertyUuid: $propertyUuid) { ...Property }
      } ${property}`,
  },
  {
    ...common,
    method: 'PATCH',
    path: `${path}/properties/{propertyUuid}`,
    operationId: `patchProperty${suffix}`,
    summary: 'Change the description of a catalogued property',
    body: { kind: 'members', variables: ['description', ...derivedMembers] },
    status: 200,
    document: `
      mutation patchProperty(
        ${declares}, $propertyUuid: Uuid!, $description: String,
        $uuid: Uuid, $name: String, $type: String, $format: String,
        $required: Boolean, $drKey: Boolean, $reference: String
      ) {
        result: patchDomainVersionProperty(
          ${passes}, propertyUuid: $propertyUuid, description: $description,
          uuid: $uuid, name: $name, type: $type, format: $format,
          required: $required, drKey: $drKey, reference: $reference
        ) { ...Property }
      } ${property}`,
  },
];

/** Domain versions and their catalogued properties, in both forms of path. */
export const domainVersionRoutes: readonly GraphqlRoute[] = [
  ...collectionRoutes,
  ...versionRoutes(belowDomain),
  ...versionRoutes(byUuid),
];
