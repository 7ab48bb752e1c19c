import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { IncomingEvent, RecordChanged, RecordDeleted } from '../events/incoming-event.js';
import { findRecord } from '../records/match-record.js';
import { mergeMembers, mergeRecord } from '../records/merge-record.js';
import type { RecordBook, RecordState } from '../records/record-book.js';
import { contentOf } from '../routing/content-hashes.js';
import type { KnownContent } from '../routing/known-content.js';
import type { SentNote } from '../routing/sent-note.js';
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

/** The messages about the record that the source of an event was sent since an earlier event of it. */
interface SentSince {
  readonly known: KnownContent | undefined;
  readonly notes: readonly SentNote[];
}

const sentSince = (
  book: RecordBook,
  { sourceAdaptorUuid }: RecordChanged,
  { seen }: SoundPart,
  record: RecordState | undefined,
): SentSince => {
  const known = record === undefined ? undefined : book.knownAt(record, sourceAdaptorUuid);
  return { known, notes: seen === undefined ? [] : unseenNotes(known, seen) };
};

/** The last message that brought a value of the property. A first message brings all that the source has. */
const lastNoteOf = (name: string, { known, notes }: SentSince): SentNote | undefined =>
  notes.findLast(
    ({ before }) =>
      Object.hasOwn(before, name) || (Object.keys(before).length === 0 && Object.hasOwn(known?.hashes ?? {}, name)),
  );

/**
 * Does the later event only repeat what a confirmation wrote over a value of the earlier event? A confirmation has an older value of the
 * source itself, and no other system has changed the property since. Then no user has corrected the earlier event.
 */
const repeatsConfirmation = ({ record }: RecordChanged, { properties }: SoundPart, since: SentSince): boolean => {
  const { known, notes } = since;
  if (notes.length === 0) return false;
  const [earlier, later] = [contentOf(properties), contentOf(record)];
  return Object.keys(earlier).some(
    (name) =>
      later[name] !== undefined &&
      later[name] !== earlier[name] &&
      later[name] === known?.hashes[name] &&
      lastNoteOf(name, since)?.kind === 'CONFIRMATION',
  );
};

/**
 * The sound values of the replaced event that the later one takes over: those that it does not name itself, without those that
 * another system has changed since. Undefined: the source was sent messages that repeat such values and may have overwritten
 * them there. Only a decision on the replaced event by itself sends them back.
 */
const valuesToTake = (event: RecordChanged, sound: SoundPart, since: SentSince): JsonObject | undefined => {
  if (repeatsConfirmation(event, sound, since)) return undefined;
  const { notes } = since;
  const kept = Object.fromEntries(
    Object.entries(sound.properties).filter(([name]) => {
      const last = lastNoteOf(name, since);
      return last === undefined || last.kind === 'CONFIRMATION';
    }),
  );
  return notes.length > 0 && addsMembers(kept, event.record) ? undefined : kept;
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
  const known = match.status === 'RESOLVED' ? match.record : undefined;
  if (repeatsConfirmation(event, invalid.sound, sentSince(book, event, invalid.sound, known))) return false;
  return validWith(event, known) !== undefined;
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
      const values = valuesToTake(event, each.sound, sentSince(book, event, each.sound, known));
      if (values === undefined) return undefined;
      taken = mergeMembers(taken, values);
    }
  }
  const takesOver = addsMembers(taken, event.record);
  return validWith(takesOver ? withRecord(event, mergeMembers(taken, event.record)) : event, known);
};
