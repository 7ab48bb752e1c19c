import type { GovernanceRules } from '@fds/governance-rules';
import { stringifyJson, type JsonObject } from '@fds/json';
import { isCapable, type AdaptorView, type Catalog, type DomainVersionView } from '../catalog.js';
import type { DeliveredAction, Denial, PlannedDelivery } from '../events/event-outcome.js';
import { consult, type ChangedContent, type EventSource } from './ask-governance.js';
import type { Consultation } from './count-decisions.js';
import type { ContentHashes } from './content-hashes.js';
import { decideDestination, withoutMembers } from './decide-destination.js';
import { awaitsDeletion, overlay, withWithheld, type KnownContent } from './known-content.js';
import { oversizeOf } from './message-limit.js';
import type { Outbox } from './outbox.js';
import type { SentNote } from './sent-note.js';
import { hashesBefore, noteSent } from './sent-notes.js';
import { toSentContent } from './sent-content.js';
import type { RecordBook, RecordState } from '../records/record-book.js';

/** An event on its way to the other adaptors. */
export interface RoutedEvent {
  readonly uuid: string;
  readonly source: EventSource;
  readonly version: DomainVersionView;
  readonly transactionUuid: string;
  readonly createTime: number;
  readonly drKey: JsonObject;
}

export interface RoutingContext {
  readonly catalog: Catalog;
  readonly governance: GovernanceRules;
  readonly book: RecordBook;
  readonly outbox: Outbox;
}

/** The messages to the destinations of an event. */
export interface DeliveryPlan {
  readonly deliveries: readonly PlannedDelivery[];
  readonly denied: readonly Denial[];
  /** The questions to governance, also about values that then turned out to be known. */
  readonly consulted: readonly Consultation[];
}

/** No destination gets a message. */
export const noDeliveries: DeliveryPlan = { deliveries: [], denied: [], consulted: [] };

interface Content {
  readonly action: DeliveredAction;
  readonly destination: AdaptorView;
  readonly removedProperties: readonly string[];
  readonly jsonData: string;
  /** Hashes of `jsonData`. Undefined for DELETE. */
  readonly content?: ContentHashes;
}

/** Queues a message. Undefined: it is larger than the message bus carries, and is left out. */
export const queueMessage = (
  outbox: Outbox,
  event: RoutedEvent,
  record: RecordState,
  content: Content,
): PlannedDelivery | undefined => {
  const { action, destination, removedProperties, jsonData, content: hashes } = content;
  const { version } = event;
  const keyValues = version.model.drKeyProperties.map((property) =>
    removedProperties.includes(property) ? null : (event.drKey[property] ?? null),
  );
  const data = {
    action,
    drUuid: record.uuid,
    domain: version.domainName,
    version: version.versionNumber,
    domainVersionUuid: version.uuid,
    sourceAdaptorUuid: event.source.uuid,
    destinationAdaptorUuid: destination.uuid,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drKey: stringifyJson(keyValues),
    jsonData,
    messageGroup: record.uuid,
  };
  const message = stringifyJson(data);
  const bytes = oversizeOf(message);
  if (bytes !== undefined) {
    const { uuid: domainVersionUuid } = version;
    const about = withoutMembers(data, ['jsonData']);
    outbox.leaveOut({ destination, domainVersionUuid, recordUuid: record.uuid, bytes, data: about });
    return undefined;
  }
  const delivery: PlannedDelivery = {
    adaptorUuid: destination.uuid,
    sequence: outbox.next(destination.uuid),
    eventUuid: event.uuid,
    recordUuid: record.uuid,
    action,
    removedProperties,
    message,
    content: hashes === undefined ? undefined : toSentContent(hashes),
  };
  outbox.add(delivery);
  return delivery;
};

/** The content of a destination after it has applied a change. */
const holding = (
  outbox: Outbox,
  known: KnownContent | undefined,
  content: ContentHashes,
  { adaptorUuid, sequence }: PlannedDelivery,
): KnownContent => {
  // a destination has nothing before its first message, nor after a DELETE
  const before = known === undefined || awaitsDeletion(known) ? {} : hashesBefore(content, known);
  const note: SentNote = { sequence, kind: 'CHANGE', before };
  return noteSent(overlay(known, content), note, outbox.acked(adaptorUuid));
};

/** The content of a destination after it has applied a DELETE. */
export const holdingNothing = (
  outbox: Outbox,
  known: KnownContent,
  { adaptorUuid, sequence }: PlannedDelivery,
): KnownContent => {
  const { hashes, sent, withheld, waiting } = known;
  const note: SentNote = { sequence, kind: 'DELETION', before: hashes };
  const left: KnownContent = { hashes: {}, sent, withheld, waiting, deletionSent: true };
  return noteSent(left, note, outbox.acked(adaptorUuid));
};

