import { requirePage, toPaged, type RequestContext } from '@fds/graphql';
import { loadIssueMatches } from '../../store/issues/load-issue-matches.js';
import { seeIssueMatch, type SeenIssueMatch } from '../visibility/see-issue-match.js';
import { requireIssue, type IssueAccess, type IssueArguments } from './issue-access.js';

export interface IssueMatchesArguments extends IssueArguments {
  readonly drUuid?: string | null;
  readonly adaptor?: string | null;
  readonly minScore?: number | null;
  readonly maxScore?: number | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

/** A missing or hidden score is in no range. */
const isMeant = (match: SeenIssueMatch, { drUuid, adaptor, minScore, maxScore }: IssueMatchesArguments): boolean =>
  (drUuid ?? match.drUuid) === match.drUuid &&
  (adaptor ?? match.adaptorUuid) === match.adaptorUuid &&
  ((minScore ?? null) === null || (match.score !== null && match.score >= Number(minScore))) &&
  ((maxScore ?? null) === null || (match.score !== null && match.score <= Number(maxScore)));

/** Records that the event of an issue may be about and that the caller may see. @throws AppError NOT_FOUND, INVALID_PARAMETER */
export const listIssueMatches = async (access: IssueAccess, args: IssueMatchesArguments, context: RequestContext) => {
  const paging = requirePage(args);
  const { zoneUuid, adaptorUuid, issueUuid } = args;
  const { issue, sight } = await requireIssue(
    access,
    { zoneUuid, adaptorUuid: adaptorUuid ?? null, issueUuid },
    context,
  );
  const meant: SeenIssueMatch[] = [];
  for (const match of await loadIssueMatches(access.database.reads, issueUuid)) {
    const seen = await seeIssueMatch(sight, access.view(), issue.domainVersionUuid, match);
    if (seen !== undefined && isMeant(seen, args)) meant.push(seen);
  }
  const first = paging.page * paging.size;
  return toPaged(meant.slice(first, first + paging.size), paging, meant.length);
};
