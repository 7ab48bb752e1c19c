import type { AdaptorView } from '../catalog.js';
import { mergeRecord } from '../records/merge-record.js';
import type { Match } from '../records/match-record.js';
import type { RecordBook } from '../records/record-book.js';
import type { RemovedLink } from '../records/removed-links.js';
import { repeatDeletion } from '../routing/confirm-to-source.js';
import { findCrossing, sortReport } from '../routing/crossing.js';
import { contentOf } from '../routing/content-hashes.js';
import { findOrigin, notOfOrigin } from '../routing/named-origin.js';
import type { RoutingContext } from '../routing/routing-context.js';
import type { Seen } from '../routing/seen.js';
import type { EventOutcome } from './event-outcome.js';
import type { RecordChanged } from './incoming-event.js';
import { removedLinkNamedBy } from './late-deletions.js';

/** The messages to the source about the record of a change, which it was ordered to delete, and neither links nor gets again. */
export const removedLinkOf = (
  { book }: { readonly book: RecordBook },
  { uuid: adaptorUuid }: AdaptorView,
  event: RecordChanged,
  match: Match,
): RemovedLink | undefined => {
  const { key, linkOnly } = event;
  if (linkOnly) return undefined;
  if ('record' in match && (match.record.links.has(adaptorUuid) || match.record.expected.has(adaptorUuid)))
    return undefined;
  const removed = removedLinkNamedBy(book, event);
  if (removed === undefined || removed.keyDigest === key.digest) return removed;
  // its source has changed the key
  const moved = { ...removed, keyDigest: key.digest };
  book.removedLinks.forget(removed);
  book.removedLinks.keep(moved);
  return moved;
};

/** A change that only repeats the state before the deletion, which stays in effect. Undefined: it says something new. */
export const repeatOfRemoved = (
  context: Pick<RoutingContext, 'book' | 'outbox'>,
  removed: RemovedLink,
  event: RecordChanged,
  seen: Seen,
): EventOutcome | undefined => {
  const merge = mergeRecord(event, undefined);
  const reported = contentOf(merge.valid ? merge.reported : event.record);
  const origin = findOrigin(context.outbox, event, removed.recordUuid);
  if (origin !== undefined && notOfOrigin(origin, reported, event.filled).length === 0) {
    return { deliveries: [], crossed: 'LATE' };
  }
  const crossing = findCrossing(removed.known, removed.adaptorUuid, seen);
  if (crossing === undefined) return undefined;
  const { stale, winning } = sortReport(context.outbox, crossing, reported);
  if (stale.size === 0) return undefined;
  return { deliveries: repeatDeletion(context, removed, winning[0]), crossed: 'LATE' };
};
