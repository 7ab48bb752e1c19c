import { requirePage, toPaged, type RequestContext } from '@fds/graphql';
import { isJsonObject, type JsonValue } from '@fds/json';
import type { QueueKey } from '../../domain/issues/parked-queues.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { countWaiting, listWaiting } from '../../store/issues/waiting-events.js';
import { seeIssueData } from '../visibility/see-issue.js';
import { sessionOfCaller } from '../../reading/listing/resolvers/session-of-caller.js';
import { requireIssue, type IssueAccess, type IssueArguments } from './issue-access.js';

export interface WaitingEventsArguments extends IssueArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

/** The key whose later events wait behind the issue. */
const queueOfIssue = ({ adaptorUuid, domainVersionUuid, keyDigest }: ListedIssue): QueueKey | undefined =>
  adaptorUuid === null || domainVersionUuid === null || keyDigest === null
    ? undefined
    : { adaptorUuid, domainVersionUuid, keyDigest };

/** A member of an event that is not hidden. */
const memberOf = (dataEvent: JsonValue, name: string): JsonValue =>
  isJsonObject(dataEvent) ? (dataEvent[name] ?? null) : null;

/**
 * Events that wait behind an issue, in the order in which they follow, each masked as the issue's own event.
 *
 * @throws AppError NOT_FOUND, INVALID_PARAMETER
 */
export const listWaitingEvents = async (access: IssueAccess, args: WaitingEventsArguments, context: RequestContext) => {
  const paging = requirePage(args);
  const { issue, sight } = await requireIssue(access, args, context);
  const session = sessionOfCaller(access.database, context);
  const queue = queueOfIssue(issue);
  const hasWaiting = issue.status === 'OPEN' && (queue !== undefined || issue.cause === 'MASS_DELETION');
  const total = hasWaiting ? ((await countWaiting(session, [issue.uuid])).get(issue.uuid) ?? 0) : 0;
  const offset = paging.page * paging.size;
  if (offset >= total) return toPaged([], paging, total);
  const behind = { issueUuid: issue.uuid, queue };
  const data = [];
  for (const waiting of await listWaiting(session, behind, { offset, limit: paging.size, total })) {
    const { adaptorUuid, domainVersionUuid } = issue;
    const recordUuid = waiting.recordUuid ?? issue.recordUuid;
    const subject = { recordUuid, domainVersionUuid, adaptorUuid, dataEvent: waiting.dataEvent, errors: null };
    const { dataEvent } = await seeIssueData(sight, access.view(), subject);
    data.push({
      uuid: waiting.uuid,
      transactionUuid: memberOf(dataEvent, 'transactionUuid'),
      action: memberOf(dataEvent, 'action'),
      createTime: memberOf(dataEvent, 'createTime'),
      dateCreated: waiting.dateCreated,
      dataEvent,
    });
  }
  return toPaged(data, paging, total);
};
