import { AppError, type ErrorCause, FaultList } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { readIssueChange, type IssueChange } from '../../domain/issues/read-issue-change.js';
import { closeDropped } from '../../store/issues/change-issue.js';
import { countIssues, loadIssues, reloadOpenIssues, type IssueSelection } from '../../store/issues/list-issues.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { readIssueSight, seeIssueData, type IssueSight } from '../visibility/see-issue.js';
import { sessionOfCaller } from '../../reading/listing/resolvers/session-of-caller.js';
import { applyIssueChange, toChanged, versionOf } from './change-data-issue.js';
import { requirePlace, type IssueAccess } from './issue-access.js';
import { readSettlement, type SettlementInput } from './read-settlement.js';

/** `OPEN`: the event was processed again and failed again. */
type Outcome = 'MATCHED' | 'CLOSED' | 'OPEN' | 'FAILED';

interface SettledIssue {
  readonly issueUuid: string;
  readonly title: string;
  readonly outcome: Outcome;
  /** The reason of FAILED, or why the event of OPEN failed again, as far as the caller may see it. */
  readonly code?: string;
  readonly detail?: string;
}

interface Settling {
  readonly access: IssueAccess;
  readonly context: RequestContext;
  readonly sight: IssueSight;
  readonly retry: boolean;
  readonly preview: boolean;
}

/** Issues that are in memory at one time, with their events. */
const stepSize = 64;

const outcomeOf = ({ uuid, title }: ListedIssue, outcome: Outcome): SettledIssue => ({
  issueUuid: uuid,
  title,
  outcome,
});

const failed = (issue: ListedIssue, code: string, detail: string): SettledIssue => ({
  ...outcomeOf(issue, 'FAILED'),
  code,
  detail,
});

const stale = (issue: ListedIssue): SettledIssue =>
  failed(issue, 'STALE_CHANGE_VERSION', 'the issue has changed in the meantime');

const causeOf = ([cause]: readonly ErrorCause[]): { readonly code: string; readonly detail: string } =>
  cause ?? { code: 'VALIDATION_FAILED', detail: 'the issue cannot be settled' };

/** The change of an issue, or why the caller cannot have it. */
const readChange = ({ context, retry }: Settling, issue: ListedIssue): IssueChange | SettledIssue => {
  const path = `/zones/${issue.zoneUuid}/issues/${issue.uuid}`;
  if (!context.principal.permits('PATCH', path)) {
    return failed(issue, 'FORBIDDEN', `PATCH ${path} is not granted to you`);
  }
  const faults = new FaultList();
  const { changeVersion } = issue;
  const change = readIssueChange(toChanged(issue), { status: 'CLOSED', retry, changeVersion }, 'PATCH', faults);
  if (faults.isEmpty) return change;
  const { code, detail } = causeOf(faults.causes);
  return failed(issue, code, detail);
};

/** Drops the events of issues in one transaction. */
const drop = async ({ access, context }: Settling, issues: readonly ListedIssue[]): Promise<SettledIssue[]> => {
  const queues = await access.database.transaction((client) =>
    closeDropped(
      client,
      issues.map((issue) => versionOf(issue, context)),
    ),
  );
  access.parked().release({ kind: 'QUEUES', queues: [...queues.values()].flatMap((queue) => queue ?? []) });
  return issues.map((issue) => (queues.has(issue.uuid) ? outcomeOf(issue, 'CLOSED') : stale(issue)));
};

const retryOne = async (
  { access, context }: Settling,
  issue: ListedIssue,
  change: IssueChange,
): Promise<SettledIssue> => {
  try {
    const result = await applyIssueChange(access, issue, { action: 'PATCH', ...change }, context);
    return result === 'STALE' ? stale(issue) : outcomeOf(issue, 'CLOSED');
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return failed(issue, error.code, error.message);
    throw error;
  }
};

/** An issue that is still open, with its first error that the caller may see, otherwise its cause and title. */
const stillOpen = async ({ access, sight }: Settling, issue: ListedIssue): Promise<SettledIssue> => {
  const [error] = (await seeIssueData(sight, access.view(), issue)).errors;
  const { code, detail } = error ?? { code: issue.cause ?? issue.type, detail: issue.title };
  return { ...outcomeOf(issue, 'OPEN'), code, detail };
};

