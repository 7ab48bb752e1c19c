import type { GraphqlRoute } from '../../route.js';

/** Records of a file (docs/reference/data-records.md#bulk-import). */
export const bulkImportRoute: GraphqlRoute = {
  kind: 'graphql',
  method: 'POST',
  path: '/drs/bulk',
  operationId: 'importDataRecords',
  tag: 'Data records',
  summary: 'Import the records of a file: a JSON array, lines of JSON, or CSV with a header',
  query: {
    filters: { name: 'domainName', version: 'versionNumber' },
    needs: 'name:person',
    options: { mode: 'mode', atomic: 'atomic' },
  },
  receives: 'file',
  body: { kind: 'members', variables: ['uploadUuid', 'format'] },
  status: 200,
  document: `
    mutation importDataRecords(
      $uploadUuid: Uuid!, $format: ImportFormat!, $domainName: String, $versionNumber: Long,
      $mode: ImportMode, $atomic: Boolean
    ) {
      result: importDataRecords(input: {
        uploadUuid: $uploadUuid, format: $format, domainName: $domainName, versionNumber: $versionNumber,
        mode: $mode, atomic: $atomic
      }) { total created updated unchanged failed errors { row pointer code detail } }
    }`,
};
