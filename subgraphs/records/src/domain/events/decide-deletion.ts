import type { AdaptorView } from '../catalog.js';
import { nothing, type Denial, type EventOutcome } from './event-outcome.js';
import type { DecisionContext } from './decision-context.js';
import type { RecordDeleted } from './incoming-event.js';
import { askOperationalChain, denyOperation, type OperationContext } from './ask-operational-chain.js';
import { awaitsDeletion, type KnownContent } from '../routing/known-content.js';
import { findRecord } from '../records/match-record.js';
import { confirmDeletion } from '../routing/confirm-to-source.js';
import { findCrossing, findReturned, type Crossing } from '../routing/crossing.js';
import { findOrigin, repeatsOldDeletion } from '../routing/named-origin.js';
import { overriddenByDeletion } from '../routing/overridden-events.js';
import type { Seen } from '../routing/seen.js';
import { notesAfterDeletion, withNotes } from '../routing/sent-notes.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import { answerLateDeletion, keptDeletion, removedLinkNamedBy, tellRemoved } from './late-deletions.js';
import { removeUnlinked } from './remove-unlinked.js';
import type { RoutedEvent } from '../routing/compose-message.js';
import { planDeletion } from '../routing/plan-deliveries.js';
import type { RoutingContext } from '../routing/routing-context.js';
import { applyPlan } from '../routing/apply-plan.js';
import { noteAll, type DestinationNote } from '../routing/destination-note.js';
import { nothingToRoute, type RoutingPlan } from '../routing/routing-plan.js';
import type { ReferenceBook } from '../references/reference-book.js';
import { consultForStore, denialAtStore } from './admit-to-store.js';
import { raiseIssue } from './raise-issue.js';

/** May an adaptor have applied what it was sent? */
const mayHold = (expected: KnownContent, { begun }: Seen): boolean => {
  const notes = expected.sent;
  return notes.length === 0 || notes.some(({ sequence }) => sequence <= begun);
};

/**
 * An adaptor has deleted a record that it was ordered to delete, and possibly had not seen the order: it no longer has
 * the record.
 */
const keepUnseen = (
  book: RecordBook,
  record: RecordState,
  report: { readonly crossing: Crossing | undefined; readonly seen: Seen; readonly keyDigest: string },
): void => {
  const { crossing, seen, keyDigest } = report;
  if (crossing === undefined || !awaitsDeletion(crossing.known)) return;
  const known = withNotes(crossing.known, notesAfterDeletion(crossing.known.sent, seen));
  book.keepRemoved(record, { adaptorUuid: crossing.adaptorUuid, keyDigest, known });
};

/** The messages of a deletion. It goes to no adaptor in discovery mode, nor where the chains keep it from the store. */
const planOf = (
  context: RoutingContext,
  deletion: {
    readonly event: RecordDeleted;
    readonly routed: RoutedEvent;
    readonly record: RecordState;
    readonly denial: Denial | undefined;
  },
): RoutingPlan => {
  const { event, routed, record, denial } = deletion;
  if (!event.linkOnly && denial === undefined) return planDeletion(context, routed, record);
  const why = event.linkOnly ? { reason: 'DISCOVERY' as const } : { reason: 'DENIED' as const, by: denial };
  return nothingToRoute(noteAll(context.catalog, event.version, event.sourceAdaptorUuid, why));
};

/** An adaptor that reports the deletion which it received has no news for the others. */
const asEcho = (notes: readonly DestinationNote[]): readonly DestinationNote[] =>
  notes.map((note) => (note.reason === null || note.reason === 'SOURCE' ? note : { ...note, reason: 'ECHO' }));

/**
 * A source deleted a record: its link goes at once, the linked destinations get DELETE. A federated record goes with its
 * last link, a data-store record at once, unless another record refers to it or the chains keep the deletion from the
 * store. Deleting what is unknown changes nothing.
 */
