import { readTogether } from '@fds/errors';
import { parseSort, requirePage, toPaged, type RequestContext } from '@fds/graphql';
import type { IssueFilter } from '../../store/issues/issue-filter.js';
import { issueSortFields } from '../../store/issues/issue-order.js';
import { countIssues, listIssues } from '../../store/issues/list-issues.js';
import { readIssueSight } from '../visibility/see-issue.js';
import { sessionOfCaller } from '../../reading/listing/resolvers/session-of-caller.js';
import { requireArea, type IssueAccess, type IssueArea } from './issue-access.js';
import { showIssues } from './show-issues.js';

export interface DataIssuesArguments extends IssueArea, IssueFilter {
  readonly sort?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

/** Issues of a place, or of all zones, that the caller may see, newest first unless sorted. @throws AppError NOT_FOUND, INVALID_PARAMETER */
export const listDataIssues = async (access: IssueAccess, args: DataIssuesArguments, context: RequestContext) => {
  const { paging, order } = readTogether({
    paging: () => requirePage(args),
    order: () => parseSort(args.sort, issueSortFields),
  });
  const place = await requireArea(access, args, context);
  const session = sessionOfCaller(access.database, context);
  const sight = readIssueSight(context.principal, access.view());
  const selection = { place, filter: args, sight };
  const total = await countIssues(session, selection);
  const offset = paging.page * paging.size;
  const issues =
    offset < total ? await listIssues(session, selection, { order, offset, limit: paging.size, total }) : [];
  return toPaged(await showIssues(access, sight, issues), paging, total);
};