/**
 * Notes the properties that a destination with the record lacks. An adaptor without the record is sent the store's values
 * when it gets the record.
 */
const noteWithheld = (
  book: RecordBook,
  record: RecordState,
  destination: AdaptorView,
  withheld: readonly string[],
): void => {
  const link = record.links.get(destination.uuid);
  const known = link?.known ?? record.expected.get(destination.uuid);
  if (known === undefined || known.withheld.join() === withheld.join()) return;
  const noted = withWithheld(known, withheld);
  if (link !== undefined) {
    book.link(record, { ...link, known: noted });
    return;
  }
  record.expected.set(destination.uuid, noted);
  book.touch(record);
};

/**
 * Plans a changed record's messages: POST to capable adaptors that do not link it, PUT to those that do, through the chains
 * of both zones, and nothing to an adaptor that is known to have it already. `decideDestination` decides on each one; this
 * queues the message in the outbox and notes in the book the content that the destination will have.
 */
export const planChange = (
  { catalog, governance, book, outbox }: RoutingContext,
  event: RoutedEvent,
  record: RecordState,
  data: ChangedContent,
): DeliveryPlan => {
  const deliveries: PlannedDelivery[] = [];
  const denied: Denial[] = [];
  const consulted: Consultation[] = [];
  let wholeText: string | undefined;
  let expectsMore = false;

  for (const destination of catalog.destinations(event.version)) {
    if (destination.uuid === event.source.uuid) continue;
    const link = record.links.get(destination.uuid);
    const known = book.knownAt(record, destination.uuid);
    const action = link === undefined || awaitsDeletion(known) ? 'POST' : 'PUT';
    if (!isCapable(destination, event.version, action)) continue;

    const decision = decideDestination(governance, event, record, data, { destination, action, known });
    const { denial, message, withheld } = decision;
    consulted.push(...decision.consulted);
    if (denial !== undefined) denied.push(denial);
    const delivery =
      message === undefined
        ? undefined
        : queueMessage(outbox, event, record, {
            action,
            destination,
            removedProperties: message.removedProperties,
            jsonData:
              message.json === data.json ? (wholeText ??= stringifyJson(data.json)) : stringifyJson(message.json),
            content: message.content,
          });
    if (message === undefined || delivery === undefined) {
      noteWithheld(book, record, destination, withheld);
      continue;
    }
    deliveries.push(delivery);
    const next = withWithheld(holding(outbox, known, message.content, delivery), withheld);
    if (link === undefined) {
      book.expect(record, destination.uuid, next);
      expectsMore = true;
    } else {
      book.link(record, { ...link, known: next });
    }
  }
  if (expectsMore) book.touch(record);
  return { deliveries, denied, consulted };
};

/**
 * Plans a deletion: DELETE to the capable adaptors that link the record, or were sent it, and have no DELETE yet.
 *
 * @param only these adaptors; default all
 */
export const planDeletion = (
  { catalog, governance, book, outbox }: RoutingContext,
  event: RoutedEvent,
  record: RecordState,
  only?: ReadonlySet<string>,
): DeliveryPlan => {
  const deliveries: PlannedDelivery[] = [];
  const denied: Denial[] = [];
  const consulted: Consultation[] = [];
  for (const destination of catalog.destinations(event.version)) {
    if (only?.has(destination.uuid) === false) continue;
    const link = record.links.get(destination.uuid);
    const known = link?.known ?? record.expected.get(destination.uuid);
    if (destination.uuid === event.source.uuid || known === undefined || awaitsDeletion(known)) continue;
    if (!isCapable(destination, event.version, 'DELETE')) continue;
    const consultation = consult(governance, event, record, { destination, action: 'DELETE', properties: [] });
    consulted.push(consultation);
    const { decision } = consultation;
    if (decision.outcome === 'DENIED') {
      const by = decision.deniedBy;
      if (by !== undefined) denied.push({ adaptorUuid: destination.uuid, chain: by.chain, aclUuid: by.aclUuid });
      continue;
    }
    const content = { action: 'DELETE', destination, removedProperties: [], jsonData: '{}' } as const;
    const delivery = queueMessage(outbox, { ...event, drKey: link?.drKey ?? event.drKey }, record, content);
    if (delivery === undefined) continue;
    deliveries.push(delivery);
    const next = holdingNothing(outbox, known, delivery);
    if (link !== undefined) {
      book.link(record, { ...link, known: next });
    } else {
      record.expected.set(destination.uuid, next);
      book.touch(record);
    }
  }
  return { deliveries, denied, consulted };
};