export const decideDeletion = (
  context: RoutingContext &
    OperationContext &
    Pick<DecisionContext, 'brake'> & { readonly references: Pick<ReferenceBook, 'countReferrers'> },
  source: AdaptorView,
  event: RecordDeleted,
  seen: Seen,
): EventOutcome => {
  const { book } = context;
  const match = findRecord(book, {
    version: event.version,
    sourceAdaptorUuid: source.uuid,
    drUuid: event.drUuid,
    key: event.key,
    settled: event.settled,
  });
  if (match.status === 'AMBIGUOUS') {
    return raiseIssue(context, source, { event, reason: 'AMBIGUOUS', matches: match.candidates });
  }
  if (match.status !== 'RESOLVED') return tellRemoved(context, source, event, seen);

  const { record } = match;
  const isStored = event.version.domainType === 'SERVICE_DATA_STORE';
  // in discovery mode, only the link of the source goes
  const store =
    isStored && !event.linkOnly
      ? consultForStore(context.governance, source, event.version, {
          recordUuid: record.uuid,
          action: 'DELETE',
          properties: [],
        })
      : undefined;
  const denial = store && denialAtStore(store);
  if (store !== undefined && denial === undefined && context.references.countReferrers(record.uuid) > 0) {
    return raiseIssue(context, source, { event, reason: 'IN_USE', record });
  }
  const wasLinked = record.links.has(source.uuid);
  const expected = record.expected.get(source.uuid);
  // an adaptor that deletes a record which it was sent has it, though its report of the link may not be here yet
  const hadRecord = wasLinked || (expected !== undefined && !awaitsDeletion(expected) && mayHold(expected, seen));
  const known = book.knownAt(record, source.uuid) ?? removedLinkNamedBy(book, event)?.known;
  if (repeatsOldDeletion(findOrigin(context.outbox, event, record.uuid), known)) {
    return { deliveries: [], crossed: 'LATE' };
  }
  const crossing = event.linkOnly ? undefined : findCrossing(known, source.uuid, seen);
  const returned = crossing === undefined ? undefined : findReturned(context.outbox, crossing);
  if (crossing !== undefined && returned !== undefined) {
    return answerLateDeletion(context, event, record, { source, crossing, returned });
  }
  // an adaptor with an order to delete, and no message since, reports on the state before
  if (!hadRecord && (store === undefined || awaitsDeletion(known))) {
    const wasOrdered = awaitsDeletion(expected);
    if (wasOrdered && record.expected.delete(source.uuid)) book.touch(record);
    keepUnseen(book, record, { crossing, seen, keyDigest: event.former?.digest ?? record.keyDigest });
    const removal = wasOrdered ? removeUnlinked(book, record, event) : nothing;
    return crossing !== undefined && awaitsDeletion(crossing.known)
      ? { ...removal, event: keptDeletion(context, event, record) }
      : removal;
  }
  // an adaptor with an order to delete does not decide on it
  const link = record.links.get(source.uuid);
  const isOrdered = awaitsDeletion(link?.known ?? record.expected.get(source.uuid));
  const operation = isOrdered ? undefined : askOperationalChain(context, source, event.version, 'DELETE');
  if (operation?.outcome === 'DENIED') {
    const keyDigest = link?.keyDigest ?? record.keyDigest;
    return denyOperation(context, source, { event, operation, record: { uuid: record.uuid, keyDigest } });
  }
  // an adaptor that reports an ordered deletion deletes nothing by itself
  const brakeUuid = isOrdered ? undefined : context.brake?.take(source, event.version);
  if (brakeUuid !== undefined) {
    const keyDigest = link?.keyDigest ?? record.keyDigest;
    return raiseIssue(context, source, { event, reason: 'HELD', brakeUuid, record: { uuid: record.uuid, keyDigest } });
  }
  const drKey = event.key?.drKey ?? record.links.get(source.uuid)?.drKey ?? record.drKey;
  if (wasLinked) book.unlink(record, source.uuid);
  if (record.expected.delete(source.uuid)) book.touch(record);

  const routed: RoutedEvent = {
    uuid: context.newUuid(),
    source,
    version: event.version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drKey,
  };
  const plan = planOf(context, { event, routed, record, denial });
  applyPlan(context, record, plan);
  const overrides =
    crossing === undefined || denial !== undefined ? [] : overriddenByDeletion(context.outbox, crossing);
  const confirmation =
    crossing === undefined || isOrdered || denial !== undefined
      ? undefined
      : confirmDeletion(context, routed, record, { source, crossing });
  if (isOrdered) keepUnseen(book, record, { crossing, seen, keyDigest: link?.keyDigest ?? record.keyDigest });
  const goes = isStored
    ? store !== undefined && denial === undefined
    : record.links.size === 0 && confirmation === undefined;
  if (goes) book.delete(record);
  return {
    event: {
      uuid: routed.uuid,
      transactionUuid: event.transactionUuid,
      action: 'DELETE',
      matchStatus: 'RESOLVED',
      recordUuid: record.uuid,
      domainVersionUuid: event.version.uuid,
      sourceAdaptorUuid: source.uuid,
      drKey,
      denied: denial === undefined ? plan.denied : [denial],
      ...(overrides.length === 0 ? {} : { overrides }),
      createTime: event.createTime,
    },
    deliveries: confirmation === undefined ? plan.deliveries : [...plan.deliveries, confirmation],
    consulted: store === undefined ? plan.consulted : [store, ...plan.consulted],
    notes: isOrdered ? asEcho(plan.notes) : plan.notes,
    ...(store === undefined || denial !== undefined
      ? {}
      : { stored: { zoneUuid: event.version.zoneUuid, action: 'DELETE', json: {}, removedProperties: [] } }),
    ...(operation === undefined ? {} : { operation }),
    ...(overrides.length === 0 ? {} : { crossed: 'OVERRODE' }),
    ...(denial === undefined
      ? {
          change: {
            action: goes ? 'DELETE' : 'PUT',
            recordUuid: record.uuid,
            domainVersionUuid: event.version.uuid,
            actorUuid: source.uuid,
            transactionUuid: event.transactionUuid,
            drKey: record.drKey,
            ...(record.json === null ? {} : { json: record.json }),
          },
        }
      : {}),
  };
};
