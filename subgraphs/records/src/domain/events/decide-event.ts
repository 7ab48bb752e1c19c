import type { OperationalRules } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import { isCapable, type AdaptorView } from '../catalog.js';
import { decideDeletion } from './decide-deletion.js';
import { decideLink } from './decide-link.js';
import { nothing, type AcceptedEvent, type EventOutcome } from './event-outcome.js';
import type { IncomingEvent, RecordChanged } from './incoming-event.js';
import { contentOf, without, type ContentHashes } from '../routing/content-hashes.js';
import { awaitsDeletion, changes, nothingKnown, type KnownContent } from '../routing/known-content.js';
import { askOperationalChain, denyOperation } from './ask-operational-chain.js';
import { confirmChange, repeatMessages, repeatWinning } from '../routing/confirm-to-source.js';
import { findCrossing, sortReport } from '../routing/crossing.js';
import { findOrigin, notOfOrigin, seenWithOrigin } from '../routing/named-origin.js';
import { overriddenByChange } from '../routing/overridden-events.js';
import { changedProperties } from '../routing/stored-changes.js';
import { everythingSeen, type Seen } from '../routing/seen.js';
import { matchRecord } from '../records/match-record.js';
import { noDeliveries, planChange, type RoutedEvent, type RoutingContext } from '../routing/plan-deliveries.js';
import { removedLinkOf, repeatOfRemoved } from './repeat-of-removed.js';
import { noteWaiting } from './note-waiting.js';
import { linkSource } from './link-source.js';
import { repeatedOf, takeEcho, takeInvalidEcho } from './take-echo.js';
import { laneDigestOf, namedRecord } from './named-record.js';
import { raiseIssue } from './raise-issue.js';
import { raisePresumption, stateBefore } from './raise-presumption.js';
import { resolveReferences, type Resolution } from '../references/resolve-references.js';
import type { RecordKey } from '../records/record-key.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { ReferenceBook } from '../references/reference-book.js';
import { mergeRecord, type MergedRecord } from '../records/merge-record.js';

/** Data for decisions besides the event: the catalog, the chains, the records of the batch, and fresh ids. */
export interface DecisionContext extends RoutingContext {
  readonly operational: OperationalRules;
  readonly references: ReferenceBook;
  newUuid(): string;
  /** Does an open issue park events of the key from the adaptor? */
  isHeld(adaptorUuid: string, domainVersionUuid: string, keyDigest: string): boolean;
}

const createRecord = (
  context: DecisionContext,
  event: RecordChanged,
  { uuid, json }: { readonly uuid: string; readonly json: JsonObject },
): RecordState => {
  const record: RecordState = {
    uuid,
    domainVersionUuid: event.version.uuid,
    keyDigest: event.key.digest,
    drKey: event.key.drKey,
    json: event.version.domainType === 'SERVICE_DATA_STORE' ? json : null,
    createdByUuid: event.sourceAdaptorUuid,
    links: new Map(),
    expected: new Map(),
  };
  context.book.add(record);
  return record;
};

const storeMerged = (book: RecordBook, record: RecordState, merged: Pick<MergedRecord, 'json' | 'key'>): void => {
  record.json = merged.json;
  if (record.keyDigest !== merged.key.digest) {
    record.keyDigest = merged.key.digest;
    record.drKey = merged.key.drKey;
  }
  book.touch(record);
};

/** The members of `record` that `names` has too. */
const pickMembers = (record: JsonObject, names: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(names, name)));

