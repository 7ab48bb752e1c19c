import type { Variants } from '../../answer/apply-variants.js';
import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const members = (json: string): string =>
  `domainType uuid adaptorUuid domainVersionUuid dateCreated createdByUuid ${json} drKey`;

/** A record of a federated domain shows its adaptor; one of a data store its writer and its data. */
const variants: Variants = {
  by: 'domainType',
  members: { FEDERATED: ['adaptorUuid'], SERVICE_DATA_STORE: ['createdByUuid', 'json'] },
};

const record = `
  fragment Record on DataRecord { ${members('json')} changeVersion }`;

const common = { kind: 'graphql', tag: 'Data records' } as const;

/** Data records. */
export const dataRecordRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/drs',
    operationId: 'listDataRecords',
    summary: 'List the data records of a domain version, or those given by uuid',
    query: {
      paged: true,
      search: true,
      sort: 'anyProperty',
      filters: {
        name: 'domainName',
        version: 'versionNumber',
        'dr-uuids': 'drUuids',
        'dr-key': 'drKey',
        adaptor: 'adaptorUuid',
        'exclude-adaptors': 'excludeAdaptors',
      },
      needs: 'name:person',
      options: { expandRefs: 'expandRefs' },
    },
    collection: 'drs',
    schemaNames: { DataRecord: 'ListedDataRecord' },
    status: 200,
    variants,
    document: `
      query listDataRecords(
        $domainName: String, $versionNumber: Long, $drUuids: [Uuid!], $drKey: String, $adaptorUuid: Uuid,
        $excludeAdaptors: Boolean, $expandRefs: Boolean = true,
        $query: String, $sort: String, $page: Int, $size: Int
      ) {
        result: dataRecords(
          domainName: $domainName, versionNumber: $versionNumber, drUuids: $drUuids, drKey: $drKey,
          adaptorUuid: $adaptorUuid, excludeAdaptors: $excludeAdaptors,
          query: $query, sort: $sort, page: $page, size: $size
        ) { data { ${members('json(expandRefs: $expandRefs)')} } ${pageFields} }
      }`,
  },
  {
    ...common,
    method: 'POST',
    path: '/drs',
    operationId: 'createDataRecord',
    summary: 'Add a data record; of a FEDERATED domain the catalogue entry only',
    body: { kind: 'object', variable: 'input' },
    status: 201,
    location: '/drs/{uuid}',
    readAgain: {
      variable: 'drUuid',
      document: `
      query readCreatedDataRecord($drUuid: Uuid!) {
        result: dataRecord(drUuid: $drUuid) { ...Record }
      } ${record}`,
    },
    variants,
    document: `
      mutation createDataRecord($input: DataRecordInput!) {
        result: createDataRecord(input: $input) { ...Record }
      } ${record}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/drs/{drUuid}',
    operationId: 'getDataRecord',
    summary: 'Read a data record',
    query: {
      filters: { adaptor: 'adaptorUuid' },
      options: { refs: 'refs', expandRefs: 'expandRefs', includeJson: 'includeJson' },
      givenOptions: 'options',
    },
    status: 200,
    variants,
    document: `
      query getDataRecord(
        $drUuid: Uuid!, $adaptorUuid: Uuid, $options: [String!],
        $refs: Boolean = false, $expandRefs: Boolean = true, $includeJson: Boolean = true
      ) {
        result: dataRecord(drUuid: $drUuid, adaptorUuid: $adaptorUuid, options: $options) {
          ${members('json(expandRefs: $expandRefs) @include(if: $includeJson)')} changeVersion
          _refs: refs @include(if: $refs) { property href }
        }
      }`,
  },
  {
    ...common,
    method: 'PATCH',
    path: '/drs/{drUuid}',
    operationId: 'patchDataRecord',
    summary: 'Merge a JSON merge patch (RFC 7396) into the data of a data-store record',
    body: { kind: 'object', variable: 'patch' },
    status: 200,
    variants,
    document: `
      mutation patchDataRecord($drUuid: Uuid!, $patch: Json!, $changeVersion: Long) {
        result: patchDataRecord(drUuid: $drUuid, patch: $patch, changeVersion: $changeVersion) { ...Record }
      } ${record}`,
  },
  {
    ...common,
    method: 'DELETE',
    path: '/drs/{drUuid}',
    operationId: 'deleteDataRecord',
    summary: 'Delete a record: of the data store at once, a federated one at the adaptors that link it',
    query: { parameters: { adaptorUuids: 'adaptorUuids', zoneUuid: 'zoneUuid' } },
    status: 202,
    emptyWithout: 'adaptors',
    document: `
      mutation deleteDataRecord($drUuid: Uuid!, $adaptorUuids: [Uuid!], $zoneUuid: Uuid, $changeVersion: Long) {
        result: deleteDataRecord(
          drUuid: $drUuid, adaptorUuids: $adaptorUuids, zoneUuid: $zoneUuid, changeVersion: $changeVersion
        ) {
          transactionUuid adaptors { adaptorUuid status }
        }
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: '/drs/{drUuid}/data-events',
    operationId: 'listDataEvents',
    summary: 'List the data events of a record, newest first unless sorted',
    query: { paged: true, sort: ['createTime', 'action', 'matchStatus', 'sourceAdaptorUuid'] },
    collection: 'dataEvents',
    status: 200,
    document: `
      query listDataEvents($drUuid: Uuid!, $sort: String, $page: Int, $size: Int) {
        result: dataEvents(drUuid: $drUuid, sort: $sort, page: $page, size: $size) {
          data {
            uuid transactionUuid action matchStatus sourceAdaptorUuid
            destinations { adaptorUuid status removedProperties aclUuid }
            overrides { eventUuid sourceAdaptorUuid properties }
            overriddenBy { eventUuid sourceAdaptorUuid properties }
            createTime drKey
          }
          ${pageFields}
        }
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: '/drs/{drUuid}/adaptor/{adaptorUuid}/check',
    operationId: 'checkDataRecordLink',
    summary: 'Check whether the server has a link of a record at an adaptor; 404 proves nothing',
    status: 200,
    document: `
      query checkDataRecordLink($drUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: recordLink(drUuid: $drUuid, adaptorUuid: $adaptorUuid) { drUuid adaptorUuid dateCreated drKey }
      }`,
  },
];
