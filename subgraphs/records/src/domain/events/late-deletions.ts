import type { AdaptorView } from '../catalog.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { RemovedLink } from '../records/removed-links.js';
import { repeatMessages } from '../routing/confirm-to-source.js';
import { findCrossing, findReturned, type Crossing, type ReturnedRecord } from '../routing/crossing.js';
import type { RoutingContext } from '../routing/routing-context.js';
import type { Seen } from '../routing/seen.js';
import { notesAfterDeletion, withNotes } from '../routing/sent-notes.js';
import type { DecisionContext } from './decision-context.js';
import { nothing, type AcceptedEvent, type EventOutcome } from './event-outcome.js';
import type { RecordChanged, RecordDeleted } from './incoming-event.js';

/**
 * The messages to the source of an event about a record that it was ordered to delete: by the key that the event names,
 * otherwise by the record that it names by uuid.
 */
export const removedLinkNamedBy = (
  { removedLinks }: Pick<RecordBook, 'removedLinks'>,
  { sourceAdaptorUuid: adaptorUuid, version, key, former }: RecordChanged | RecordDeleted,
): RemovedLink | undefined => {
  for (const named of [key, former]) {
    const place = named && { domainVersionUuid: version.uuid, keyDigest: named.digest, adaptorUuid };
    const removed = place && removedLinks.find(place);
    if (removed !== undefined) return removed;
  }
  return undefined;
};

/** A deletion that changes nothing, as it is kept. */
export const keptDeletion = (
  { newUuid }: Pick<DecisionContext, 'newUuid'>,
  event: RecordDeleted,
  record: Pick<RecordState, 'uuid' | 'drKey'>,
): AcceptedEvent => ({
  uuid: newUuid(),
  transactionUuid: event.transactionUuid,
  action: 'DELETE',
  matchStatus: 'RESOLVED',
  recordUuid: record.uuid,
  domainVersionUuid: event.version.uuid,
  sourceAdaptorUuid: event.sourceAdaptorUuid,
  drKey: record.drKey,
  denied: [],
  createTime: event.createTime,
});

/** The deletion of a record that came back since. It is kept as overridden by the event that brought the record back. */
export const answerLateDeletion = (
  context: RoutingContext & Pick<DecisionContext, 'newUuid'>,
  event: RecordDeleted,
  record: RecordState,
  late: { readonly source: AdaptorView; readonly crossing: Crossing; readonly returned: ReturnedRecord },
): EventOutcome => {
  const { source, crossing, returned } = late;
  const { messages, eventUuid: overriddenByUuid } = returned;
  const kept = keptDeletion(context, event, { uuid: record.uuid, drKey: event.key?.drKey ?? record.drKey });
  return {
    ...(overriddenByUuid === undefined ? {} : { event: { ...kept, overriddenByUuid } }),
    deliveries: repeatMessages(context, record, { source, crossing }, messages),
    crossed: 'LATE',
  };
};

/** The event names a removed record by uuid alone. A record with its key that the source was sent since is its return. */
const tellReturned = (
  context: RoutingContext & Pick<DecisionContext, 'newUuid'>,
  source: AdaptorView,
  event: RecordDeleted,
  seen: Seen,
): EventOutcome => {
  const { version, former, linkOnly } = event;
  if (former === undefined || linkOnly) return nothing;
  const { book, outbox } = context;
  for (const record of book.byKey(version.uuid, former.digest)) {
    const crossing = findCrossing(book.knownAt(record, source.uuid), source.uuid, seen);
    const returned = crossing && findReturned(outbox, crossing);
    if (crossing !== undefined && returned !== undefined) {
      return answerLateDeletion(context, event, record, { source, crossing, returned });
    }
  }
  return nothing;
};

/**
 * An adaptor reports the deletion of a record that is already removed. It is kept if the adaptor had not seen the other
 * deletion: a change that brings the record back overrides both.
 */
export const tellRemoved = (
  context: RoutingContext & Pick<DecisionContext, 'newUuid'>,
  source: AdaptorView,
  event: RecordDeleted,
  seen: Seen,
): EventOutcome => {
  const { removedLinks } = context.book;
  const removed = removedLinkNamedBy(context.book, event);
  const drKey = (event.key ?? event.former)?.drKey;
  if (removed === undefined || drKey === undefined) return tellReturned(context, source, event, seen);
  if (findCrossing(removed.known, source.uuid, seen) === undefined) {
    removedLinks.forget(removed);
    return nothing;
  }
  const known = withNotes(removed.known, notesAfterDeletion(removed.known.sent, seen));
  removedLinks.keep({ ...removed, known });
  if (event.linkOnly) return nothing;
  return { event: keptDeletion(context, event, { uuid: removed.recordUuid, drKey }), deliveries: [] };
};
