import type { AdaptorView } from '../catalog.js';
import type { RecordState } from '../records/record-book.js';
import { repeatMessages } from '../routing/confirm-to-source.js';
import { without } from '../routing/content-hashes.js';
import { findCrossing, sortReport, type Crossing, type SortedReport } from '../routing/crossing.js';
import { awaitsDeletion, repeatsBeforeFailure, withShownFormer, type KnownContent } from '../routing/known-content.js';
import { findOrigin, notOfOrigin, seenWithOrigin } from '../routing/named-origin.js';
import type { Seen } from '../routing/seen.js';
import type { DecisionContext } from './decision-context.js';
import type { EventOutcome } from './event-outcome.js';
import type { FoundRecord } from './find-changed-record.js';
import type { RecordChanged } from './incoming-event.js';
import { readChange, type ReadChange } from './read-change.js';
import { repeatedOf, takeEcho } from './take-echo.js';

/** A change without the values that are older than the messages to its source. */
export interface FreshChange {
  /** The event as far as it is in effect. */
  readonly fresh: RecordChanged;
  readonly change: ReadChange;
  /** The messages that the event crosses. Undefined: none. */
  readonly crossing: Crossing | undefined;
  /** The values that won and those that are stale. Undefined: the event crosses no message, or reports a link. */
  readonly sorted: SortedReport | undefined;
  /** Did the event report stale values? */
  readonly hasStale: boolean;
}

/** The event without its stale values; stale values of the DR Key are taken from the record. */
const withoutStale = (event: RecordChanged, record: RecordState, stale: ReadonlySet<string>): RecordChanged => {
  const names = new Set([...stale].map((name) => name.toLowerCase()));
  const kept = Object.entries(event.record).filter(([name]) => !names.has(name.toLowerCase()));
  const keys = Object.entries(record.drKey).filter(([name]) => stale.has(name));
  return { ...event, record: Object.fromEntries([...kept, ...keys]) };
};

/** Notes the former values that the report shows, for which the adaptor was sent others that it could not apply. */
const noteShownFormer = (
  { book }: DecisionContext,
  record: RecordState,
  { sourceAdaptorUuid, originTransactionUuid }: RecordChanged,
  { reported }: ReadChange,
): KnownContent | undefined => {
  const known = book.knownAt(record, sourceAdaptorUuid);
  const next = known && withShownFormer(known, reported, originTransactionUuid !== undefined);
  if (next === undefined || next === known) return known;
  const link = record.links.get(sourceAdaptorUuid);
  if (link === undefined) {
    record.expected.set(sourceAdaptorUuid, next);
    book.touch(record);
  } else book.link(record, { ...link, known: next });
  return next;
};

/**
 * Drops the values of a change that only repeat its origin, or that messages to the source had replaced already. The change
 * ends here when nothing is left of it, or when a deletion on its way to the source takes effect.
 *
 * @param whole the change with all reported values
 */
export const dropStaleValues = (
  context: DecisionContext,
  source: AdaptorView,
  { event, seen, whole }: { readonly event: RecordChanged; readonly seen: Seen; readonly whole: ReadChange },
  { known, removed, uuid }: FoundRecord,
): FreshChange | { readonly ended: EventOutcome } => {
  const { book, outbox } = context;
  const knownContent = (known && noteShownFormer(context, known, event, whole)) ?? removed?.known;
  // the origin proves nothing for a source that is not known to have the record
  const origin = known === undefined || knownContent === undefined ? undefined : findOrigin(outbox, event, known.uuid);
  const left = origin === undefined ? undefined : notOfOrigin(origin, whole.reported, event.filled);
  if (known !== undefined && left?.length === 0) return { ended: takeEcho(book, known, event, whole.reported) };
  const ofOrigin = left === undefined ? [] : repeatedOf(whole.reported, left, knownContent);
  const repeated = [...ofOrigin, ...repeatsBeforeFailure(whole.reported, knownContent)];
  const crossing = findCrossing(knownContent, source.uuid, seenWithOrigin(seen, origin));
  const sorted =
    crossing === undefined || event.linkOnly
      ? undefined
      : sortReport(outbox, crossing, without(whole.reported, repeated));
  if (known !== undefined && crossing !== undefined && sorted !== undefined && awaitsDeletion(crossing.known)) {
    // the crossing DELETE takes effect
    const deletion = sorted.winning.slice(0, 1);
    if (sorted.stale.size > 0) {
      return {
        ended: { deliveries: repeatMessages(context, known, { source, crossing }, deletion), crossed: 'LATE' },
      };
    }
  }
  const stale = new Set([...(sorted?.stale ?? []), ...repeated]);
  const hasStale = stale.size > 0;
  if (known === undefined || !hasStale) return { fresh: event, change: whole, crossing, sorted, hasStale };
  const fresh = withoutStale(event, known, stale);
  const change = readChange(context, source, fresh, { known, uuid });
  return 'refused' in change ? { ended: change.refused } : { fresh, change, crossing, sorted, hasStale };
};
