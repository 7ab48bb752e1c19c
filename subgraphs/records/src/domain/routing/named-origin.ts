import type { JsonObject } from '@fds/json';
import type { RecordChanged, RecordDeleted } from '../events/incoming-event.js';
import type { ContentHashes } from './content-hashes.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';
import type { Outbox } from './outbox.js';
import type { Seen } from './seen.js';
import { hasSent } from './sent-content.js';
import type { SentMessage } from './sent-message.js';

/** The messages by which the source of an event was sent the event that it names as its origin, oldest first. */
export type NamedOrigin = readonly [SentMessage, ...SentMessage[]];

/** The members of an event that identify its origin and its record. */
export type NamingEvent = Pick<
  RecordChanged | RecordDeleted,
  'originTransactionUuid' | 'sourceAdaptorUuid' | 'version' | 'key'
>;

/**
 * Finds the messages of the origin that an event names. Undefined: it names none, or its adaptor was not sent that event for
 * this record.
 *
 * @param recordUuid the record of the event; undefined: the messages are found by the DR Key
 */
export const findOrigin = (
  outbox: Outbox,
  event: NamingEvent,
  recordUuid: string | undefined,
): NamedOrigin | undefined => {
  const { originTransactionUuid, sourceAdaptorUuid, version, key } = event;
  if (originTransactionUuid === undefined) return undefined;
  const digestOf = (drKey: JsonObject): string => version.model.keyDigest(drKey);
  const [first, ...others] = outbox
    .sent(sourceAdaptorUuid, originTransactionUuid)
    // a record that was deleted and created again has another uuid
    .filter((sent) => sent.recordUuid === recordUuid || (key !== undefined && digestOf(sent.drKey) === key.digest))
    .toSorted((one, other) => one.sequence - other.sequence);
  return first === undefined ? undefined : [first, ...others];
};

/** The reported properties that do not repeat the origin. A default that the server filled in was not reported. */
export const notOfOrigin = (
  origin: NamedOrigin,
  reported: ContentHashes,
  filled?: ReadonlySet<string>,
): readonly string[] =>
  Object.entries(reported).flatMap(([name, hash]) =>
    filled?.has(name) === true || origin.some(({ content }) => content !== undefined && hasSent(content, name, hash))
      ? []
      : [name],
  );

/** The source applies the messages of a record in order, so it had applied the origin. */
export const seenWithOrigin = (seen: Seen, origin: NamedOrigin | undefined): Seen => {
  if (origin === undefined) return seen;
  const [{ sequence }] = origin;
  return { applied: Math.max(seen.applied, sequence), begun: Math.max(seen.begun, sequence) };
};

/** Does a deletion only repeat its origin although the source was sent the record again since? */
export const repeatsOldDeletion = (origin: NamedOrigin | undefined, known: KnownContent | undefined): boolean => {
  if (known === undefined || awaitsDeletion(known)) return false;
  const deletion = origin?.findLast(({ action }) => action === 'DELETE');
  const last = known.sent.at(-1);
  return deletion !== undefined && last !== undefined && last.sequence > deletion.sequence;
};
