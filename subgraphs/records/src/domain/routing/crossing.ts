import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import { contentOf, type ContentHashes } from './content-hashes.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';
import type { InFlightMessage, Outbox } from './outbox.js';
import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';
import { unseenNotes } from './sent-notes.js';

/** An adaptor reports a record while messages for the same record are in flight to it. */
export interface Crossing {
  readonly adaptorUuid: string;
  /** What it is known to hold once all of them are applied. */
  readonly known: KnownContent;
  /** Those that it had not applied for certain; at least one. */
  readonly unseen: readonly SentNote[];
  readonly seen: Seen;
}

/**
 * Undefined: nothing is on its way that the adaptor has not seen.
 *
 * @param known the known content of the record at the adaptor
 */
export const findCrossing = (
  known: KnownContent | undefined,
  adaptorUuid: string,
  seen: Seen,
): Crossing | undefined => {
  if (known === undefined) return undefined;
  const unseen = unseenNotes(known, seen);
  return unseen.length === 0 ? undefined : { adaptorUuid, known, unseen, seen };
};

/** Were messages merged into one note although the adaptor may have been between them when it made the event? */
const isUncertain = ({ unseen, seen }: Crossing): boolean =>
  unseen.some(({ mergedFrom }) => mergedFrom !== undefined && seen.begun >= mergedFrom);

/** May the adaptor have had the value without a change at its side? */
const hadValue = ({ unseen, seen }: Crossing, property: string, hash: string): boolean => {
  const [oldest] = unseen;
  const changing = unseen.filter(({ before }) => Object.hasOwn(before, property));
  /** The last report of the property by the adaptor itself, while messages were on their way. */
  const lastOwn = changing.findLastIndex(({ from }) => from !== undefined);
  return changing.some(({ before, from }, index) => {
    if (before[property] !== hash) return false;
    // after its own report, only a message restores its former value
    if (from !== undefined) return seen.begun >= from;
    // nothing that it had not seen changed the value that it reported last
    if (index === lastOwn + 1 && changing[lastOwn]?.undisturbed?.includes(property) === true) return true;
    return index === 0 || (oldest !== undefined && seen.begun >= oldest.sequence);
  });
};

/** The `jsonData` of a message; undefined when its content was dropped. */
const dataOf = (message: string | null): JsonObject | undefined => {
  if (message === null) return undefined;
  const { jsonData } = parseJson(message) as { readonly jsonData: string };
  const data = parseJson(jsonData);
  return isJsonObject(data) ? data : undefined;
};

/** A message that an event crosses. */
export interface CrossedMessage extends InFlightMessage {
  readonly kind: SentNote['kind'];
  /** Undefined: its content was dropped. */
  readonly data: JsonObject | undefined;
}

/** The messages of notes, as far as they are there, latest first. */
const messagesOf = (
  outbox: Outbox,
  { adaptorUuid }: Pick<Crossing, 'adaptorUuid'>,
  notes: readonly SentNote[],
): CrossedMessage[] =>
  notes.toReversed().flatMap(({ sequence, kind }) => {
    const message = outbox.find(adaptorUuid, sequence);
    return message === undefined ? [] : [{ ...message, kind, data: dataOf(message.message) }];
  });

/** The new values of an event that crosses messages, and the values that it only repeats. */
export interface SortedReport {
  /** Properties that the adaptor reported as they were before messages which it will apply, or has applied. */
  readonly stale: ReadonlySet<string>;
  /**
   * Messages that the adaptor may have applied before its report, latest first: a user there may have restored stale
   * properties on purpose, and the winning values are sent again. Empty: it had applied none of them.
   */
  readonly winning: readonly CrossedMessage[];
  /** The winning values of the stale properties, where there are such messages. */
  readonly restored: JsonObject;
}

const nothingStale: SortedReport = { stale: new Set(), winning: [], restored: {} };

/**
 * Classifies the values of a report. A value is stale when the adaptor may have it without its own change; the commit of the
 * messages it crosses came first and stays in effect. A value that cannot be sent again although it might be stale counts as
 * a change.
 */
export const sortReport = (outbox: Outbox, crossing: Crossing, reported: ContentHashes): SortedReport => {
  const { known, unseen, seen } = crossing;
  const isGone = awaitsDeletion(known);
  const changed = Object.entries(reported).filter(([property, hash]) => isGone || known.hashes[property] !== hash);
  const uncertain = isUncertain(crossing);
  const stale = changed
    .filter(([property, hash]) => uncertain || hadValue(crossing, property, hash))
    .map(([property]) => property);
  // for a record that is to be deleted either everything is stale, or it lives on as reported
  if (stale.length === 0 || (isGone && stale.length < changed.length)) return nothingStale;
  if (unseen.every(({ sequence }) => sequence > seen.begun)) return { ...nothingStale, stale: new Set(stale) };

  const messages = messagesOf(outbox, crossing, crossing.unseen).filter(({ message }) => message !== null);
  if (isGone) {
    const winning = messages.filter(({ kind }) => kind === 'DELETION');
    return winning.length === 0 ? nothingStale : { stale: new Set(stale), winning, restored: {} };
  }
  const restored: Record<string, JsonValue> = {};
  for (const property of stale) {
    const { data } =
      messages.find(
        ({ data: { [property]: value } = {} }) =>
          value !== undefined && contentOf({ [property]: value })[property] === known.hashes[property],
      ) ?? {};
    const value = data?.[property];
    if (value !== undefined) restored[property] = value;
  }
  const names = Object.keys(restored);
  return names.length === 0 ? nothingStale : { stale: new Set(names), winning: messages, restored };
};

/** The record came back to an adaptor after it was told to delete it. */
export interface ReturnedRecord {
  /** The messages that brought it back, oldest first, where the adaptor may have applied them. */
  readonly messages: readonly CrossedMessage[];
  /** The event that brought it back. Undefined: it is no longer known. */
  readonly eventUuid: string | undefined;
}

/**
 * For a deletion that an adaptor reports although the record came back to it since it was told to delete it. Undefined: the
 * deletion is in effect.
 */
export const findReturned = (outbox: Outbox, crossing: Crossing): ReturnedRecord | undefined => {
  const { adaptorUuid, known, unseen, seen } = crossing;
  const deletion = known.sent.findLast(({ kind }) => kind === 'DELETION');
  if (deletion === undefined || awaitsDeletion(known)) return undefined;
  const after = known.sent.filter(({ sequence }) => sequence > deletion.sequence);
  const [first] = after;
  // it had the record again for certain, or never lost it
  if (first === undefined || after.some(({ sequence }) => sequence <= seen.applied)) return undefined;
  const isOwnReturn = first.kind === 'CONFIRMATION';
  // it brought the record back itself, and deleted it then: it had not begun the message that told it to
  if (isOwnReturn && deletion.sequence > seen.begun) return undefined;
  const eventUuid = outbox.find(adaptorUuid, first.sequence)?.eventUuid;
  if (unseen.every(({ sequence }) => sequence > seen.begun)) return { messages: [], eventUuid };
  const messages = messagesOf(outbox, crossing, after).filter(({ message }) => message !== null);
  return messages.length === after.length ? { messages: messages.toReversed(), eventUuid } : undefined;
};
