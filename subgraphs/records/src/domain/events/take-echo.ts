import { findRecord } from '../records/match-record.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import { contentOf, type ContentHashes } from '../routing/content-hashes.js';
import { awaitsDeletion, changes, type KnownContent } from '../routing/known-content.js';
import { findOrigin, notOfOrigin } from '../routing/named-origin.js';
import type { RoutingContext } from '../routing/routing-context.js';
import { nothing, type EventOutcome } from './event-outcome.js';
import type { FaultyEvent, RecordChanged } from './incoming-event.js';
import { linkSource } from './link-source.js';

/**
 * Takes an event that only repeats its origin. The source has the record and is sent nothing: messages that it was sent after
 * the origin stay valid.
 */
export const takeEcho = (
  book: RecordBook,
  record: RecordState,
  event: Pick<RecordChanged, 'sourceAdaptorUuid' | 'key'>,
  reported: ContentHashes,
): EventOutcome => {
  const known = book.knownAt(record, event.sourceAdaptorUuid);
  if (!awaitsDeletion(known)) linkSource(book, record, event, { reported: {}, crosses: true });
  return changes(reported, known) ? { deliveries: [], crossed: 'LATE' } : nothing;
};

/** The properties that repeat an origin although the source was sent other values since. None when the record is to be deleted. */
export const repeatedOf = (
  reported: ContentHashes,
  left: readonly string[],
  known: KnownContent | undefined,
): readonly string[] =>
  awaitsDeletion(known)
    ? []
    : Object.keys(reported).filter((name) => !left.includes(name) && known?.hashes[name] !== reported[name]);

/** Takes the echo of a message that lacks required properties, because governance removed them. Undefined: it is another event. */
export const takeInvalidEcho = (
  { book, outbox }: Pick<RoutingContext, 'book' | 'outbox'>,
  event: FaultyEvent,
): EventOutcome | undefined => {
  const { echo, version, key, sourceAdaptorUuid } = event;
  if (echo === undefined || version === undefined || key === undefined) return undefined;
  const match = findRecord(book, { version, sourceAdaptorUuid, drUuid: undefined, key });
  if (match.status !== 'RESOLVED') return undefined;
  const { originTransactionUuid, json } = echo;
  const origin = findOrigin(outbox, { originTransactionUuid, sourceAdaptorUuid, version, key }, match.record.uuid);
  const reported = contentOf(json);
  if (origin === undefined || notOfOrigin(origin, reported).length > 0) return undefined;
  return takeEcho(book, match.record, { sourceAdaptorUuid, key }, reported);
};
