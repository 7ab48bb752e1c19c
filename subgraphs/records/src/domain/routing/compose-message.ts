import { stringifyJson, type JsonObject } from '@fds/json';
import type { AdaptorView, DomainVersionView } from '../catalog.js';
import type { DeliveredAction, PlannedDelivery } from '../events/event-outcome.js';
import type { OversizedMessage } from '../events/raise-oversized-message.js';
import type { RecordState } from '../records/record-book.js';
import type { EventSource } from './ask-governance.js';
import type { ContentHashes } from './content-hashes.js';
import { withoutMembers } from './decide-destination.js';
import { oversizeOf } from './message-limit.js';
import { toSentContent } from './sent-content.js';

/** An event on its way to the other adaptors. */
export interface RoutedEvent {
  readonly uuid: string;
  readonly source: EventSource;
  readonly version: DomainVersionView;
  readonly transactionUuid: string;
  readonly createTime: number;
  readonly drKey: JsonObject;
  /** True: the event creates the record. Default: it does not. */
  readonly creates?: boolean;
}

export interface MessageContent {
  readonly action: DeliveredAction;
  readonly destination: AdaptorView;
  readonly removedProperties: readonly string[];
  readonly jsonData: string;
  /** Hashes of `jsonData`. Undefined for DELETE. */
  readonly content?: ContentHashes;
  /** The properties whose value is new to the destination (`changed` of the message). Undefined for DELETE. */
  readonly changed?: readonly string[];
  /** The values that the destination held when a reconciliation asked it (`read` of the message). Undefined: it was not asked. */
  readonly read?: JsonObject | undefined;
}

/** A message with its number; or one that gets no number, because it is larger than the message bus carries. */
export type ComposedMessage = PlannedDelivery | OversizedMessage;

export const isOversized = (message: ComposedMessage): message is OversizedMessage => !('sequence' in message);

const pickOf = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

/** Composes the message of an event for one destination. Pure. @param sequence the number that the message gets */
export const composeMessage = (
  sequence: number,
  event: RoutedEvent,
  record: Pick<RecordState, 'uuid'>,
  { action, destination, removedProperties, jsonData, content, changed, read }: MessageContent,
): ComposedMessage => {
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
    ...(changed === undefined ? {} : { changed }),
    ...(read === undefined ? {} : { read: pickOf(read, changed ?? []) }),
    messageGroup: record.uuid,
  };
  const message = stringifyJson(data);
  const bytes = oversizeOf(message);
  if (bytes !== undefined) {
    const about = withoutMembers(data, ['jsonData', 'changed', 'read']);
    return { destination, domainVersionUuid: version.uuid, recordUuid: record.uuid, bytes, data: about };
  }
  return {
    adaptorUuid: destination.uuid,
    sequence,
    eventUuid: event.uuid,
    recordUuid: record.uuid,
    action,
    removedProperties,
    message,
    content: content === undefined ? undefined : toSentContent(content),
  };
};
