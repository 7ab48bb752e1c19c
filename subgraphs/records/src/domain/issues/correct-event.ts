import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { IncomingEvent, RecordChanged, RecordDeleted } from '../events/incoming-event.js';
import { findRecord } from '../records/match-record.js';
import { mergeMembers, mergeRecord } from '../records/merge-record.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import type { ContentHashes } from '../routing/content-hashes.js';
import { unseenNotes } from '../routing/sent-notes.js';
import type { InvalidEvent, SoundPart } from './invalid-event.js';
import { isComplete } from './is-complete.js';

const withRecord = (event: RecordChanged, record: JsonObject): RecordChanged =>
  record === event.record
    ? event
    : {
        ...event,
        record,
        text: () => {
          const data = parseJson(event.text());
          return stringifyJson(isJsonObject(data) ? { ...data, json: record } : data);
        },
      };

const addsMembers = (taken: JsonObject, record: JsonObject): boolean =>
  Object.keys(mergeMembers(taken, record)).length > Object.keys(record).length;

/**
 * The sound values of the replaced event that the later one takes over: those that it does not name itself, without those that
 * another system has changed since. Undefined: the source was sent messages that repeat such values and may have overwritten
 * them there. Only a decision on the replaced event by itself sends them back.
 */
const valuesToTake = (
  book: RecordBook,
  { sourceAdaptorUuid, record: own }: RecordChanged,
  { properties, seen }: SoundPart,
  record: RecordState | undefined,
): JsonObject | undefined => {
  const known = record === undefined ? undefined : book.knownAt(record, sourceAdaptorUuid);
  const notes = seen === undefined ? [] : unseenNotes(known, seen);
  const namesIn = (hashes: ContentHashes): string[] => Object.keys(hashes);
  // a first message brings all that the source has
  const sent = new Set(
    notes.flatMap(({ before }) => (namesIn(before).length === 0 ? namesIn(known?.hashes ?? {}) : namesIn(before))),
  );
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !sent.has(name)));
  return notes.length > 0 && addsMembers(kept, own) ? undefined : kept;
};

/** The record that a change results in, if that is valid. */
const validWith = (event: RecordChanged, known: RecordState | undefined): RecordChanged | undefined => {
  if (event.version.domainType === 'SERVICE_DATA_STORE') return mergeRecord(event, known).valid ? event : undefined;
  const validation = event.version.model.validate(event.record);
  return validation.valid ? withRecord(event, validation.record) : undefined;
};

/**
 * Does the event replace others? One of discovery mode does not: it routes nothing. An event that names its origin does not: it
 * reports what a message wrote, and corrects nothing.
 */
const mayCorrect = (event: IncomingEvent): event is RecordChanged | RecordDeleted =>
  (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED') &&
  !event.linkOnly &&
  event.originTransactionUuid === undefined;

/**
 * Does the event replace an earlier one of its record and source that is not valid, without taking over anything of it? A
 * deletion does, and a record that names every sound property of the earlier event.
 */
export const coversEvent = (book: RecordBook, event: IncomingEvent, invalid: InvalidEvent): boolean => {
  if (invalid.kind === 'UNREADABLE') return isComplete(event);
  if (!mayCorrect(event)) return false;
  if (event.kind === 'RECORD_DELETED') return true;
  if (invalid.sound === undefined) return false;
  if (addsMembers(invalid.sound.properties, event.record)) return false;
  const match = findRecord(book, event);
  return validWith(event, match.status === 'RESOLVED' ? match.record : undefined) !== undefined;
};

/**
 * The event, if it replaces all of these earlier ones of its record and source, the oldest first. It takes over their values
 * that are sound and that it does not name itself, because absent means unchanged. Undefined: it does not, because
 * the record would not be valid, or because messages may have overwritten the values at its source.
 */
export const takeOverEvents = (
  book: RecordBook,
  event: IncomingEvent,
  invalid: readonly InvalidEvent[],
): IncomingEvent | undefined => {
  if (!mayCorrect(event)) return undefined;
  if (event.kind === 'RECORD_DELETED') return event;
  const match = findRecord(book, event);
  const known = match.status === 'RESOLVED' ? match.record : undefined;
  let taken: JsonObject = {};
  for (const each of invalid) {
    if (each.kind === 'UNREADABLE') {
      if (!isComplete(event)) return undefined;
    } else {
      if (each.sound === undefined) return undefined;
      const values = valuesToTake(book, event, each.sound, known);
      if (values === undefined) return undefined;
      taken = mergeMembers(taken, values);
    }
  }
  const takesOver = addsMembers(taken, event.record);
  return validWith(takesOver ? withRecord(event, mergeMembers(taken, event.record)) : event, known);
};
