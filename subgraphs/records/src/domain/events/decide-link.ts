import { nothing, type EventOutcome, type RecordChange } from './event-outcome.js';
import type { LinkReported } from './incoming-event.js';
import { findRecord } from '../records/match-record.js';
import { awaitsDeletion, type KnownContent } from '../routing/known-content.js';
import { sentNotes } from '../routing/sent-notes.js';
import { removeUnlinked } from './remove-unlinked.js';
import type { RecordBook, RecordState } from '../records/record-book.js';

const linkChange = (event: LinkReported, record: RecordState, action: RecordChange['action']): EventOutcome => ({
  deliveries: [],
  change: {
    action,
    recordUuid: record.uuid,
    domainVersionUuid: record.domainVersionUuid,
    actorUuid: event.sourceAdaptorUuid,
    drKey: record.drKey,
  },
});

const addLink = (book: RecordBook, record: RecordState, event: LinkReported): EventOutcome => {
  const { sourceAdaptorUuid: adaptorUuid, key } = event;
  const link = record.links.get(adaptorUuid);
  if (link !== undefined && (key === undefined || link.keyDigest === key.digest)) return nothing;
  const keyDigest = key?.digest ?? record.keyDigest;
  // one adaptor cannot hold two records of one key: the report is stale
  const holders = book.byKey(record.domainVersionUuid, keyDigest);
  if (holders.some((other) => other !== record && other.links.get(adaptorUuid)?.keyDigest === keyDigest))
    return nothing;
  const known = book.knownAt(record, adaptorUuid) ?? {};
  book.link(record, { adaptorUuid, keyDigest, drKey: key?.drKey ?? record.drKey, known });
  if (record.expected.delete(adaptorUuid)) book.touch(record);
  return linkChange(event, record, 'PUT');
};

const comesBack = (known: KnownContent): boolean =>
  !awaitsDeletion(known) && sentNotes(known).some(({ kind }) => kind === 'DELETION');

const removeLink = (book: RecordBook, record: RecordState, event: LinkReported): EventOutcome => {
  const { sourceAdaptorUuid: adaptorUuid } = event;
  const expected = record.expected.get(adaptorUuid);
  if (expected !== undefined && awaitsDeletion(expected)) {
    record.expected.delete(adaptorUuid);
    book.touch(record);
    // the report may overtake what the adaptor told before
    book.keepRemoved(record, { adaptorUuid, keyDigest: record.keyDigest, known: expected });
  }
  const link = record.links.get(adaptorUuid);
  if (link === undefined) return awaitsDeletion(expected) ? removeUnlinked(book, record, adaptorUuid) : nothing;
  // it speaks of a record that is gone, whose key this one has by another adaptor's link
  if (event.drUuid !== record.uuid && event.key?.digest !== link.keyDigest) return nothing;
  book.unlink(record, adaptorUuid);
  if (comesBack(link.known)) {
    // it was sent the record again after the DELETE that it reports
    record.expected.set(adaptorUuid, link.known);
    book.touch(record);
    return linkChange(event, record, 'PUT');
  }
  if (awaitsDeletion(link.known)) book.keepRemoved(record, link);
  if (event.version.domainType === 'SERVICE_DATA_STORE' || record.links.size > 0) {
    return linkChange(event, record, 'PUT');
  }
  book.delete(record);
  return linkChange(event, record, 'DELETE');
};

/** A linkage reported outside data events: routes nothing. One of an unknown record changes nothing. */
export const decideLink = ({ book }: { readonly book: RecordBook }, event: LinkReported): EventOutcome => {
  const match = findRecord(book, {
    version: event.version,
    sourceAdaptorUuid: event.sourceAdaptorUuid,
    drUuid: event.drUuid,
    key: event.key,
  });
  if (match.status !== 'RESOLVED') return nothing;
  return event.kind === 'LINKED' ? addLink(book, match.record, event) : removeLink(book, match.record, event);
};
