import { guarded, type FieldAccess } from '@fds/graphql';
import type { GivenChangeVersion } from '@fds/errors';
import { changeDataIssue, deleteDataIssue, type IssueChangeArguments } from './change-data-issue.js';
import { requireIssue, type IssueAccess, type IssueArguments } from './issue-access.js';
import { countDataIssues, type IssueCountsArguments } from './count-data-issues.js';
import { listDataIssues, type DataIssuesArguments } from './list-data-issues.js';
import { listIssueMatches, type IssueMatchesArguments } from './list-issue-matches.js';
import { listWaitingEvents, type WaitingEventsArguments } from './list-waiting-events.js';
import { settleDataIssues, type SettlementArguments } from './settle-data-issues.js';
import { showIssues } from './show-issues.js';

const zone = '/zones/{zoneUuid}';
const adaptor = `${zone}/adaptors/{adaptorUuid}`;
const version = `${adaptor}/domains/{domainUuid}/versions/{domainVersionUuid}`;

/** Issues are below a zone, an adaptor, and a domain version at an adaptor. Access to one of these levels is enough at that level. */
const access = (
  action: FieldAccess['action'],
  path: string,
  levels: readonly string[] = [adaptor, version],
): FieldAccess => ({
  mode: 'require',
  action,
  resource: `${zone}${path}`,
  narrower: levels.map((level) => `${level}${path}`),
});

/** Issues of all zones are asked for without a zone. */
const anywhere = (path: string, levels: readonly string[]): FieldAccess => ({
  mode: 'require',
  action: 'GET',
  resource: path,
  narrower: levels.map((level) => `${level}${path}`),
});

const one = '/issues/{issueUuid}';

/** Data issues, and the decisions of people on them. */
export const createIssueResolvers = (issues: IssueAccess) => {
  const change = (action: 'PUT' | 'PATCH') =>
    guarded<IssueChangeArguments>(
      access(action, one),
      (args, context) => changeDataIssue(issues, args, action, context),
      { checks: 'input' },
    );
  return {
    Query: {
      dataIssues: guarded<DataIssuesArguments>(anywhere('/issues', [zone, adaptor, version]), (args, context) =>
        listDataIssues(issues, args, context),
      ),
      dataIssueCounts: guarded<IssueCountsArguments>(anywhere('/issues/counts', [zone]), (args, context) =>
        countDataIssues(issues, args, context),
      ),
      dataIssue: guarded<IssueArguments>(access('GET', one), async (args, context) => {
        const { issue, sight } = await requireIssue(issues, args, context);
        const [shown] = await showIssues(issues, sight, [issue]);
        return shown;
      }),
      dataIssueMatches: guarded<IssueMatchesArguments>(access('GET', `${one}/matches`, [adaptor]), (args, context) =>
        listIssueMatches(issues, args, context),
      ),
      dataIssueWaiting: guarded<WaitingEventsArguments>(access('GET', `${one}/waiting`), (args, context) =>
        listWaitingEvents(issues, args, context),
      ),
    },
    Mutation: {
      settleDataIssues: guarded<SettlementArguments>(
        { mode: 'require', action: 'POST', resource: `${zone}/issues/settle` },
        (args, context) => settleDataIssues(issues, args, context),
        { checks: 'input' },
      ),
      replaceDataIssue: change('PUT'),
      patchDataIssue: change('PATCH'),
      deleteDataIssue: guarded<IssueArguments & { readonly changeVersion?: GivenChangeVersion }>(
        access('DELETE', one),
        (args, context) => deleteDataIssue(issues, args, context),
      ),
    },
  };
};
