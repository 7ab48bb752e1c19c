import type { GovernanceRules } from '@fds/governance-rules';
import { stringifyJson } from '@fds/json';
import { isCapable, type AdaptorView, type Catalog } from '../catalog.js';
import type { Denial, PlannedDelivery } from '../events/event-outcome.js';
import type { OversizedMessage } from '../events/raise-oversized-message.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import { consult, type ChangedContent } from './ask-governance.js';
import { composeMessage, isOversized, type RoutedEvent } from './compose-message.js';
import type { Consultation } from './count-decisions.js';
import type { ContentHashes } from './content-hashes.js';
import { decideDestination } from './decide-destination.js';
import { isDiscovering, noteBystanders, type DestinationNote } from './destination-note.js';
import { awaitsDeletion, nothingKnown, afterMessage, withWithheld, type KnownContent } from './known-content.js';
import type { Outbox } from './outbox.js';
import type { NextContent, RoutingPlan } from './routing-plan.js';
import type { SentNote } from './sent-note.js';
import { hashesBefore, noteSent } from './sent-notes.js';

/** The outbox, as far as a plan reads it. */
type OutboxState = Pick<Outbox, 'next' | 'acked'>;

/** The rules and the state that a plan reads. It changes neither book nor outbox. */
interface PlanningContext {
  readonly catalog: Pick<Catalog, 'destinations' | 'bystanders'>;
  readonly governance: GovernanceRules;
  readonly book: Pick<RecordBook, 'knownAt'>;
  readonly outbox: OutboxState;
}

/** A plan while its destinations are gone through. */
interface GrowingPlan extends RoutingPlan {
  readonly deliveries: PlannedDelivery[];
  readonly denied: Denial[];
  readonly consulted: Consultation[];
  readonly notes: DestinationNote[];
  readonly oversized: OversizedMessage[];
  readonly nextContents: NextContent[];
}

const emptyPlan = (): GrowingPlan => ({
  deliveries: [],
  denied: [],
  consulted: [],
  notes: [],
  oversized: [],
  nextContents: [],
});

/** The content of a destination after it has applied a change. */
const holding = (
  outbox: OutboxState,
  known: KnownContent | undefined,
  content: ContentHashes,
  { adaptorUuid, sequence }: PlannedDelivery,
): KnownContent => {
  // a destination has nothing before its first message, nor after a DELETE
  const before = known === undefined || awaitsDeletion(known) ? {} : hashesBefore(content, known);
  const note: SentNote = { sequence, kind: 'CHANGE', before };
  return noteSent(afterMessage(known, content), note, outbox.acked(adaptorUuid));
};

/** The content of a destination after it has applied a DELETE. */
export const holdingNothing = (
  outbox: OutboxState,
  known: KnownContent,
  { adaptorUuid, sequence }: PlannedDelivery,
): KnownContent => {
  const { hashes, sent, withheld, waiting } = known;
  const note: SentNote = { sequence, kind: 'DELETION', before: hashes };
  const left: KnownContent = { ...nothingKnown, sent, withheld, waiting, deletionSent: true };
  return noteSent(left, note, outbox.acked(adaptorUuid));
};

/**
 * The content of a destination that gets no message: it notes the properties that the destination lacks. Undefined:
 * nothing changes. An adaptor without the record is sent the store's values when it gets the record.
 */
const withheldAt = (record: RecordState, adaptorUuid: string, withheld: readonly string[]): NextContent | undefined => {
  const known = record.links.get(adaptorUuid)?.known ?? record.expected.get(adaptorUuid);
  if (known === undefined || known.withheld.join() === withheld.join()) return undefined;
  return { adaptorUuid, known: withWithheld(known, withheld), forgetsRemoved: false };
};

/**
 * Plans a changed record's messages: POST to capable adaptors that do not link it, PUT to those that do, through the chains
 * of both zones, and nothing to an adaptor that is known to have it already. An adaptor in discovery mode gets no POST about a
 * record that was there before. `decideDestination` decides on each one.
 * Pure: `applyPlan` queues the messages and notes the content that each destination will have.
 */