/** Applies changes together. Events that fail again leave their issues open. */
const retryAll = async (
  settling: Settling,
  changes: readonly { readonly issue: ListedIssue; readonly change: IssueChange }[],
): Promise<SettledIssue[]> => {
  const tried = await Promise.all(changes.map(({ issue, change }) => retryOne(settling, issue, change)));
  const open = await reloadOpenIssues(
    settling.access.database.reads,
    tried.map(({ issueUuid }) => issueUuid),
  );
  const remaining = new Map(open.map((issue) => [issue.uuid, issue]));
  const results = changes.map(async ({ issue }, index) => {
    const result = tried[index] ?? stale(issue);
    const present = remaining.get(issue.uuid);
    if (result.outcome !== 'FAILED') return present === undefined ? result : stillOpen(settling, present);
    // another request or the server settled it first
    return present === undefined ? outcomeOf(issue, 'CLOSED') : result;
  });
  return Promise.all(results);
};

/** Its deletions are dropped one by one: the records are sent to the adaptor again. */
const isMassDeletion = ({ cause }: ListedIssue): boolean => cause === 'MASS_DELETION';

/** Settles some issues, each wholly or not at all. In their order. */
const settleStep = async (settling: Settling, issues: readonly ListedIssue[]): Promise<SettledIssue[]> => {
  const results = new Map<string, SettledIssue>();
  const changes: { readonly issue: ListedIssue; readonly change: IssueChange }[] = [];
  for (const issue of issues) {
    const change = readChange(settling, issue);
    if ('outcome' in change) results.set(issue.uuid, change);
    else if (settling.preview) results.set(issue.uuid, outcomeOf(issue, 'MATCHED'));
    else changes.push({ issue, change });
  }
  const settled =
    changes.length === 0
      ? []
      : settling.retry
        ? await retryAll(settling, changes)
        : [
            ...(await drop(
              settling,
              changes.flatMap(({ issue }) => (isMassDeletion(issue) ? [] : issue)),
            )),
            ...(await retryAll(
              settling,
              changes.filter(({ issue }) => isMassDeletion(issue)),
            )),
          ];
  for (const result of settled) results.set(result.issueUuid, result);
  return issues.flatMap(({ uuid }) => results.get(uuid) ?? []);
};

const countOf = (results: readonly SettledIssue[], wanted: Outcome): number =>
  results.filter(({ outcome }) => outcome === wanted).length;

export interface SettlementArguments {
  readonly zoneUuid: string;
  readonly input: SettlementInput;
}

/**
 * Settles open issues of a zone, the oldest first: their events are dropped, or processed again. Each issue is settled wholly
 * or not at all. A request that ends early can be repeated: settled issues do not match.
 *
 * @throws AppError NOT_FOUND, VALIDATION_FAILED
 */
export const settleDataIssues = async (
  access: IssueAccess,
  { zoneUuid, input }: SettlementArguments,
  context: RequestContext,
) => {
  const { filter, among, limit, after: start, ...how } = readSettlement(input, context);
  const place = { zoneUuid };
  await requirePlace(access, place);
  const sight = readIssueSight(context.principal, access.view());
  const selection: IssueSelection = { place, filter: { ...filter, status: ['OPEN'] }, sight };
  const settling = { access, context, sight, ...how };
  const session = sessionOfCaller(access.database, context);
  let after = start;
  const matchedCount = await countIssues(session, selection, { after, among });
  const results: SettledIssue[] = [];
  while (results.length < limit && context.signal?.aborted !== true) {
    const step = Math.min(stepSize, limit - results.length);
    const issues = await loadIssues(session, selection, { after, among, limit: step });
    results.push(...(await settleStep(settling, issues)));
    after = issues.at(-1)?.uuid ?? after;
    if (issues.length < step) break;
  }
  const remainingCount = await countIssues(session, selection, { after, among });
  return {
    preview: settling.preview,
    matchedCount,
    closedCount: countOf(results, 'CLOSED'),
    openCount: countOf(results, 'OPEN'),
    failedCount: countOf(results, 'FAILED'),
    remainingCount,
    next: remainingCount === 0 ? null : (after ?? null),
    results,
  };
};