/** Looks up the references of a data-store record; federated ones say whatever their sources say. */
const resolveMerged = (
  { catalog, references }: DecisionContext,
  { version }: RecordChanged,
  { json, key }: MergedRecord,
  stored: { readonly uuid: string; readonly json: JsonObject | null },
): Resolution => {
  if (version.domainType === 'FEDERATED') return { valid: true, stored: json, keyed: json, references: [] };
  const own = { uuid: stored.uuid, domainVersionUuid: version.uuid, drKey: key.drKey, keyDigest: key.digest };
  const resolution = resolveReferences({ catalog, targets: references }, version.model, json, {
    own,
    before: stored.json,
  });
  if (resolution.valid) return resolution;
  return { ...resolution, errors: resolution.errors.map((error) => ({ ...error, pointer: `/json${error.pointer}` })) };
};

/** An event read against the record that it is about. */
interface ReadChange {
  readonly merge: MergedRecord;
  readonly resolution: Extract<Resolution, { readonly valid: true }>;
  /** Hashes of the reported values. */
  readonly reported: ContentHashes;
}

const ownKey = ({ version, key }: RecordChanged): RecordKey => ({
  domainVersionUuid: version.uuid,
  keyDigest: key.digest,
});

const readChange = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  { known, uuid }: { readonly known: RecordState | undefined; readonly uuid: string },
): ReadChange | { readonly refused: EventOutcome } => {
  const merge = mergeRecord(event, known);
  if (!merge.valid) {
    const { errors } = merge;
    // a part is valid once there is a whole
    const awaits = known === undefined ? [ownKey(event)] : [];
    return { refused: raiseIssue(context, source, { event, reason: 'NOT_VALID', errors, awaits }) };
  }
  const taken = context.book.byKey(event.version.uuid, merge.key.digest).some((other) => other !== known);
  if (taken && event.version.domainType === 'SERVICE_DATA_STORE') {
    return {
      refused: raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known, awaits: [ownKey(event)] }),
    };
  }
  const resolution = resolveMerged(context, event, merge, { uuid, json: known?.json ?? null });
  if (!resolution.valid) {
    const { errors, awaited: awaits } = resolution;
    return { refused: raiseIssue(context, source, { event, reason: 'NOT_VALID', errors, awaits }) };
  }
  return { merge, resolution, reported: contentOf(pickMembers(resolution.keyed, merge.reported)) };
};

/** The event without its stale values; stale values of the DR Key are taken from the record. */
const withoutLate = (event: RecordChanged, record: RecordState, late: ReadonlySet<string>): RecordChanged => {
  const names = new Set([...late].map((name) => name.toLowerCase()));
  const kept = Object.entries(event.record).filter(([name]) => !names.has(name.toLowerCase()));
  const keys = Object.entries(record.drKey).filter(([name]) => late.has(name));
  return { ...event, record: Object.fromEntries([...kept, ...keys]) };
};

/** The new values of the source, over the values that it was known to have. */
const newsOf = (reported: ContentHashes, { hashes }: KnownContent): ContentHashes =>
  Object.fromEntries(Object.entries(reported).filter(([name, hash]) => hashes[name] !== hash));

