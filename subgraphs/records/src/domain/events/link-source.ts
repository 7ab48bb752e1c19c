import type { RecordBook, RecordState } from '../records/record-book.js';
import type { ContentHashes } from '../routing/content-hashes.js';
import { awaitsDeletion, newProperties, overlay } from '../routing/known-content.js';
import { withNotes } from '../routing/sent-notes.js';
import type { EventKey, RecordChanged } from './incoming-event.js';

/** The record's own key follows the link that had it, unless another link still holds it or the new one is taken. */
const moveRecordKey = (book: RecordBook, record: RecordState, from: string, to: EventKey): void => {
  if (record.keyDigest !== from || [...record.links.values()].some((link) => link.keyDigest === from)) return;
  if (book.byKey(record.domainVersionUuid, to.digest).some((other) => other !== record)) return;
  record.keyDigest = to.digest;
  record.drKey = to.drKey;
  book.touch(record);
};

/** Notes that the adaptor holds the record with this key and content. */
export const linkSource = (
  book: RecordBook,
  record: RecordState,
  event: Pick<RecordChanged, 'sourceAdaptorUuid' | 'key'>,
  { reported, crosses }: { readonly reported: ContentHashes; readonly crosses: boolean },
): void => {
  const adaptorUuid = event.sourceAdaptorUuid;
  const link = record.links.get(adaptorUuid);
  const stored = book.knownAt(record, adaptorUuid);
  // it has what it deleted again, by itself
  const known = stored !== undefined && !crosses && awaitsDeletion(stored) ? withNotes(stored, []) : stored;
  if (
    link !== undefined &&
    link.keyDigest === event.key.digest &&
    newProperties(reported, link.known).length === 0 &&
    Object.keys(link.known.skipped).every((name) => reported[name] === undefined)
  )
    return;
  book.link(record, {
    adaptorUuid,
    keyDigest: event.key.digest,
    drKey: event.key.drKey,
    known: overlay(known, reported),
  });
  if (record.expected.delete(adaptorUuid)) book.touch(record);
  if (link !== undefined && link.keyDigest !== event.key.digest) {
    moveRecordKey(book, record, link.keyDigest, event.key);
  }
};
