import { findRecord } from '../records/match-record.js';
import type { RecordBook } from '../records/record-book.js';
import type { KnownContent } from '../routing/known-content.js';
import type { Seen } from '../routing/seen.js';
import { withoutWaiting, withWaiting } from '../routing/waiting-positions.js';
import type { IncomingEvent } from './incoming-event.js';
import { formerDigestOf } from './named-record.js';

/** Changes the known content of an event's source for the event's record. Does nothing when no content is known. */
const changeKnown = (book: RecordBook, event: IncomingEvent, change: (known: KnownContent) => KnownContent): void => {
  const { version, key, sourceAdaptorUuid: adaptorUuid } = event;
  if (version === undefined) return;
  const drUuid = 'drUuid' in event ? event.drUuid : undefined;
  const match = findRecord(book, { version, sourceAdaptorUuid: adaptorUuid, drUuid, key });
  if (match.status === 'RESOLVED') {
    const { record } = match;
    const link = record.links.get(adaptorUuid);
    const expected = record.expected.get(adaptorUuid);
    const known = link?.known ?? expected;
    const changed = known === undefined ? undefined : change(known);
    if (changed === known) return;
    if (link !== undefined && changed !== undefined) book.link(record, { ...link, known: changed });
    else if (changed !== undefined) {
      record.expected.set(adaptorUuid, changed);
      book.touch(record);
    }
    return;
  }
  const keyDigest = key?.digest ?? formerDigestOf(event);
  if (keyDigest === undefined) return;
  const removed = book.removedLinks.find({ domainVersionUuid: version.uuid, keyDigest, adaptorUuid });
  if (removed === undefined) return;
  const known = change(removed.known);
  if (known !== removed.known) book.removedLinks.keep({ ...removed, known });
};

/** Records that the event has to wait, so that the notes about messages after its position are kept. */
export const noteWaiting = (book: RecordBook, event: IncomingEvent, seen: Seen): void =>
  changeKnown(book, event, (known) => withWaiting(known, seen));

/** Records that no event of this source and record waits. */
export const noteNoneWaits = (book: RecordBook, event: IncomingEvent): void => changeKnown(book, event, withoutWaiting);