const decideRecordChange = (
  context: DecisionContext,
  source: AdaptorView,
  event: RecordChanged,
  seen: Seen,
): EventOutcome => {
  const { book, outbox } = context;
  const match = matchRecord(book, {
    version: event.version,
    sourceAdaptorUuid: source.uuid,
    drUuid: event.drUuid,
    key: event.key,
    settled: event.settled,
  });
  const removed = removedLinkOf(context, source, event, match);
  const repeat = removed === undefined ? undefined : repeatOfRemoved(context, removed, event, seen);
  if (repeat !== undefined) return repeat;
  if (match.status === 'AMBIGUOUS') {
    return raiseIssue(context, source, { event, reason: 'AMBIGUOUS', matches: match.candidates });
  }
  const known = 'record' in match ? match.record : undefined;
  if (known === undefined && !isCapable(source, event.version, 'POST')) {
    return raiseIssue(context, source, { event, reason: 'NOT_CAPABLE', awaits: [ownKey(event)] });
  }
  const operation = known === undefined ? askOperationalChain(context, source, event.version, 'POST') : undefined;
  // an adaptor without create rights can still update a record that exists
  if (operation?.outcome === 'DENIED')
    return denyOperation(context, source, { event, operation, awaits: [ownKey(event)] });
  const holder = book
    .byKey(event.version.uuid, event.key.digest)
    .find((other) => other !== known && other.links.get(source.uuid)?.keyDigest === event.key.digest);
  if (holder !== undefined) {
    return raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known, awaits: [ownKey(event)] });
  }

  const uuid = known?.uuid ?? context.newUuid();
  const whole = readChange(context, source, event, { known, uuid });
  if ('refused' in whole) return whole.refused;
  const held = (known === undefined ? undefined : book.knownAt(known, source.uuid)) ?? removed?.known;
  // the origin proves nothing for a source that is not known to have the record
  const origin = known === undefined || held === undefined ? undefined : findOrigin(outbox, event, known.uuid);
  const left = origin === undefined ? undefined : notOfOrigin(origin, whole.reported, event.filled);
  if (known !== undefined && left?.length === 0) return takeEcho(book, known, event, whole.reported);
  const repeated = left === undefined ? undefined : repeatedOf(whole.reported, left, held);
  const crossing = findCrossing(held, source.uuid, seenWithOrigin(seen, origin));
  const sorted =
    crossing === undefined || event.linkOnly
      ? undefined
      : sortReport(outbox, crossing, without(whole.reported, repeated ?? []));
  if (known !== undefined && crossing !== undefined && sorted !== undefined && awaitsDeletion(crossing.known)) {
    // the crossing DELETE takes effect
    const deletion = sorted.winning.slice(0, 1);
    if (sorted.late.size > 0) {
      return { deliveries: repeatMessages(context, known, { source, crossing }, deletion), crossed: 'LATE' };
    }
  }
  const late = new Set([...(sorted?.late ?? []), ...(repeated ?? [])]);
  const told = known === undefined || late.size === 0 ? event : withoutLate(event, known, late);
  const change = told === event ? whole : readChange(context, source, told, { known, uuid });
  if ('refused' in change) return change.refused;

  const { merge, resolution, reported } = change;
  const { stored, keyed } = resolution;
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  const record = known ?? createRecord(context, event, { uuid, json: stored });
  const before = book.knownAt(record, source.uuid);
  // its new values are its own, even where the store has them from another adaptor
  const changed = isStored
    ? changedProperties(known?.json ?? null, stored, Object.keys(newsOf(reported, before ?? nothingKnown)))
    : undefined;
  const presumed = match.status === 'PRESUMED_NEW' || match.status === 'PRESUMED_MATCH' ? match : undefined;
  const isEcho = known !== undefined && presumed === undefined && !changes(reported, before);
  const unpresumed = presumed?.status === 'PRESUMED_MATCH' ? stateBefore(record, source.uuid) : null;
  // messages in flight come after the discovery
  const crosses = crossing !== undefined;
  linkSource(book, record, event, { reported: event.linkOnly && crosses ? {} : reported, crosses });
  if (isEcho) {
    if (crossing === undefined || sorted === undefined) {
      return late.size === 0 ? nothing : { deliveries: [], crossed: 'LATE' };
    }
    const { drKeyProperties: keyProperties } = event.version.model;
    return {
      deliveries: repeatWinning(context, record, { source, crossing }, { sorted, keyProperties }),
      ...(late.size === 0 ? {} : { crossed: 'LATE' }),
    };
  }
  if (isStored) {
    if (known !== undefined) storeMerged(book, record, { json: stored, key: merge.key });
    context.references.keep(uuid, resolution.references);
  }

  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source,
    version: event.version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drKey: told === event ? event.key.drKey : { ...event.key.drKey, ...pickMembers(told.record, event.key.drKey) },
  };
  const content = isStored ? contentOf(keyed) : reported;
  const kept =
    isStored || awaitsDeletion(before)
      ? []
      : Object.keys(reported).filter((name) => before?.hashes[name] === reported[name]);
  const plan = event.linkOnly
    ? noDeliveries
    : planChange(context, routed, record, { json: keyed, content, changed, repeated: kept });
  const news = crossing === undefined || event.linkOnly ? undefined : newsOf(reported, crossing.known);
  const overrides = crossing === undefined || news === undefined ? [] : overriddenByChange(outbox, crossing, news);
  const confirmation =
    crossing === undefined || news === undefined
      ? undefined
      : confirmChange(context, routed, record, {
          source,
          crossing,
          news,
          json: { ...event.key.drKey, ...pickMembers(keyed, news), ...sorted?.restored },
        });
  const action = known === undefined ? 'POST' : 'PUT';
  const accepted: AcceptedEvent = {
    uuid: routed.uuid,
    transactionUuid: event.transactionUuid,
    action,
    matchStatus: known === undefined ? 'PRESUMED_NEW' : match.status === 'PRESUMED_MATCH' ? match.status : 'RESOLVED',
    recordUuid: record.uuid,
    domainVersionUuid: event.version.uuid,
    sourceAdaptorUuid: source.uuid,
    drKey: event.key.drKey,
    denied: plan.denied,
    ...(overrides.length === 0 ? {} : { overrides }),
    createTime: event.createTime,
  };
  return {
    event: accepted,
    presumption: presumed && raisePresumption(context, source, event, { ...presumed, accepted, before: unpresumed }),
    deliveries: confirmation === undefined ? plan.deliveries : [...plan.deliveries, confirmation],
    consulted: plan.consulted,
    ...(operation === undefined ? {} : { operation }),
    ...(overrides.length > 0 ? { crossed: 'OVERRODE' } : told === event ? {} : { crossed: 'LATE' }),
    change: {
      action,
      recordUuid: record.uuid,
      domainVersionUuid: event.version.uuid,
      actorUuid: source.uuid,
      transactionUuid: event.transactionUuid,
      drKey: record.drKey,
      ...(record.json === null ? {} : { json: record.json }),
    },
  };
};

