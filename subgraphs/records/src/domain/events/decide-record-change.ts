import type { AdaptorView } from '../catalog.js';
import type { RecordState } from '../records/record-book.js';
import { resolveReferences } from '../references/resolve-references.js';
import { repeatWinning } from '../routing/confirm-to-source.js';
import { contentOf, type ContentHashes } from '../routing/content-hashes.js';
import { awaitsDeletion, changes, nothingKnown, type KnownContent } from '../routing/known-content.js';
import { noteAll } from '../routing/destination-note.js';
import type { Seen } from '../routing/seen.js';
import { admitToStore, type AdmittedChange, type DeniedAtStore } from './admit-to-store.js';
import { changeRecordState, newsOf, type ChangedState } from './change-record-state.js';
import type { DecisionContext } from './decision-context.js';
import { discoveredContent, heldAfter } from './discovered-content.js';
import { dropStaleValues, type FreshChange } from './drop-stale-values.js';
import { nothing, type AcceptedEvent, type EventOutcome } from './event-outcome.js';
import { findChangedRecord, type FoundRecord } from './find-changed-record.js';
import type { RecordChanged } from './incoming-event.js';
import { linkSource } from './link-source.js';
import { raisePresumption, stateBefore } from './raise-presumption.js';
import { readChange } from './read-change.js';
import { routeChange, type RoutedChange } from './route-change.js';

/** A report without news. Where it reports stale values, the source is sent those that won. */
const answerEcho = (
  context: DecisionContext,
  source: AdaptorView,
  { version }: RecordChanged,
  { record }: ChangedState,
  { crossing, sorted, hasStale }: FreshChange,
): EventOutcome => {
  if (crossing === undefined || sorted === undefined) return hasStale ? { deliveries: [], crossed: 'LATE' } : nothing;
  const { drKeyProperties: keyProperties } = version.model;
  return {
    deliveries: repeatWinning(context, record, { source, crossing }, { sorted, keyProperties }),
    ...(hasStale ? { crossed: 'LATE' } : {}),
  };
};

/** The properties of which a source reports another value than it was known to have. A record that is new to the source is new as a whole. */
const changedBy = (reported: ContentHashes, before: KnownContent | undefined): Pick<AcceptedEvent, 'changed'> =>
  before === undefined
    ? {}
    : { changed: Object.keys(newsOf(reported, awaitsDeletion(before) ? nothingKnown : before)) };

const acceptedEvent = (
  event: RecordChanged,
  source: AdaptorView,
  { known, match, uuid: recordUuid }: Pick<FoundRecord, 'known' | 'match' | 'uuid'>,
  { uuid, denied, overrides }: Pick<RoutedChange, 'uuid' | 'denied' | 'overrides'>,
  { stored, changed }: Pick<AdmittedChange, 'stored'> & Pick<AcceptedEvent, 'changed'> = {},
): AcceptedEvent => ({
  uuid,
  transactionUuid: event.transactionUuid,
  action: known === undefined ? 'POST' : 'PUT',
  matchStatus: known === undefined ? 'PRESUMED_NEW' : match.status === 'PRESUMED_MATCH' ? match.status : 'RESOLVED',
  recordUuid,
  domainVersionUuid: event.version.uuid,
  sourceAdaptorUuid: source.uuid,
  drKey: event.key.drKey,
  denied,
  ...(stored === undefined || stored.removedProperties.length === 0 ? {} : { notStored: stored.removedProperties }),
  ...(overrides.length === 0 ? {} : { overrides }),
  ...(changed === undefined ? {} : { changed }),
  createTime: event.createTime,
});

