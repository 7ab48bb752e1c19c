import type { OperationalRules } from '@fds/governance-rules';
import type { JsonObject } from '@fds/json';
import { isCapable, type AdaptorView } from '../catalog.js';
import { decideDeletion } from './decide-deletion.js';
import { decideLink } from './decide-link.js';
import { nothing, type AcceptedEvent, type EventOutcome } from './event-outcome.js';
import type { EventKey, IncomingEvent, RecordChanged } from './incoming-event.js';
import { changes, contentOf, overlay, type KnownContent } from '../routing/known-content.js';
import { askOperationalChain, denyOperation } from './ask-operational-chain.js';
import { matchRecord } from '../records/match-record.js';
import { noDeliveries, planChange, type RoutedEvent, type RoutingContext } from '../routing/plan-deliveries.js';
import { raiseIssue } from './raise-issue.js';
import { raisePresumption, stateBefore } from './raise-presumption.js';
import { resolveReferences, type Resolution } from '../references/resolve-references.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { ReferenceBook } from '../references/reference-book.js';
import { mergeRecord, type MergedRecord } from '../records/merge-record.js';

/** What decisions need beside the event: the catalog, the chains, the records of the batch, and fresh ids. */
export interface DecisionContext extends RoutingContext {
  readonly operational: OperationalRules;
  readonly references: ReferenceBook;
  newUuid(): string;
  /** Does an open issue hold back events of the key from the adaptor? */
  isHeld(adaptorUuid: string, domainVersionUuid: string, keyDigest: string): boolean;
}

/** The record's own key follows the link that had it, unless another link still holds it or the new one is taken. */
const moveRecordKey = (book: RecordBook, record: RecordState, from: string, to: EventKey): void => {
  if (record.keyDigest !== from || [...record.links.values()].some((link) => link.keyDigest === from)) return;
  if (book.byKey(record.domainVersionUuid, to.digest).some((other) => other !== record)) return;
  record.keyDigest = to.digest;
  record.drKey = to.drKey;
  book.touch(record);
};

/** Notes that the adaptor holds the record with this key and content. */
const linkSource = (book: RecordBook, record: RecordState, event: RecordChanged, reported: KnownContent): void => {
  const adaptorUuid = event.sourceAdaptorUuid;
  const link = record.links.get(adaptorUuid);
  const known = link?.known ?? record.expected.get(adaptorUuid);
  if (link !== undefined && link.keyDigest === event.key.digest && !changes(reported, link.known)) return;
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

const decideRecordChange = (context: DecisionContext, source: AdaptorView, event: RecordChanged): EventOutcome => {
  const { book } = context;
  const match = matchRecord(book, {
    version: event.version,
    sourceAdaptorUuid: source.uuid,
    drUuid: event.drUuid,
    key: event.key,
    settled: event.settled,
  });
  if (match.status === 'AMBIGUOUS') {
    return raiseIssue(context, source, { event, reason: 'AMBIGUOUS', matches: match.candidates });
  }
  const known = 'record' in match ? match.record : undefined;
  if (known === undefined && !isCapable(source, event.version, 'POST')) {
    return raiseIssue(context, source, { event, reason: 'NOT_CAPABLE' });
  }
  const operation = known === undefined ? askOperationalChain(context, source, event.version, 'POST') : undefined;
  if (operation?.outcome === 'DENIED') return denyOperation(context, source, { event, operation });
  const holder = book
    .byKey(event.version.uuid, event.key.digest)
    .find((other) => other !== known && other.links.get(source.uuid)?.keyDigest === event.key.digest);
  if (holder !== undefined) return raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known });

  const merge = mergeRecord(event, known);
  if (!merge.valid) return raiseIssue(context, source, { event, reason: 'NOT_VALID', errors: merge.errors });
  const taken = book.byKey(event.version.uuid, merge.key.digest).some((other) => other !== known);
  if (taken && event.version.domainType === 'SERVICE_DATA_STORE') {
    return raiseIssue(context, source, { event, reason: 'KEY_TAKEN', record: known });
  }

  const uuid = known?.uuid ?? context.newUuid();
  const resolution = resolveMerged(context, event, merge, { uuid, json: known?.json ?? null });
  if (!resolution.valid) return raiseIssue(context, source, { event, reason: 'NOT_VALID', errors: resolution.errors });
  const { stored, keyed } = resolution;
  const record = known ?? createRecord(context, event, { uuid, json: stored });
  const reported = contentOf(pickMembers(keyed, merge.reported));
  const before = record.links.get(source.uuid)?.known ?? record.expected.get(source.uuid);
  const presumed = match.status === 'PRESUMED_NEW' || match.status === 'PRESUMED_MATCH' ? match : undefined;
  const isEcho = known !== undefined && presumed === undefined && !changes(reported, before);
  const unpresumed = presumed?.status === 'PRESUMED_MATCH' ? stateBefore(record, source.uuid) : null;
  linkSource(book, record, event, reported);
  if (isEcho) return nothing;
  if (event.version.domainType === 'SERVICE_DATA_STORE') {
    if (known !== undefined) storeMerged(book, record, { json: stored, key: merge.key });
    context.references.keep(uuid, resolution.references);
  }

  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source,
    version: event.version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drKey: event.key.drKey,
  };
  const content = event.version.domainType === 'SERVICE_DATA_STORE' ? contentOf(keyed) : reported;
  const plan = event.linkOnly ? noDeliveries : planChange(context, routed, record, { json: keyed, content });
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
    createTime: event.createTime,
  };
  return {
    event: accepted,
    presumption: presumed && raisePresumption(context, source, event, { ...presumed, accepted, before: unpresumed }),
    deliveries: plan.deliveries,
    consulted: plan.consulted,
    ...(operation === undefined ? {} : { operation }),
    change: {
      action,
      recordUuid: record.uuid,
      domainVersionUuid: event.version.uuid,
      actorUuid: source.uuid,
      drKey: record.drKey,
      ...(record.json === null ? {} : { json: record.json }),
    },
  };
};

/**
 * Decides on an event in the order of decisions, section 8. Changes the book; the outcome is what else to write.
 * Pure but for the book and the ids passed in: the same input gives the same outcome.
 */
export const decideEvent = (context: DecisionContext, source: AdaptorView, event: IncomingEvent): EventOutcome => {
  const { version, key } = event;
  const isData = event.kind !== 'LINKED' && event.kind !== 'UNLINKED';
  if (isData && version !== undefined && key !== undefined && context.isHeld(source.uuid, version.uuid, key.digest)) {
    return raiseIssue(context, source, { event, reason: 'HELD' });
  }
  switch (event.kind) {
    case 'RECORD_CHANGED':
      return decideRecordChange(context, source, event);
    case 'RECORD_DELETED':
      return decideDeletion(context, source, event);
    case 'LINKED':
    case 'UNLINKED':
      return decideLink(context, event);
    case 'FAULTY':
      return raiseIssue(context, source, { event, reason: 'FAULTY' });
  }
};