const decideKind = (context: DecisionContext, source: AdaptorView, event: IncomingEvent, seen: Seen): EventOutcome => {
  const { version } = event;
  const isData = event.kind !== 'LINKED' && event.kind !== 'UNLINKED';
  if (isData && version !== undefined) {
    const digest = laneDigestOf(context.book, event);
    if (digest !== undefined && context.isHeld(source.uuid, version.uuid, digest)) {
      return raiseIssue(context, source, { event, reason: 'HELD', record: namedRecord(context.book, event) });
    }
  }
  switch (event.kind) {
    case 'RECORD_CHANGED':
      return decideRecordChange(context, source, event, seen);
    case 'RECORD_DELETED':
      return decideDeletion(context, source, event, seen);
    case 'LINKED':
    case 'UNLINKED':
      return decideLink(context, event);
    case 'EMPTY':
      return nothing;
    case 'FAULTY':
      return (
        takeInvalidEcho(context, event) ??
        raiseIssue(context, source, { event, reason: 'FAULTY', record: namedRecord(context.book, event) })
      );
  }
};

/**
 * Decides on an event in the order of docs/specification/data-events.md#order-of-decisions. Changes the book; the outcome is
 * what else to write.
 * Pure but for the book, the outbox and the ids passed in: the same input gives the same outcome.
 *
 * @param seen the messages that the source had applied when it made the event. Default: all that it was sent
 */
export const decideEvent = (
  context: DecisionContext,
  source: AdaptorView,
  event: IncomingEvent,
  seen: Seen = everythingSeen,
): EventOutcome => {
  const outcome = decideKind(context, source, event, seen);
  if (outcome.issue === undefined) return outcome;
  noteWaiting(context.book, event, seen);
  return { ...outcome, issue: { ...outcome.issue, seen } };
};
