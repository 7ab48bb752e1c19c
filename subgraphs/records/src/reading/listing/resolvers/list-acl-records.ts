import { AppError } from '@fds/errors';
import { requirePage, requirePermission, toPaged, type RequestContext } from '@fds/graphql';
import { loadAttachedRecords, type AclKey } from '@fds/owned-tables';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { loadVersionsOf } from '../store/load-versions-of.js';
import { listDataRecords, type ListingAccess } from './list-data-records.js';

export interface AclRecordsArguments {
  readonly adaptorUuid?: string | null;
  readonly query?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

/** The one version that a search is about. */
const searchedVersion = async (access: ListingAccess, versions: ReadonlySet<string>): Promise<DomainVersionView> => {
  const [uuid, ...others] = versions;
  const version = uuid === undefined || others.length > 0 ? undefined : await access.view().findVersionByUuid(uuid);
  if (version !== undefined) return version;
  throw new AppError('INVALID_PARAMETER', 'the records are not of one domain version', {
    errors: [{ pointer: 'query', code: 'NOT_ALLOWED', detail: 'needs records of one domain version' }],
  });
};

/**
 * Records that an entry of a chain is restricted to: whole ones for callers who may GET /drs, otherwise their uuids.
 *
 * @throws AppError NOT_FOUND for the entry, FORBIDDEN for a search by a caller who may not GET /drs,
 *   INVALID_PARAMETER, INVALID_QUERY
 */
export const listAclRecords = async (
  access: ListingAccess,
  acl: AclKey,
  args: AclRecordsArguments,
  context: RequestContext,
) => {
  const { principal } = context;
  const page = requirePage({ page: args.page ?? null, size: args.size ?? null });
  const isSearch = args.query !== null && args.query !== undefined && args.query.trim() !== '';
  if (isSearch) requirePermission(principal, 'GET', '/drs');
  const { reads } = access.database;
  const records = await loadVersionsOf(reads, await loadAttachedRecords(reads, acl), args.adaptorUuid ?? undefined);
  const uuids = [...records.keys()];
  if (!principal.permits('GET', '/drs')) {
    const first = page.page * page.size;
    const data = uuids.slice(first, first + page.size).map((uuid) => ({ uuid, record: null }));
    return toPaged(data, page, uuids.length);
  }
  const version = isSearch && uuids.length > 0 ? await searchedVersion(access, new Set(records.values())) : undefined;
  const listed = await listDataRecords(
    access,
    {
      ...page,
      isTotalRequested: true,
      drUuids: uuids,
      excludeAdaptors: !args.adaptorUuid,
      ...(args.adaptorUuid ? { adaptorUuid: args.adaptorUuid } : {}),
      ...(version === undefined
        ? {}
        : { domainName: version.domainName, versionNumber: version.versionNumber, query: args.query ?? '' }),
    },
    { principal, ...(context.signal === undefined ? {} : { signal: context.signal }) },
  );
  const data = await listed.data();
  return { data: data.map((record) => ({ uuid: record.uuid, record })), page: await listed.page() };
};
