import type { AdaptorView } from '../catalog.js';
import { everythingSeen, type Seen } from '../routing/seen.js';
import { decideDeletion } from './decide-deletion.js';
import { decideLink } from './decide-link.js';
import { decideRecordChange } from './decide-record-change.js';
import type { DecisionContext } from './decision-context.js';
import { nothing, type EventOutcome } from './event-outcome.js';
import type { IncomingEvent } from './incoming-event.js';
import { queueDigestOf, namedRecord } from './named-record.js';
import { noteWaiting } from './note-waiting.js';
import { raiseIssue } from './raise-issue.js';
import { takeInvalidEcho } from './take-echo.js';

const decideKind = (context: DecisionContext, source: AdaptorView, event: IncomingEvent, seen: Seen): EventOutcome => {
  const { version } = event;
  const isData = event.kind !== 'LINKED' && event.kind !== 'UNLINKED';
  if (isData && version !== undefined) {
    const digest = queueDigestOf(context.book, event);
    if (digest !== undefined && context.isBlocked(source.uuid, version.uuid, digest)) {
      return raiseIssue(context, source, { event, reason: 'HELD', record: namedRecord(context.book, event) });
    }
  }
  switch (event.kind) {
    case 'RECORD_CHANGED':
      return decideRecordChange(context, source, event, seen);
    case 'RECORD_DELETED':
      return decideDeletion(context, source, event, seen);
    case 'LINKED':
    case 'UNLINKED':
      return decideLink(context, event);
    case 'EMPTY':
      return nothing;
    case 'FAULTY':
      return (
        takeInvalidEcho(context, event) ??
        raiseIssue(context, source, { event, reason: 'FAULTY', record: namedRecord(context.book, event) })
      );
  }
};

/**
 * Decides on an event in the order of docs/reference/delivery.md#order-of-decisions. The outcome has
 * the effects besides the changes of the books.
 *
 * Does no input or output, and reads no clock. The record book, the reference book and the outbox of the context are the
 * working state of one batch: the decision changes them, so that later events of the batch see its effects. The same event
 * on equal books gives the same outcome and equal books; a caller that refuses an outcome drops the books with it.
 *
 * @param seen the messages that the source had applied when it made the event. Default: all that it was sent
 */
export const decideEvent = (
  context: DecisionContext,
  source: AdaptorView,
  event: IncomingEvent,
  seen: Seen = everythingSeen,
): EventOutcome => {
  const outcome = decideKind(context, source, event, seen);
  if (outcome.issue === undefined) return outcome;
  noteWaiting(context.book, event, seen);
  return { ...outcome, issue: { ...outcome.issue, seen } };
};
