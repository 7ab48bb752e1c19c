import type { RecordBook } from '../records/record-book.js';
import type { IncomingEvent } from './incoming-event.js';

/**
 * The record of an event that is not matched, because the event waits or is faulty: the record with its `drUuid`, otherwise
 * the record that the source holds under its key. The result has the key of the source's link.
 */
export const namedRecord = (
  book: RecordBook,
  { sourceAdaptorUuid, version, key, drUuid }: IncomingEvent,
): { readonly uuid: string; readonly keyDigest: string } | undefined => {
  if (version === undefined) return undefined;
  const found = key === undefined ? [] : book.byKey(version.uuid, key.digest);
  const byKey = found.find(({ links }) => links.get(sourceAdaptorUuid)?.keyDigest === key?.digest) ?? found[0];
  const named = drUuid === undefined ? byKey : book.byUuid(drUuid);
  if (named?.domainVersionUuid !== version.uuid) return undefined;
  return { uuid: named.uuid, keyDigest: named.links.get(sourceAdaptorUuid)?.keyDigest ?? named.keyDigest };
};

/** The digest of the key of the record that the event names by `drUuid`, where its source does not link that record. */
export const formerDigestOf = (event: IncomingEvent): string | undefined =>
  event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED' ? event.former?.digest : undefined;

/**
 * The digest of the key under which the event waits behind others of its source. An event that names its record by `drUuid`
 * alone waits under the key of the source's link, or of its former link.
 */
export const queueDigestOf = (book: RecordBook, event: IncomingEvent): string | undefined =>
  event.key === undefined ? (namedRecord(book, event)?.keyDigest ?? formerDigestOf(event)) : event.key.digest;
