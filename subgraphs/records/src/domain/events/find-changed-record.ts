import { isCapable, type AdaptorView } from '../catalog.js';
import { matchRecord, type Match } from '../records/match-record.js';
import type { RemovedLink } from '../records/removed-links.js';
import type { Seen } from '../routing/seen.js';
import { askOperationalChain, denyOperation } from './ask-operational-chain.js';
import type { DecisionContext } from './decision-context.js';
import type { EventOutcome } from './event-outcome.js';
import type { RecordChanged } from './incoming-event.js';
import { raiseIssue } from './raise-issue.js';
import { ownKey, type ChangedRecord } from './read-change.js';
import { removedLinkOf, repeatOfRemoved } from './repeat-of-removed.js';

/** The record of a change that its source may make. */
export interface FoundRecord extends ChangedRecord {
  readonly match: Exclude<Match, { readonly status: 'AMBIGUOUS' }>;
  /** The source was told to delete a record of this key. */
  readonly removed: RemovedLink | undefined;
  /** The decision of the operational chain, for a new record. */
  readonly operation: ReturnType<typeof askOperationalChain> | undefined;
}

/**
 * Finds the record of a change. The change ends here when it only repeats a removed record, when its record is not clear, or
 * when the source may not create one or holds another one under the key.
 */
export const findChangedRecord = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  seen: Seen,
): FoundRecord | { readonly ended: EventOutcome } => {
  const { book } = context;
  const match = matchRecord(book, {
    version: event.version,
    sourceAdaptorUuid: source.uuid,
    drUuid: event.drUuid,
    key: event.key,
    settled: event.settled,
  });
  const removed = removedLinkOf(context, source, event, match);
  const repeat = removed === undefined ? undefined : repeatOfRemoved(context, removed, event, seen);
  if (repeat !== undefined) return { ended: repeat };
  if (match.status === 'AMBIGUOUS') {
    return { ended: raiseIssue(context, source, { event, reason: 'AMBIGUOUS', matches: match.candidates }) };
  }
  const known = 'record' in match ? match.record : undefined;
  const awaits = [ownKey(event)];
  if (known === undefined && !isCapable(source, event.version, 'POST')) {
    return { ended: raiseIssue(context, source, { event, reason: 'NOT_CAPABLE', awaits }) };
  }
  // an adaptor without create rights can still update a record that exists
  const operation = known === undefined ? askOperationalChain(context, source, event.version, 'POST') : undefined;
  if (operation?.outcome === 'DENIED') return { ended: denyOperation(context, source, { event, operation, awaits }) };
  const holder = book
    .byKey(event.version.uuid, event.key.digest)
    .find((other) => other !== known && other.links.get(source.uuid)?.keyDigest === event.key.digest);
  if (holder !== undefined) {
    return { ended: raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known, awaits }) };
  }
  return { match, removed, known, operation, uuid: known?.uuid ?? context.newUuid() };
};
