import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { countWaiting } from '../../store/issues/waiting-events.js';
import type { IssueSight } from '../visibility/see-issue.js';
import type { IssueAccess } from './issue-access.js';
import { showIssue } from './show-issue.js';

/** Issues as GraphQL shows them, each with the number of events that wait behind it. */
export const showIssues = async (
  { database, view }: IssueAccess,
  sight: IssueSight,
  issues: readonly ListedIssue[],
): Promise<readonly Awaited<ReturnType<typeof showIssue>>[]> => {
  const open = issues.filter(
    ({ status, keyDigest, cause }) => status === 'OPEN' && (keyDigest !== null || cause === 'MASS_DELETION'),
  );
  const waiting = await countWaiting(
    database.reads,
    open.map(({ uuid }) => uuid),
  );
  const shown = [];
  for (const issue of issues) shown.push(await showIssue(sight, view(), issue, waiting.get(issue.uuid) ?? 0));
  return shown;
};
