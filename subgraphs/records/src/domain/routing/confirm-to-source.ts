import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { isCapable, type AdaptorView } from '../catalog.js';
import type { PlannedDelivery } from '../events/event-outcome.js';
import type { RecordState } from '../records/record-book.js';
import type { RemovedLink } from '../records/removed-links.js';
import type { Outbox } from './outbox.js';
import type { CrossedMessage, Crossing, SortedReport } from './crossing.js';
import { contentOf, type ContentHashes } from './content-hashes.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';
import { composeMessage, isOversized, type MessageContent, type RoutedEvent } from './compose-message.js';
import { holdingNothing } from './plan-deliveries.js';
import type { RoutingContext } from './routing-context.js';
import type { SentNote } from './sent-note.js';
import { toSentContent } from './sent-content.js';
import { hashesBefore, noteSent, withNotes } from './sent-notes.js';

/** The message back to a source, and its reason. */
interface Confirmation {
  readonly source: AdaptorView;
  readonly crossing: Crossing;
}

/** Composes a message and queues it. Undefined: it is larger than the message bus carries, and is left out. */
const queueMessage = (
  outbox: Outbox,
  event: RoutedEvent,
  record: RecordState,
  content: MessageContent,
): PlannedDelivery | undefined => {
  const composed = composeMessage(outbox.next(content.destination.uuid), event, record, content);
  if (isOversized(composed)) {
    outbox.leaveOut(composed);
    return undefined;
  }
  outbox.add(composed);
  return composed;
};

const firstUnseen = ({ unseen }: Crossing): number => unseen[0]?.sequence ?? 0;

/** Up to the first message that it had not seen, the source has its own reported values. */
const withNews = (known: KnownContent, crossing: Crossing, news: ContentHashes): KnownContent => {
  const withReported = (hashes: SentNote['before']): SentNote['before'] =>
    Object.fromEntries(Object.entries(hashes).map(([name, hash]) => [name, news[name] ?? hash]));
  const from = firstUnseen(crossing);
  return withNotes(
    known,
    known.sent.map((note) => (note.sequence === from ? { ...note, before: withReported(note.before) } : note)),
  );
};

/**
 * Sends a source its own content back: messages that it had not seen are on their way and might overwrite it. It is
 * nothing new for the source, so governance is not asked.
 *
 * @param confirmation.news the source's report, as far as it is in effect
 * @param confirmation.json the message: the news, the key, and the other winning values
 * @param confirmation.changed the properties that the source is to set back: the news and the other winning values
 */
export const confirmChange = (
  { book, outbox }: RoutingContext,
  event: RoutedEvent,
  record: RecordState,
  {
    source,
    crossing,
    news,
    json,
    changed,
  }: Confirmation & {
    readonly news: ContentHashes;
    readonly json: JsonObject;
    readonly changed: readonly string[];
  },
): PlannedDelivery | undefined => {
  const link = record.links.get(source.uuid);
  const isGone = awaitsDeletion(crossing.known);
  const action = isGone ? 'POST' : 'PUT';
  if (link === undefined || !isCapable(source, event.version, action)) return undefined;
  const content = {
    action,
    destination: source,
    removedProperties: [],
    jsonData: stringifyJson(json),
    content: contentOf(json),
    changed: isGone ? Object.keys(json) : changed,
  } as const;
  const delivery = queueMessage(outbox, event, record, content);
  if (delivery === undefined) return undefined;
  const before = isGone ? {} : hashesBefore(news, crossing.known);
  const undisturbed = Object.keys(before).filter(
    (name) => !crossing.unseen.some((each) => Object.hasOwn(each.before, name)),
  );
  const note: SentNote = {
    sequence: delivery.sequence,
    kind: 'CONFIRMATION',
    before,
    from: firstUnseen(crossing),
    ...(undisturbed.length === 0 ? {} : { undisturbed }),
  };
  const known = noteSent(withNews(link.known, crossing, news), note, outbox.acked(source.uuid));
  book.link(record, { ...link, known });
  return delivery;
};

/** As `confirmChange`, for a source that deleted the record: messages on their way might bring it back. */
export const confirmDeletion = (
  { book, outbox }: RoutingContext,
  event: RoutedEvent,
  record: RecordState,
  { source, crossing }: Confirmation,
): PlannedDelivery | undefined => {
  if (!isCapable(source, event.version, 'DELETE')) return undefined;
  const content = { action: 'DELETE', destination: source, removedProperties: [], jsonData: '{}' } as const;
  const delivery = queueMessage(outbox, event, record, content);
  if (delivery === undefined) return undefined;
  record.expected.set(source.uuid, holdingNothing(outbox, crossing.known, delivery));
  book.touch(record);
  return delivery;
};

