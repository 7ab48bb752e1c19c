import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { isCapable, type AdaptorView, type DomainVersionView } from '../catalog.js';
import type { DeliveredAction, PlannedDelivery } from '../events/event-outcome.js';
import type { RecordState } from '../records/record-book.js';
import type { Consultation } from './count-decisions.js';
import { contentOf, type ContentHashes } from './content-hashes.js';
import { awaitsDeletion, newProperties, nothingKnown, overlay, type KnownContent } from './known-content.js';
import { toSentContent } from './sent-content.js';
import { holdingNothing } from './plan-deliveries.js';
import type { RoutingContext } from './routing-context.js';
import type { SentNote } from './sent-note.js';
import { hashesBefore, noteSent } from './sent-notes.js';

/** A message that its destination could not handle, as it was sent. */
export interface FailedMessage {
  /** Its number in the outbox. */
  readonly sequence: number;
  readonly eventUuid: string;
  readonly recordUuid: string;
  readonly action: DeliveredAction;
  readonly removedProperties: readonly string[];
  /** `data` of the envelope. */
  readonly data: JsonObject;
  /** Something of the record has been queued for the destination since. */
  readonly isSuperseded: boolean;
}

const superseded = 'something newer of the record has been queued for the adaptor since';

/** Between whom and about what. */
export interface RedeliveryPlace {
  readonly source: { readonly uuid: string | null; readonly zoneUuid: string };
  readonly destination: AdaptorView;
  readonly version: DomainVersionView;
  /** As it is now; undefined: it is gone. */
  readonly record: RecordState | undefined;
}

/** The message once more, or why it is not sent. */
export type Redelivery =
  { readonly delivery: PlannedDelivery; readonly consulted: readonly Consultation[] } | { readonly refusal: string };

/** A destination that created the record itself since then changes it; undefined: nothing is left to change. */
const actionNow = (action: DeliveredAction, isLinked: boolean): DeliveredAction | undefined => {
  if (action === 'DELETE') return action;
  if (isLinked) return 'PUT';
  return action === 'POST' ? action : undefined;
};

const keyWithout = (drKey: JsonObject[string], names: ReadonlySet<string>, properties: readonly string[]) => {
  const values = typeof drKey === 'string' ? parseJson(drKey) : undefined;
  if (!Array.isArray(values)) return undefined;
  return stringifyJson(values.map((value, index) => (names.has(properties[index] ?? '') ? null : value)));
};

const recordOf = ({ jsonData }: JsonObject): JsonObject => {
  const record = typeof jsonData === 'string' ? parseJson(jsonData) : undefined;
  return record !== undefined && isJsonObject(record) ? record : {};
};

/** The destination did not apply the message, so all properties that it changed are still new, and those that failed before. */
const changedAgain = (
  { data }: FailedMessage,
  action: DeliveredAction,
  known: KnownContent | undefined,
  content: ContentHashes,
): readonly string[] => {
  const { changed } = data;
  if (action === 'POST' || !Array.isArray(changed)) return Object.keys(content);
  const isNew = new Set(known === undefined ? [] : newProperties(content, known));
  return Object.keys(content).filter((name) => changed.includes(name) || isNew.has(name));
};

/**
 * The values of a message that are still to be applied: no later message and no report of the destination has replaced them.
 * If something of the record was queued later, only values that are known to have failed are left.
 */
const leftOf = (
  { data, isSuperseded }: FailedMessage,
  known: KnownContent | undefined,
  keyProperties: readonly string[],
): JsonObject => {
  const json = recordOf(data);
  if (known === undefined || awaitsDeletion(known)) return isSuperseded ? {} : json;
  const content = contentOf(json);
  const isLeft = (name: string): boolean => {
    const hash = known.hashes[name];
    return isSuperseded
      ? known.failed[name] !== undefined && hash === content[name]
      : hash === undefined || hash === content[name];
  };
  const left = Object.keys(json).filter(isLeft);
  if (left.length === 0) return {};
  return Object.fromEntries(
    Object.entries(json).filter(([name]) => left.includes(name) || keyProperties.includes(name)),
  );
};

