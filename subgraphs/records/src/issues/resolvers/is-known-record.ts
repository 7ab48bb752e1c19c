import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { findVersionsOfRecords } from '../../catalog-view/store/find-versions-of-records.js';
import { loadIssueMatches } from '../../store/issues/load-issue-matches.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import type { IssueSight } from '../visibility/see-issue.js';
import { seeIssueMatch } from '../visibility/see-issue-match.js';
import { getDataRecord } from '../../reading/listing/resolvers/list-data-records.js';
import type { IssueAccess } from './issue-access.js';

/** An issue and its visible part. */
interface SeenIssue {
  readonly issue: ListedIssue;
  readonly sight: IssueSight;
}

/** Does the issue itself show the uuid to the caller, as that of its record or of a candidate? */
const isShown = async (access: IssueAccess, { issue, sight }: SeenIssue, drUuid: string): Promise<boolean> => {
  if (issue.recordUuid === drUuid) return true;
  const matches = await loadIssueMatches(access.database.reads, issue.uuid);
  const candidate = matches.find(({ recordUuid }) => recordUuid === drUuid);
  return (
    candidate !== undefined &&
    (await seeIssueMatch(sight, access.view(), issue.domainVersionUuid, candidate)) !== undefined
  );
};

/**
 * May the caller settle the issue with the record? Only with a record of the issue's version that the caller may see. A hidden
 * record and one that does not exist give the same result.
 */
export const isKnownRecord = async (
  access: IssueAccess,
  seen: SeenIssue,
  drUuid: string,
  { principal }: RequestContext,
): Promise<boolean> => {
  if (!principal.permits('GET', `/drs/${drUuid}`) && !(await isShown(access, seen, drUuid))) return false;
  const versions = await findVersionsOfRecords(access.database.reads, [drUuid]);
  if (versions.get(drUuid) !== seen.issue.domainVersionUuid) return false;
  if (principal.dataAccess === undefined) return true;
  return getDataRecord(access, { drUuid }, principal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
      throw error;
    },
  );
};
