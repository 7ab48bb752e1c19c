import { AppError, FaultList, requireNotStale, staleChangeVersion, type GivenChangeVersion } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { defaultPriority } from '../../domain/issues/default-priority.js';
import {
  readIssueChange,
  type ChangedIssue,
  type IssueChange,
  type IssueInput,
  type IssueTexts,
} from '../../domain/issues/read-issue-change.js';
import type { SettledMatch } from '../../domain/issues/settled-match.js';
import { createPresumptions } from '../settlement/create-presumptions.js';
import { createRedeliveries } from '../settlement/create-redeliveries.js';
import {
  nameRecord,
  removeIssue,
  updateIssue,
  type IssueChangeResult,
  type IssueVersion,
} from '../../store/issues/change-issue.js';
import { decideMassDeletion } from '../../store/issues/mass-deletions.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { isWaiting } from '../../store/issues/released-events.js';
import { readObject } from '../../reading/visibility/mask-data-event.js';
import { isKnownRecord } from './is-known-record.js';
import { requireIssue, type IssueAccess, type IssueArguments } from './issue-access.js';
import { showIssues } from './show-issues.js';

const retriesOf = ({ cause, eventUuid, dataEvent }: ListedIssue): ChangedIssue['retries'] => {
  if (cause === 'MASS_DELETION') return 'BRAKE';
  if (dataEvent === null) return 'NONE';
  if (isWaiting(cause)) return 'EVENT';
  // a delayed error could be matched with the subject of the message, but not with the message itself
  const isMessage = cause === 'ADAPTOR' && eventUuid !== null && readObject(dataEvent)?.['jsonData'] !== undefined;
  return isMessage ? 'DELIVERY' : 'NONE';
};

/** An issue as a change looks at it. */
export const toChanged = (issue: ListedIssue): ChangedIssue => ({
  ...issue,
  drUuid: issue.recordUuid,
  usualPriority: issue.cause === null ? 'MEDIUM' : defaultPriority(issue.cause),
  retries: retriesOf(issue),
});

/** Throws with the current change version of the issue. */
const throwStale = async (access: IssueAccess, args: IssueArguments, context: RequestContext): Promise<never> => {
  const { issue } = await requireIssue(access, args, context);
  throw staleChangeVersion(issue.changeVersion);
};

const isSameText = (issue: ListedIssue, texts: IssueTexts): boolean =>
  issue.title === texts.title && issue.description === texts.description && issue.issuePriority === texts.issuePriority;

/** Those that waited behind the issue go on. */
const releaseBehind = ({ parked }: IssueAccess, result: IssueChangeResult): void => {
  if (result.outcome === 'DONE' && result.queue !== undefined)
    parked().release({ kind: 'QUEUES', queues: [result.queue] });
};

export const versionOf = (issue: ListedIssue, { principal }: RequestContext): IssueVersion => ({
  uuid: issue.uuid,
  changeVersion: issue.changeVersion,
  actorUuid: principal.uuid,
});

/** Has the event that waits tried again. */
const retryEvent = async (
  access: IssueAccess,
  issue: ListedIssue,
  { action, texts, settlement }: IssueChange & { readonly action: 'PUT' | 'PATCH' },
  context: RequestContext,
): Promise<'DONE' | 'STALE'> => {
  const outcome = await access.parked().retry(issue.uuid, {
    action,
    changeVersion: issue.changeVersion,
    actorUuid: context.principal.uuid,
    settled: settlement.kind === 'SETTLE' ? settlement.settled : undefined,
    texts: isSameText(issue, texts) ? undefined : texts,
  });
  if (outcome === 'IMPOSSIBLE') {
    throw new AppError(
      'CONFLICT',
      'the event cannot be processed again: its adaptor is not active, or it is not a data event',
    );
  }
  return outcome === 'TRIED' ? 'DONE' : 'STALE';
};

/** Closes the issue of a presumption, and undoes it where something else was decided. */
const settlePresumption = async (
  access: IssueAccess,
  issue: ListedIssue,
  {
    action,
    texts,
    settled,
  }: { readonly action: 'PUT' | 'PATCH'; readonly texts: IssueTexts; readonly settled: SettledMatch },
  context: RequestContext,
): Promise<'DONE' | 'STALE'> => {
  const { eventUuid, recordUuid, adaptorUuid, domainVersionUuid } = issue;
  if (eventUuid === null || recordUuid === null || adaptorUuid === null || domainVersionUuid === null) {
    throw new AppError('CONFLICT', 'the issue has no presumption');
  }
  const { outcome, unblocked } = await access.database.transaction(async (client) => {
    const update = { action, texts, status: 'CLOSED', settledRecordUuid: settled.drUuid ?? recordUuid } as const;
    const updated = await updateIssue(client, versionOf(issue, context), update);
    if (updated.outcome === 'STALE') return { outcome: updated.outcome, unblocked: [] };
    const presumption = { issueUuid: issue.uuid, eventUuid, recordUuid, adaptorUuid, domainVersionUuid };
    const { view, newUuid } = access;
    const undone = await createPresumptions({ view, newUuid }).undo(client, presumption, settled);
    if ('refusal' in undone) throw new AppError('CONFLICT', undone.refusal);
    if (undone.recordUuid !== update.settledRecordUuid) await nameRecord(client, issue.uuid, undone.recordUuid);
    return { outcome: updated.outcome, unblocked: undone.unblocked };
  });
  for (const events of unblocked) access.parked().release(events);
  return outcome;
};

