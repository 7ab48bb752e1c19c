import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { IncomingEvent, RecordChanged, RecordDeleted } from '../../domain/events/incoming-event.js';
import { findRecord } from '../../domain/records/match-record.js';
import { mergeMembers, mergeRecord } from '../../domain/records/merge-record.js';
import type { RecordBook, RecordState } from '../../domain/records/record-book.js';
import type { ContentHashes } from '../../domain/routing/content-hashes.js';
import { unseenNotes } from '../../domain/routing/sent-notes.js';
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

/** The sound values of the replaced event, without those that its source was sent another value of in the meantime. */
const stillValid = (
  book: RecordBook,
  { sourceAdaptorUuid }: RecordChanged,
  { properties, seen }: SoundPart,
  record: RecordState | undefined,
): JsonObject => {
  const known = record === undefined ? undefined : book.knownAt(record, sourceAdaptorUuid);
  const notes = seen === undefined ? [] : unseenNotes(known, seen);
  const namesIn = (hashes: ContentHashes): string[] => Object.keys(hashes);
  // a first message brings all that the source has
  const sent = new Set(
    notes.flatMap(({ before }) => (namesIn(before).length === 0 ? namesIn(known?.hashes ?? {}) : namesIn(before))),
  );
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !sent.has(name)));
};

/** The record that a change results in, if that is valid. */
const validWith = (event: RecordChanged, known: RecordState | undefined): RecordChanged | undefined => {
  if (event.version.domainType === 'SERVICE_DATA_STORE') return mergeRecord(event, known).valid ? event : undefined;
  const validation = event.version.model.validate(event.record);
  return validation.valid ? withRecord(event, validation.record) : undefined;
};

/** Does the event replace others? One of discovery mode does not: it routes nothing. */
const mayCorrect = (event: IncomingEvent): event is RecordChanged | RecordDeleted =>
  (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED') && !event.linkOnly;

/**
 * Does the event replace an earlier one of its record and source that is not valid, without taking over anything of it? A
 * deletion does, and a record that names every sound property of the earlier event.
 */
export const coversEvent = (book: RecordBook, event: IncomingEvent, invalid: InvalidEvent): boolean => {
  if (invalid.kind === 'UNREADABLE') return isComplete(event);
  if (!mayCorrect(event)) return false;
  if (event.kind === 'RECORD_DELETED') return true;
  if (invalid.sound === undefined) return false;
  const merged = mergeMembers(invalid.sound.properties, event.record);
  if (Object.keys(merged).length > Object.keys(event.record).length) return false;
  const match = findRecord(book, event);
  return validWith(event, match.status === 'RESOLVED' ? match.record : undefined) !== undefined;
};

/**
 * The event, if it replaces all of these earlier ones of its record and source, the oldest first. It takes over their values
 * that are sound and that it does not name itself, because absent means unchanged. Undefined: it does not, for example
 * because the record would not be valid.
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
      taken = mergeMembers(taken, stillValid(book, event, each.sound, known));
    }
  }
  const merged = mergeMembers(taken, event.record);
  const takesOver = Object.keys(merged).length > Object.keys(event.record).length;
  return validWith(takesOver ? withRecord(event, merged) : event, known);
};