/** The store takes no part of the change, so no adaptor gets a message. A source that holds a known record is linked. */
const endAtStore = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  found: FoundRecord,
  { fresh, denial, consultation }: { readonly fresh: FreshChange } & DeniedAtStore,
): AcceptedEvent => {
  const { change, crossing } = fresh;
  const before = found.known && context.book.knownAt(found.known, source.uuid);
  if (found.known !== undefined) {
    linkSource(context.book, found.known, event, { reported: change.reported, crosses: crossing !== undefined });
  }
  const { removedProperties: notStored } = consultation.decision;
  return {
    ...acceptedEvent(
      event,
      source,
      found,
      { uuid: context.newUuid(), denied: [denial], overrides: [] },
      changedBy(change.reported, before),
    ),
    ...(notStored.length === 0 ? {} : { notStored }),
  };
};

/** The properties that a source could not apply and still lacks. */
const lackedBy = ({ book }: DecisionContext, { known }: FoundRecord, { uuid }: AdaptorView): number => {
  const failed = known === undefined ? undefined : book.knownAt(known, uuid)?.failed;
  return failed === undefined ? 0 : Object.keys(failed).length;
};

/** The outcome with a note that the source could read its record, if the event is neither kept nor an issue. */
const noteRepeated = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  { found, lacked, outcome }: { readonly found: FoundRecord; readonly lacked: number; readonly outcome: EventOutcome },
): EventOutcome =>
  found.known === undefined || outcome.event !== undefined || outcome.issue !== undefined
    ? outcome
    : {
        ...outcome,
        ...(event.linkOnly
          ? {}
          : {
              echo: acceptedEvent(event, source, found, { uuid: context.newUuid(), denied: [], overrides: [] }),
              notes: noteAll(context.catalog, event.version, source.uuid, { reason: 'ECHO' }),
            }),
        repeated: {
          adaptorUuid: source.uuid,
          domainVersionUuid: event.version.uuid,
          recordUuid: found.known.uuid,
          keyDigest: event.key.digest,
          transactionUuid: event.transactionUuid,
          repairs: lacked > 0 && lackedBy(context, found, source) === 0,
        },
      };

const candidatesOf = ({ match }: Pick<FoundRecord, 'match'>): EventOutcome['candidates'] =>
  match.status === 'NEW' ? undefined : match.candidates;

const presumedOf = ({ match }: Pick<FoundRecord, 'match'>) =>
  match.status === 'PRESUMED_NEW' || match.status === 'PRESUMED_MATCH' ? match : undefined;

/** The change of the record for the change log. */
const changeOf = (
  event: RecordChanged,
  source: AdaptorView,
  { action }: Pick<AcceptedEvent, 'action'>,
  { uuid: recordUuid, drKey, json }: RecordState,
): EventOutcome['change'] => ({
  action,
  recordUuid,
  domainVersionUuid: event.version.uuid,
  actorUuid: source.uuid,
  transactionUuid: event.transactionUuid,
  drKey,
  ...(json === null ? {} : { json }),
});

/** The content of a data-store record as messages have it. Undefined: the record is federated. */
const storeContent = (
  { catalog, references }: DecisionContext,
  { version }: RecordChanged,
  { uuid, drKey, keyDigest, json }: RecordState,
): ContentHashes | undefined => {
  if (version.domainType === 'FEDERATED' || json === null) return undefined;
  const own = { uuid, domainVersionUuid: version.uuid, drKey, keyDigest };
  const resolution = resolveReferences({ catalog, targets: references }, version.model, json, { own, before: json });
  return contentOf(resolution.valid ? resolution.keyed : json);
};

/**
 * A source in discovery mode has a record that other systems have: it is linked. The record keeps its content, nothing is
 * routed, and the values that differ stay where they are until they change.
 */
