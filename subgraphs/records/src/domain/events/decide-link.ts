import { nothing, type EventOutcome, type RecordChange } from './event-outcome.js';
import type { LinkReported } from './incoming-event.js';
import { findRecord } from '../records/match-record.js';
import { awaitsDeletion, nothingKnown, type KnownContent } from '../routing/known-content.js';
import type { Outbox } from '../routing/outbox.js';
import { withNotes } from '../routing/sent-notes.js';
import { removeUnlinked } from './remove-unlinked.js';
import type { RecordBook, RecordState } from '../records/record-book.js';

interface LinkContext {
  readonly book: RecordBook;
  readonly outbox: Pick<Outbox, 'acked'>;
}

const linkChange = (event: LinkReported, record: RecordState, action: RecordChange['action']): EventOutcome => ({
  deliveries: [],
  change: {
    action,
    recordUuid: record.uuid,
    domainVersionUuid: record.domainVersionUuid,
    actorUuid: event.sourceAdaptorUuid,
    transactionUuid: event.transactionUuid,
    drKey: record.drKey,
  },
});

/** Does the report name a record that is gone? Another record has its key since. */
const namesAnother = ({ drUuid }: LinkReported, { uuid }: RecordState): boolean =>
  drUuid !== undefined && drUuid !== uuid;

const addLink = (book: RecordBook, record: RecordState, event: LinkReported): EventOutcome => {
  const { sourceAdaptorUuid: adaptorUuid, key } = event;
  const link = record.links.get(adaptorUuid);
  if (link !== undefined && (key === undefined || link.keyDigest === key.digest)) return nothing;
  // the adaptor was sent this record too, and reports it by its own uuid
  if (namesAnother(event, record) && record.expected.has(adaptorUuid)) return nothing;
  const keyDigest = key?.digest ?? record.keyDigest;
  // one adaptor cannot hold two records of one key: the report is stale
  const holders = book.byKey(record.domainVersionUuid, keyDigest);
  if (holders.some((other) => other !== record && other.links.get(adaptorUuid)?.keyDigest === keyDigest))
    return nothing;
  const known = book.knownAt(record, adaptorUuid) ?? nothingKnown;
  book.link(record, { adaptorUuid, keyDigest, drKey: key?.drKey ?? record.drKey, known });
  if (record.expected.delete(adaptorUuid)) book.touch(record);
  return linkChange(event, record, 'PUT');
};

/**
 * The known content of an adaptor that reports a DELETE and was sent the record again afterwards. A DELETE that it
 * acknowledged is reported by now. Undefined: it reports another removal.
 */
const knownAfterReturn = (known: KnownContent, acked: number): KnownContent | undefined => {
  const notes = known.sent;
  const reported = notes.findIndex(({ kind }) => kind === 'DELETION');
  const deletion = notes[reported];
  if (deletion === undefined || awaitsDeletion(known)) return undefined;
  return deletion.sequence > acked ? known : withNotes(known, notes.toSpliced(reported, 1));
};

const removeLink = ({ book, outbox }: LinkContext, record: RecordState, event: LinkReported): EventOutcome => {
  const { sourceAdaptorUuid: adaptorUuid } = event;
  const expected = record.expected.get(adaptorUuid);
  if (expected !== undefined && awaitsDeletion(expected)) {
    record.expected.delete(adaptorUuid);
    book.touch(record);
    // the report may overtake earlier reports of the adaptor
    book.keepRemoved(record, { adaptorUuid, keyDigest: record.keyDigest, known: expected });
  }
  const link = record.links.get(adaptorUuid);
  if (link === undefined) return awaitsDeletion(expected) ? removeUnlinked(book, record, event) : nothing;
  if (namesAnother(event, record)) return nothing;
  book.unlink(record, adaptorUuid);
  const returning = knownAfterReturn(link.known, outbox.acked(adaptorUuid));
  if (returning !== undefined) {
    record.expected.set(adaptorUuid, returning);
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
export const decideLink = (context: LinkContext, event: LinkReported): EventOutcome => {
  const { book } = context;
  const match = findRecord(book, {
    version: event.version,
    sourceAdaptorUuid: event.sourceAdaptorUuid,
    drUuid: event.drUuid,
    key: event.key,
  });
  if (match.status !== 'RESOLVED') return nothing;
  return event.kind === 'LINKED' ? addLink(book, match.record, event) : removeLink(context, match.record, event);
};