/** Closes the issue of a message that its destination could not handle, and queues the message again. */
const redeliver = (
  access: IssueAccess,
  issue: ListedIssue,
  { action, texts }: { readonly action: 'PUT' | 'PATCH'; readonly texts: IssueTexts },
  context: RequestContext,
): Promise<'DONE' | 'STALE'> =>
  access.database.transaction(async (client) => {
    const { outcome } = await updateIssue(client, versionOf(issue, context), { action, texts, status: 'CLOSED' });
    if (outcome === 'STALE') return outcome;
    const { uuid, adaptorUuid } = issue;
    const refusal =
      adaptorUuid === null
        ? 'the adaptor is gone'
        : await createRedeliveries(access).queue(client, { uuid, adaptorUuid });
    if (refusal !== undefined) throw new AppError('CONFLICT', `the event is not sent again: ${refusal}`);
    return outcome;
  });

/** Waits for a decision on parked deletions to be carried out, this long. The rest continues in the background. */
const settlingMs = 8_000;

/**
 * Decides on deletions that are parked with an issue MASS_DELETION. The issue is closed at once, unless other systems have
 * to be asked for the records first: then it is closed when all of them were sent again.
 */
const settleMassDeletion = async (
  access: IssueAccess,
  issue: ListedIssue,
  { action, texts, settlement }: IssueChange & { readonly action: 'PUT' | 'PATCH' },
  context: RequestContext,
): Promise<'DONE' | 'STALE'> => {
  const { uuid, domainVersionUuid } = issue;
  const version = domainVersionUuid === null ? undefined : await access.view().findVersionByUuid(domainVersionUuid);
  const decision = settlement.kind === 'RETRY' ? 'PASS' : 'SEND_AGAIN';
  const closed = decision === 'PASS' || version?.domainType !== 'FEDERATED';
  const { outcome } = await access.database.transaction(async (client) => {
    const updated = await updateIssue(client, versionOf(issue, context), {
      action,
      texts,
      status: closed ? 'CLOSED' : 'OPEN',
    });
    if (updated.outcome === 'STALE') return updated;
    const decided = await decideMassDeletion(client, uuid, { decision, actorUuid: context.principal.uuid, closed });
    if (!decided) throw new AppError('CONFLICT', 'a decision on these deletions is being carried out');
    return updated;
  });
  if (outcome === 'DONE') await access.massDeletions().settle(uuid, settlingMs);
  return outcome;
};

/** Applies a change to an issue. @throws AppError CONFLICT */
export const applyIssueChange = async (
  access: IssueAccess,
  issue: ListedIssue,
  { action, ...change }: IssueChange & { readonly action: 'PUT' | 'PATCH' },
  context: RequestContext,
): Promise<'DONE' | 'STALE'> => {
  const { kind } = change.settlement;
  if (issue.cause === 'MASS_DELETION' && (kind === 'RETRY' || kind === 'DROP')) {
    return settleMassDeletion(access, issue, { action, ...change }, context);
  }
  if (change.settlement.kind === 'SETTLE' && issue.cause === 'PRESUMED') {
    const { settled } = change.settlement;
    return settlePresumption(access, issue, { action, texts: change.texts, settled }, context);
  }
  if (kind === 'RETRY' && retriesOf(issue) === 'DELIVERY') {
    return redeliver(access, issue, { action, texts: change.texts }, context);
  }
  if (kind === 'RETRY' || kind === 'SETTLE') return retryEvent(access, issue, { action, ...change }, context);
  if (kind === 'NONE' && isSameText(issue, change.texts)) return 'DONE';
  const status = kind === 'DROP' ? 'CLOSED' : issue.status;
  const result = await access.database.transaction((client) =>
    updateIssue(client, versionOf(issue, context), { action, texts: change.texts, status }),
  );
  if (kind === 'DROP') releaseBehind(access, result);
  return result.outcome;
};

export interface IssueChangeArguments extends IssueArguments {
  readonly input: IssueInput;
}

/**
 * Changes an issue, and settles it where it is closed.
 *
 * @throws AppError NOT_FOUND, STALE_CHANGE_VERSION, CHANGE_VERSION_REQUIRED, VALIDATION_FAILED, UNKNOWN_REFERENCE, CONFLICT
 */
export const changeDataIssue = async (
  access: IssueAccess,
  { input, ...args }: IssueChangeArguments,
  action: 'PUT' | 'PATCH',
  context: RequestContext,
) => {
  const seen = await requireIssue(access, args, context);
  const { issue } = seen;
  const faults = new FaultList(context.purpose);
  const change = readIssueChange(toChanged(issue), input, action, faults);
  const drUuid = change.settlement.kind === 'SETTLE' ? change.settlement.settled.drUuid : null;
  if (drUuid !== null && !(await isKnownRecord(access, seen, drUuid, context))) {
    faults.add('/drUuid', 'UNKNOWN_REFERENCE', 'is not a data record of the domain version');
  }
  faults.throwIfAny();
  if ((await applyIssueChange(access, issue, { action, ...change }, context)) === 'STALE')
    await throwStale(access, args, context);
  const { issue: changed, sight } = await requireIssue(access, args, context);
  const [shown] = await showIssues(access, sight, [changed]);
  return shown;
};

/** Removes an issue. @throws AppError NOT_FOUND, STALE_CHANGE_VERSION, CONFLICT */
export const deleteDataIssue = async (
  access: IssueAccess,
  { changeVersion, ...args }: IssueArguments & { readonly changeVersion?: GivenChangeVersion },
  context: RequestContext,
): Promise<boolean> => {
  const { issue } = await requireIssue(access, args, context);
  requireNotStale(changeVersion, issue.changeVersion);
  if (issue.cause === 'MASS_DELETION' && issue.status === 'OPEN') {
    throw new AppError('CONFLICT', 'close the issue first, to decide on the deletions that are parked with it');
  }
  const result = await removeIssue(access.database, versionOf(issue, context));
  if (result.outcome === 'STALE') await throwStale(access, args, context);
  releaseBehind(access, result);
  return true;
};
