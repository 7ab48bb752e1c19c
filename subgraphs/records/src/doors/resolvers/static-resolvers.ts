import DataLoader from 'dataloader';
import { guarded, requestsTotal, type RequestContext } from '@fds/graphql';
import { countLinkages } from '../../store/records/read-records.js';
import {
  deleteDataRecord,
  patchDataRecord,
  type DeletionArguments,
  type PatchArguments,
} from '../../writing/writes/resolvers/change-data-record.js';
import { createDataRecord, type DataRecordInput } from '../../writing/writes/resolvers/create-data-record.js';
import { createAclResolvers } from './acl-resolvers.js';
import { createImportResolvers } from '../../writing/imports/resolvers/import-resolvers.js';
import type { ImportLimits } from '../../writing/imports/resolvers/import-data-records.js';
import {
  findVisibleRecord,
  listDataRecords,
  type DataRecordArguments,
  type DataRecordsArguments,
  type ListingAccess,
} from '../../reading/listing/resolvers/list-data-records.js';
import { createExplainResolvers } from '../../explain/resolvers/explain.js';
import { createRehearsalResolvers } from '../../rehearsal/resolvers/rehearse.js';
import { createDataRecordResolvers } from './data-record-resolvers.js';
import type { RecordReads } from './create-record-reads.js';
import {
  getRecordLink,
  listDataEvents,
  type DataEventsArguments,
} from '../../reading/listing/resolvers/record-history.js';
import {
  countDataEvents,
  requireOneKind,
  searchDataEvents,
  type EventSearchArguments,
} from '../../reading/listing/resolvers/search-data-events.js';
import type { IssueAccess } from '../../issues/resolvers/issue-access.js';
import { createIssueResolvers } from '../../issues/resolvers/issue-resolvers.js';
import { readIssueSight } from '../../issues/visibility/see-issue.js';
import { countOpenIssues } from '../../store/issues/count-open-issues.js';
import {
  createReconciliationResolvers,
  type ReconciliationAccess,
} from '../../reconciliation/resolvers/reconciliation-resolvers.js';
import {
  createRedeliveryResolvers,
  type RedeliveryAccess,
} from '../../reconciliation/redelivery/redelivery-resolvers.js';
import { perRequest } from '../../base/per-request.js';
import type { RecordsWriting } from '../../writing/writes/resolvers/require-written.js';

/**
 * Resolvers of the static schema.
 *
 * @param reads of single records, shared with other doors
 */
export const createStaticResolvers = (
  access: RecordsWriting & ImportLimits & ListingAccess & IssueAccess & ReconciliationAccess & RedeliveryAccess,
  reads: RecordReads,
): Record<string, unknown> => {
  const linkages = perRequest(
    () =>
      new DataLoader<string, bigint>(async (uuids) => {
        const counts = await countLinkages(access.database.reads, uuids);
        return uuids.map((uuid) => counts.get(uuid) ?? 0n);
      }),
  );
  const openIssues = perRequest(
    ({ principal }) =>
      new DataLoader<string, bigint | null>(async (uuids) => {
        const found = await countOpenIssues(access.database.reads, uuids, readIssueSight(principal, access.view()));
        return uuids.map((uuid) => {
          const open = found.get(uuid);
          const path = `/zones/${open?.zoneUuid}/adaptors/${uuid}/issues`;
          return open === undefined || !principal.permits('GET', path) ? null : open.count;
        });
      }),
  );
  const issues = createIssueResolvers(access);
  const reconciliations = createReconciliationResolvers(access);
  const redeliveries = createRedeliveryResolvers(access);
  return {
    Query: {
      ...issues.Query,
      ...reconciliations.Query,
      ...redeliveries.Query,
      ...createExplainResolvers(access).Query,
      ...createRehearsalResolvers(access),
      dataRecords: guarded<DataRecordsArguments>(
        { mode: 'require', action: 'GET', resource: '/drs' },
        (args, context, info) => listDataRecords(access, { ...args, isTotalRequested: requestsTotal(info) }, context),
        { checks: 'input' },
      ),
      dataRecord: guarded<DataRecordArguments>({ mode: 'require', action: 'GET', resource: '/drs/{drUuid}' }, reads),
      ...createAclResolvers(access),
      recordLink: guarded<{ readonly drUuid: string; readonly adaptorUuid: string }>(
        { mode: 'require', action: 'GET', resource: '/drs/{drUuid}/adaptor/{adaptorUuid}/check' },
        (args, { principal }) => getRecordLink(access, args, principal),
      ),
      dataEvents: guarded<
        Omit<DataEventsArguments, 'drUuid'> & EventSearchArguments & { readonly drUuid?: string | null }
      >(
        { mode: 'require', action: 'GET', resource: '/data-events', narrower: ['/drs/{drUuid}/data-events'] },
        ({ drUuid, ...args }, context) => {
          requireOneKind(drUuid, args);
          return drUuid === null || drUuid === undefined
            ? searchDataEvents(access, args, context)
            : listDataEvents(access, { ...args, drUuid }, context.principal);
        },
      ),
      dataEventCounts: guarded<EventSearchArguments>(
        { mode: 'require', action: 'GET', resource: '/data-events/counts' },
        (args, context) => countDataEvents(access, args, context),
      ),
    },
    Mutation: {
      ...issues.Mutation,
      ...reconciliations.Mutation,
      ...redeliveries.Mutation,
      createDataRecord: guarded<{ readonly input: DataRecordInput }>(
        { mode: 'require', action: 'POST', resource: '/drs' },
        ({ input }, context) => createDataRecord(access, input, context),
        { checks: 'input' },
      ),
      patchDataRecord: guarded<PatchArguments>(
        { mode: 'require', action: 'PATCH', resource: '/drs/{drUuid}' },
        (args, context) => patchDataRecord(access, args, context),
        { checks: 'input' },
      ),
      deleteDataRecord: guarded<DeletionArguments>(
        { mode: 'require', action: 'DELETE', resource: '/drs/{drUuid}' },
        (args, context) => deleteDataRecord(access, args, context),
      ),
      ...createImportResolvers(access),
    },
    DataRecord: {
      ...createDataRecordResolvers(access),
      __resolveReference: ({ uuid }: { readonly uuid: string }, { principal }: RequestContext) =>
        findVisibleRecord(access, uuid, principal),
    },
    Adaptor: {
      __resolveReference: ({ uuid }: { readonly uuid: string }) => ({ uuid }),
      linkageCount: ({ uuid }: { readonly uuid: string }, _args: unknown, context: RequestContext) =>
        linkages(context).load(uuid),
      openIssues: ({ uuid }: { readonly uuid: string }, _args: unknown, context: RequestContext) =>
        openIssues(context).load(uuid),
    },
  };
};
