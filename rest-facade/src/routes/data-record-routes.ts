import type { GraphqlRoute } from '../route.js';
import { pageFields } from './page-fields.js';

const record = `
  fragment Record on DataRecord { uuid adaptorUuid domainVersionUuid createdByUuid dateCreated drKey json }`;

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
    },
    collection: 'drs',
    status: 200,
    document: `
      query listDataRecords(
        $domainName: String, $versionNumber: Long, $drUuids: [Uuid!], $drKey: String, $adaptorUuid: Uuid,
        $excludeAdaptors: Boolean, $query: String, $sort: String, $page: Int, $size: Int
      ) {
        result: dataRecords(
          domainName: $domainName, versionNumber: $versionNumber, drUuids: $drUuids, drKey: $drKey,
          adaptorUuid: $adaptorUuid, excludeAdaptors: $excludeAdaptors,
          query: $query, sort: $sort, page: $page, size: $size
        ) { data { ...Record } ${pageFields} }
      } ${record}`,
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
    query: { filters: { adaptor: 'adaptorUuid' } },
    status: 200,
    document: `
      query getDataRecord($drUuid: Uuid!, $adaptorUuid: Uuid) {
        result: dataRecord(drUuid: $drUuid, adaptorUuid: $adaptorUuid) { ...Record }
      } ${record}`,
  },
];