export const planChange = (
  { catalog, governance, book, outbox }: PlanningContext,
  event: RoutedEvent,
  record: RecordState,
  data: ChangedContent,
): RoutingPlan => {
  const plan = emptyPlan();
  let wholeText: string | undefined;

  for (const destination of catalog.destinations(event.version)) {
    const { uuid: adaptorUuid } = destination;
    if (adaptorUuid === event.source.uuid) {
      plan.notes.push({ adaptorUuid, reason: 'SOURCE' });
      continue;
    }
    const link = record.links.get(adaptorUuid);
    const known = book.knownAt(record, adaptorUuid);
    // it may have the record already: its scan reports it
    if (isDiscovering(destination, known, event.creates)) {
      plan.notes.push({ adaptorUuid, reason: 'DISCOVERY' });
      continue;
    }
    const action = link === undefined || awaitsDeletion(known) ? 'POST' : 'PUT';
    if (!isCapable(destination, event.version, action)) {
      plan.notes.push({ adaptorUuid, action, reason: 'NOT_CAPABLE' });
      continue;
    }

    const decision = decideDestination(governance, event, record, data, { destination, action, known });
    const { denial, message, removed, withheld } = decision;
    plan.consulted.push(...decision.consulted);
    if (denial !== undefined) plan.denied.push(denial);
    const composed =
      message === undefined
        ? undefined
        : composeMessage(outbox.next(adaptorUuid), event, record, {
            action,
            destination,
            removedProperties: message.removedProperties,
            jsonData:
              message.json === data.json ? (wholeText ??= stringifyJson(data.json)) : stringifyJson(message.json),
            content: message.content,
            changed: action === 'POST' ? Object.keys(message.content) : message.changed,
            read: data.read,
          });
    const isTooLarge = composed !== undefined && isOversized(composed);
    if (isTooLarge) plan.oversized.push(composed);
    plan.notes.push({
      adaptorUuid,
      action,
      reason: denial !== undefined ? 'DENIED' : message === undefined ? 'NOTHING_NEW' : isTooLarge ? 'TOO_LARGE' : null,
      by: denial,
      changed: action === 'PUT' ? message?.changed : undefined,
      removed,
    });
    if (message === undefined || composed === undefined || isOversized(composed)) {
      const next = withheldAt(record, adaptorUuid, withheld);
      if (next !== undefined) plan.nextContents.push(next);
      continue;
    }
    plan.deliveries.push(composed);
    const next = withWithheld(holding(outbox, known, message.content, composed), withheld);
    plan.nextContents.push({ adaptorUuid, known: next, forgetsRemoved: true });
  }
  const discovers = (adaptor: AdaptorView): boolean =>
    isDiscovering(adaptor, book.knownAt(record, adaptor.uuid), event.creates);
  plan.notes.push(...noteBystanders(catalog, event.version, event.source.uuid, discovers));
  return plan;
};

/**
 * Plans a deletion: DELETE to the capable adaptors that link the record, or were sent it, and have no DELETE yet. Pure, as
 * `planChange` is.
 *
 * @param only these adaptors; default all
 */
export const planDeletion = (
  { catalog, governance, outbox }: Omit<PlanningContext, 'book'>,
  event: RoutedEvent,
  record: RecordState,
  only?: ReadonlySet<string>,
): RoutingPlan => {
  const plan = emptyPlan();
  for (const destination of catalog.destinations(event.version)) {
    const { uuid: adaptorUuid } = destination;
    const note = (reason: DestinationNote['reason'], by?: DestinationNote['by']): void => {
      plan.notes.push({ adaptorUuid, reason, ...(reason === 'SOURCE' ? {} : { action: 'DELETE' }), by });
    };
    if (adaptorUuid === event.source.uuid) {
      note('SOURCE');
      continue;
    }
    if (!isCapable(destination, event.version, 'DELETE')) {
      note('NOT_CAPABLE');
      continue;
    }
    const link = record.links.get(adaptorUuid);
    const known = link?.known ?? record.expected.get(adaptorUuid);
    if (only?.has(adaptorUuid) === false || known === undefined || awaitsDeletion(known)) {
      note('NOTHING_NEW');
      continue;
    }
    const consultation = consult(governance, event, record, { destination, action: 'DELETE', properties: [] });
    plan.consulted.push(consultation);
    const { decision } = consultation;
    if (decision.outcome === 'DENIED') {
      const by = decision.deniedBy;
      note('DENIED', by);
      if (by !== undefined) plan.denied.push({ adaptorUuid, chain: by.chain, aclUuid: by.aclUuid });
      continue;
    }
    const content = { action: 'DELETE', destination, removedProperties: [], jsonData: '{}' } as const;
    const keyed = { ...event, drKey: link?.drKey ?? event.drKey };
    const composed = composeMessage(outbox.next(adaptorUuid), keyed, record, content);
    if (isOversized(composed)) {
      plan.oversized.push(composed);
      note('TOO_LARGE');
      continue;
    }
    note(null);
    plan.deliveries.push(composed);
    plan.nextContents.push({ adaptorUuid, known: holdingNothing(outbox, known, composed), forgetsRemoved: false });
  }
  plan.notes.push(...noteBystanders(catalog, event.version, event.source.uuid));
  return plan;
};