const discoverRecord = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  found: FoundRecord & { readonly known: RecordState },
  { change, crossing }: FreshChange,
): EventOutcome => {
  const { book } = context;
  const { known: record } = found;
  const before = book.knownAt(record, source.uuid);
  // the DELETE on its way takes effect
  if (awaitsDeletion(before) && crossing?.unseen.every(({ sequence }) => sequence > crossing.seen.begun))
    return nothing;
  const presumed = presumedOf(found);
  const unpresumed = presumed === undefined ? null : stateBefore(record, source.uuid);
  const hasNews = presumed !== undefined || !record.links.has(source.uuid) || changes(change.reported, before);
  const held = heldAfter(change.reported, crossing);
  linkSource(book, record, event, { reported: held, crosses: crossing !== undefined });
  const link = record.links.get(source.uuid);
  const stored = storeContent(context, event, record);
  if (link !== undefined && stored !== undefined) {
    book.link(record, { ...link, known: discoveredContent(before ?? nothingKnown, held, stored) });
  }
  if (!hasNews) return nothing;
  const accepted = acceptedEvent(
    event,
    source,
    found,
    { uuid: context.newUuid(), denied: [], overrides: [] },
    changedBy(change.reported, before),
  );
  return {
    event: accepted,
    presumption: presumed && raisePresumption(context, source, event, { ...presumed, accepted, before: unpresumed }),
    deliveries: [],
    notes: noteAll(context.catalog, event.version, source.uuid, { reason: 'DISCOVERY' }),
    candidates: candidatesOf(found),
    change: changeOf(event, source, accepted, record),
  };
};

/**
 * Decides on a change of a record, step by step: find the record, read the change against it, drop stale values, change the
 * record, route the change. The first three steps only read, except that an event that ends in them may repeat messages to its source. The last
 * two change the book and the outbox of the context.
 */
export const decideRecordChange = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  seen: Seen,
): EventOutcome => {
  const found = findChangedRecord(context, source, event, seen);
  if ('ended' in found) return found.ended;
  const whole = readChange(context, source, event, found);
  if ('refused' in whole) return whole.refused;
  const lacked = lackedBy(context, found, source);
  const fresh = dropStaleValues(context, source, { event, seen, whole }, found);
  if ('ended' in fresh) return noteRepeated(context, source, event, { found, lacked, outcome: fresh.ended });
  const { known, operation } = found;
  if (event.linkOnly && known !== undefined) {
    const outcome = discoverRecord(context, source, event, { ...found, known }, fresh);
    return noteRepeated(context, source, event, { found, lacked, outcome });
  }
  const asked = operation === undefined ? {} : { operation };
  const admitted = admitToStore(context, source, found, fresh);
  if ('denial' in admitted) {
    const { denial, consultation } = admitted;
    const denied = endAtStore(context, source, event, found, { fresh, denial, consultation });
    const notes = noteAll(context.catalog, event.version, source.uuid, { reason: 'DENIED', by: denial });
    const candidates = candidatesOf(found);
    return { event: denied, deliveries: [], consulted: [consultation], notes, candidates, ...asked };
  }
  const state = changeRecordState(context, source, event, found, admitted, fresh.change.reported);
  if (state.isEcho) {
    const outcome = answerEcho(context, source, event, state, fresh);
    return noteRepeated(context, source, event, { found, lacked, outcome });
  }

  const { record, unpresumed } = state;
  const { consultation, stored } = admitted;
  const route = routeChange(context, source, event, state, admitted);
  const accepted = acceptedEvent(event, source, found, route, {
    ...admitted,
    ...changedBy(admitted.change.reported, state.before),
  });
  const presumed = presumedOf(found);
  return {
    event: accepted,
    presumption: presumed && raisePresumption(context, source, event, { ...presumed, accepted, before: unpresumed }),
    deliveries: route.deliveries,
    notes: route.notes,
    candidates: candidatesOf(found),
    consulted: consultation === undefined ? route.consulted : [consultation, ...route.consulted],
    ...(stored === undefined ? {} : { stored }),
    ...asked,
    ...(route.overrides.length > 0 ? { crossed: 'OVERRODE' } : fresh.fresh === event ? {} : { crossed: 'LATE' }),
    change: changeOf(event, source, accepted, record),
  };
};
