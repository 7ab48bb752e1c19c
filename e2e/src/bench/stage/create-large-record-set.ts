import { eventually } from '@fds/testing';
import { createRecordSet, fillRecordSet, type RecordSet } from './create-record-set.js';
import { loadSortExpression, requireSearchIndexes } from './insert-searched-records.js';
import type { Stage } from './open-stage.js';
import { learnGraphqlPages, pagedRecords, type GraphqlEndpoint } from './page-exchanges.js';

/** Records among which the set is read. */
export const largeRecordCount = 200_000;

/** A set whose pages are read. It is part of 200 000 records, and has the index for sorted pages. */
export interface LargeRecordSet {
  readonly set: RecordSet;
  readonly endpoint: GraphqlEndpoint;
  /** SQL expression of that index. */
  readonly sortExpression: string;
}

export const createLargeRecordSet = async (stage: Stage): Promise<LargeRecordSet> => {
  const { service, databaseUrl, authorization } = stage;
  const set = await createRecordSet(stage, pagedRecords);
  const endpoint = { origin: service.baseUrl, path: '/graphql', field: set.field, authorization };
  await fillRecordSet(databaseUrl, set, largeRecordCount);
  await learnGraphqlPages(endpoint, set, 'sorted');
  await eventually(() => requireSearchIndexes(databaseUrl, 1), { deadlineMs: 120_000, intervalMs: 500 });
  return { set, endpoint, sortExpression: await loadSortExpression(databaseUrl) };
};