const noteRepeated = (
  { book, outbox }: RoutingContext,
  record: RecordState,
  { source, crossing }: Confirmation,
  note: SentNote,
): void => {
  const link = record.links.get(source.uuid);
  const known = noteSent(link?.known ?? crossing.known, note, outbox.acked(source.uuid));
  if (link === undefined) {
    record.expected.set(source.uuid, known);
    book.touch(record);
  } else {
    book.link(record, { ...link, known });
  }
};

const queueAgain = (
  outbox: Outbox,
  place: Pick<PlannedDelivery, 'adaptorUuid' | 'recordUuid'>,
  { eventUuid, message }: CrossedMessage,
): PlannedDelivery | undefined => {
  if (message === null) return undefined;
  const { action } = parseJson(message) as unknown as Pick<PlannedDelivery, 'action'>;
  const sequence = outbox.next(place.adaptorUuid);
  const { jsonData } = parseJson(message) as { readonly jsonData: string };
  const data = parseJson(jsonData);
  const content = action === 'DELETE' || !isJsonObject(data) ? undefined : toSentContent(contentOf(data));
  const delivery = { ...place, sequence, eventUuid, action, removedProperties: [], message, content };
  outbox.add(delivery);
  return delivery;
};

/** Sends a source its former message once more: a user there may have undone it. */
export const repeatMessages = (
  context: RoutingContext,
  record: RecordState,
  confirmation: Confirmation,
  messages: readonly CrossedMessage[],
): PlannedDelivery[] =>
  messages.flatMap((each) => {
    const place = { adaptorUuid: confirmation.source.uuid, recordUuid: record.uuid };
    const delivery = queueAgain(context.outbox, place, each);
    if (delivery === undefined) return [];
    const { sequence } = delivery;
    const kind = each.kind === 'DELETION' ? 'DELETION' : 'CHANGE';
    noteRepeated(context, record, confirmation, { sequence, kind, before: {} });
    return [delivery];
  });

/** Sends an adaptor its DELETE once more: a user there may have set the record back. */
export const repeatDeletion = (
  { book, outbox }: Pick<RoutingContext, 'book' | 'outbox'>,
  removed: RemovedLink,
  deletion: CrossedMessage | undefined,
): PlannedDelivery[] => {
  const delivery = deletion === undefined ? undefined : queueAgain(outbox, removed, deletion);
  if (delivery === undefined) return [];
  const note: SentNote = { sequence: delivery.sequence, kind: 'DELETION', before: {} };
  book.removedLinks.keep({ ...removed, known: noteSent(removed.known, note, outbox.acked(removed.adaptorUuid)) });
  return [delivery];
};

/**
 * Sends a source the values that won over its stale report, in a message like its last one, without later changes of others.
 *
 * @param winning.keyProperties of the domain version: every message has them
 */
export const repeatWinning = (
  context: RoutingContext,
  record: RecordState,
  confirmation: Confirmation,
  winning: { readonly sorted: SortedReport; readonly keyProperties: readonly string[] },
): PlannedDelivery[] => {
  const { sorted, keyProperties } = winning;
  const [latest] = sorted.winning;
  if (latest === undefined || latest.message === null) return [];
  const { outbox } = context;
  const { eventUuid, data = {} } = latest;
  const keys = Object.fromEntries(Object.entries(data).filter(([name]) => keyProperties.includes(name)));
  const message = parseJson(latest.message) as JsonObject;
  const sent: JsonObject = { ...keys, ...sorted.restored };
  const jsonData = stringifyJson(sent);
  const adaptorUuid = confirmation.source.uuid;
  const sequence = outbox.next(adaptorUuid);
  const delivery: PlannedDelivery = {
    adaptorUuid,
    sequence,
    eventUuid,
    recordUuid: record.uuid,
    action: 'PUT',
    removedProperties: [],
    message: stringifyJson({ ...message, action: 'PUT', jsonData, changed: Object.keys(sorted.restored) }),
    content: toSentContent(contentOf(sent)),
  };
  outbox.add(delivery);
  // before it the source has the winning values: a different report after the messages before is intended
  noteRepeated(context, record, confirmation, { sequence, kind: 'CHANGE', before: {} });
  return [delivery];
};