/** The destination's content after it has applied the message. The first attempt has noted the former content. */
const holdingAfter = (
  outbox: RoutingContext['outbox'],
  known: KnownContent | undefined,
  failed: FailedMessage,
  { delivery, json }: { readonly delivery: PlannedDelivery; readonly json: JsonObject },
): KnownContent => {
  if (delivery.action === 'DELETE') return holdingNothing(outbox, known ?? nothingKnown, delivery);
  const content = contentOf(json);
  const first = known?.sent.find(({ sequence }) => sequence === failed.sequence)?.before ?? {};
  // an older server noted the former content with the first message only
  const ofFirst = Object.entries(first).filter(([name]) => content[name] !== undefined);
  const before = { ...Object.fromEntries(ofFirst), ...hashesBefore(content, known ?? nothingKnown) };
  const note: SentNote = { sequence: delivery.sequence, kind: 'CHANGE', before };
  return noteSent(overlay(known, content), note, outbox.acked(delivery.adaptorUuid));
};

/** An event of the destination may cross this message too. */
const noteInBook = (
  { book, outbox }: Pick<RoutingContext, 'book' | 'outbox'>,
  record: RecordState,
  failed: FailedMessage,
  sent: { readonly delivery: PlannedDelivery; readonly json: JsonObject },
): void => {
  const { adaptorUuid } = sent.delivery;
  const link = record.links.get(adaptorUuid);
  const next = holdingAfter(outbox, link?.known ?? record.expected.get(adaptorUuid), failed, sent);
  if (link !== undefined) {
    book.link(record, { ...link, known: next });
    return;
  }
  record.expected.set(adaptorUuid, next);
  book.touch(record);
};

/**
 * Plans a failed message again: with its content, as far as the chains now allow it to the destination. Queues
 * it, and notes it in the book.
 */
export const planRedelivery = (
  { governance, book, outbox }: Pick<RoutingContext, 'governance' | 'book' | 'outbox'>,
  failed: FailedMessage,
  { source, destination, version, record }: RedeliveryPlace,
): Redelivery => {
  if (record === undefined && failed.action !== 'DELETE') return { refusal: 'the record is gone' };
  const action = actionNow(failed.action, record?.links.has(destination.uuid) === true);
  if (action === undefined) return { refusal: 'the adaptor no longer has the record' };
  if (!destination.active) return { refusal: 'the adaptor is not active' };
  if (!isCapable(destination, version, action)) return { refusal: `the adaptor is not capable of ${action}` };

  const { drKeyProperties } = version.model;
  const known = record?.links.get(destination.uuid)?.known ?? record?.expected.get(destination.uuid);
  if (action === 'DELETE' && failed.isSuperseded) return { refusal: superseded };
  const content = action === 'DELETE' ? {} : leftOf(failed, known, drKeyProperties);
  const changed = changedAgain(failed, action, known, contentOf(content));
  if (action !== 'DELETE' && changed.length === 0) return { refusal: superseded };
  const decision = governance.decide({
    action,
    properties: action === 'DELETE' ? [] : Object.keys(content),
    sourceZoneUuid: source.zoneUuid,
    sourceAdaptorUuid: source.uuid ?? undefined,
    destinationZoneUuid: destination.zoneUuid,
    destinationAdaptorUuid: destination.uuid,
    domainVersionUuid: version.uuid,
    drUuid: failed.recordUuid,
  });
  if (decision.outcome === 'DENIED') return { refusal: 'governance no longer allows it to the adaptor' };
  const removed = new Set(decision.removedProperties);
  const json = Object.fromEntries(Object.entries(content).filter(([name]) => !removed.has(name)));
  const drKey = keyWithout(failed.data['drKey'], removed, drKeyProperties);
  const delivery: PlannedDelivery = {
    adaptorUuid: destination.uuid,
    content: action === 'DELETE' ? undefined : toSentContent(contentOf(json)),
    sequence: outbox.next(destination.uuid),
    eventUuid: failed.eventUuid,
    recordUuid: failed.recordUuid,
    action,
    removedProperties: [...new Set([...failed.removedProperties, ...removed])],
    message: stringifyJson({
      ...failed.data,
      action,
      ...(drKey === undefined ? {} : { drKey }),
      jsonData: stringifyJson(json),
      ...(action === 'DELETE' ? {} : { changed: changed.filter((name) => !removed.has(name)) }),
    }),
  };
  outbox.add(delivery);
  if (record !== undefined) noteInBook({ book, outbox }, record, failed, { delivery, json });
  const consultation = {
    sourceZoneUuid: source.zoneUuid,
    destinationZoneUuid: destination.zoneUuid,
    destinationAdaptorUuid: destination.uuid,
    decision,
  };
  return { delivery, consulted: [consultation] };
};
