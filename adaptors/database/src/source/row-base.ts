import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { areEqualJson } from '@fds/adaptor-sdk';
import { hash } from 'node:crypto';

/** The adaptor's state of a row: the content that it last reported or applied, and its record. */
export interface KnownRow {
  readonly keyText: string;
  readonly digest: string;
  /** Null until the server has named the record. */
  readonly drUuid: string | null;
  /** JSON of the row's record when it was last read. It contains the DR Key of a row that no longer exists. */
  readonly record: string;
}

/**
 * The values of a row that the adaptor knows, by property. Both values of a property are usually equal. They differ if the column
 * rounds, pads or rewrites a value.
 */
export interface RowBase {
  /** The exact values that the adaptor last reported or received. Absent: neither happened. */
  readonly sent: JsonObject;
  /** The values that the row held then. A property that is absent here may have any value. */
  readonly stored: JsonObject;
}

export const unknownBase: RowBase = { sent: {}, stored: {} };

/** Distinguishes different contents. */
export const digestOf = (recordText: string): string => hash('sha1', recordText, 'base64');

/** Member of the stored text that is not a property: the name of a property has at least one character. */
const differences = '';

interface Differences {
  /** Values of `stored` that differ from `sent`, or that are not in `sent`. */
  readonly stored: JsonObject;
  /** Properties of `sent` that are not in `stored`. */
  readonly unknown: readonly string[];
}

/**
 * Values that an event writes and that their columns round, pad or rewrite. They are noted before the commit: after a crash,
 * the row may hold them and the base does not.
 */
type RoundedValues = RowBase;

/** Notes of one row. An event that is delivered again after a crash adds one. */
const maxNotes = 8;

const hasSame = (left: JsonObject, right: JsonObject, property: string): boolean =>
  Object.hasOwn(right, property) && areEqualJson(left[property], right[property]);

/** The digest depends on the text, so another order of members counts as a difference. */
const hasSameText = (left: JsonObject, right: JsonObject, property: string): boolean =>
  Object.hasOwn(right, property) &&
  (left[property] === right[property] || stringifyJson([left[property]]) === stringifyJson([right[property]]));

const differencesOf = ({ sent, stored }: RowBase): Differences | undefined => {
  const differing = Object.entries(stored).filter(([property]) => !hasSameText(stored, sent, property));
  const unknown = Object.keys(sent).filter((property) => !Object.hasOwn(stored, property));
  if (differing.length === 0 && unknown.length === 0) return undefined;
  return { stored: Object.fromEntries(differing), unknown };
};

/** @param properties names of a record, so none is `__proto__` */
const inOrder = (values: JsonObject, properties: readonly string[]): JsonObject => {
  const ordered: Record<string, JsonValue | undefined> = {};
  for (const property of properties) if (Object.hasOwn(values, property)) ordered[property] = values[property];
  return ordered;
};

/**
 * The state of a row. `record` has the values of `sent` as JSON, and the differences to `stored` only if there are any.
 * The digest is that of `stored`, so a row with the same content has the same digest.
 *
 * @param properties of the table's columns, in order
 */
export const knownRowOf = (
  row: Pick<KnownRow, 'keyText' | 'drUuid'>,
  base: RowBase,
  properties: readonly string[],
): KnownRow => {
  const { keyText, drUuid } = row;
  const stored = inOrder(base.stored, properties);
  const sent = base.sent === base.stored ? stored : inOrder(base.sent, properties);
  const found = sent === stored ? undefined : differencesOf({ sent, stored });
  const text = stringifyJson(stored);
  // without a difference, both have the same text
  const record = found === undefined ? text : stringifyJson({ ...sent, [differences]: { ...found } });
  return { keyText, drUuid, digest: digestOf(text), record };
};

const parseRecord = (record: string): JsonObject => {
  const value = parseJson(record);
  return isJsonObject(value) ? value : {};
};

const without = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** The values that were last reported or received, also of a row whose content is not known. */
export const sentValues = ({ record }: KnownRow): JsonObject => without(parseRecord(record), [differences]);

/**
 * The base of a row. States of earlier versions have the text of the row when it was last read: it is the base if the
 * digest belongs to it. Otherwise the row contained an unreported change, and nothing about it is known.
 */
export const baseOf = (known: KnownRow | undefined): RowBase => {
  if (known === undefined) return unknownBase;
  const values = parseRecord(known.record);
  const found = values[differences];
  if (!isJsonObject(found))
    return digestOf(known.record) === known.digest ? { sent: values, stored: values } : unknownBase;
  const sent = without(values, [differences]);
  const stored = isJsonObject(found['stored']) ? found['stored'] : {};
  const unknown = Array.isArray(found['unknown']) ? (found['unknown'] as readonly string[]) : [];
  return { sent, stored: { ...without(sent, unknown), ...stored } };
};

/** The stored text of a row whose base stays, although the row gets another digest. */
export const recordWithBase = (known: KnownRow): string => {
  const sent = sentValues(known);
  const found = differencesOf({ sent, stored: baseOf(known).stored }) ?? { stored: {}, unknown: [] };
  return stringifyJson({ ...sent, [differences]: { ...found } });
};

const notesIn = ({ record }: KnownRow): readonly RoundedValues[] => {
  // most rows have none
  if (!record.includes('"noted"')) return [];
  const found = parseRecord(record)[differences];
  const noted = isJsonObject(found ?? null) ? (found as JsonObject)['noted'] : undefined;
  return Array.isArray(noted) ? noted : [];
};

/** The state of a row before the commit of an event that writes these values. */
export const withNote = (known: KnownRow, values: RoundedValues): KnownRow => {
  const sent = sentValues(known);
  const found = differencesOf({ sent, stored: baseOf(known).stored }) ?? { stored: {}, unknown: [] };
  const noted = [...notesIn(known), values].slice(-maxNotes);
  return { ...known, record: stringifyJson({ ...sent, [differences]: { ...found, noted } as unknown as JsonObject }) };
};

/** Text of a state without a property begins with it. */
const notesOnly = `{"${differences}":`;
/** The state of a row that was never reported nor applied. */
export const noRecord = '{}';
/** Digest of a row that an event creates, until its effect is stored. No content has it. */
const noted = 'noted';

/** Was the row reported, or applied? Otherwise the server does not know it from this adaptor. */
export const wasReported = ({ record, drUuid }: KnownRow): boolean =>
  drUuid !== null || (record !== noRecord && !record.startsWith(notesOnly));

/** The state of a row that an event creates, before the commit. The row may never exist, so it does not count as reported. */
export const newRowWithNote = (keyText: string, values: RoundedValues): KnownRow =>
  withNote({ keyText, drUuid: null, digest: noted, record: noRecord }, values);

/** Is nothing known about the row but notes? */
export const isOnlyNoted = (known: KnownRow | undefined): boolean => known?.digest === noted;

/** The state with the notes that an event has added to the present state since the former one was read. */
export const withNotesSince = (state: KnownRow, before: KnownRow | undefined, present: KnownRow): KnownRow => {
  const old = new Set((before === undefined ? [] : notesIn(before)).map((note) => JSON.stringify(note)));
  return notesIn(present)
    .filter((note) => !old.has(JSON.stringify(note)))
    .reduce(withNote, state);
};

/** The base of a row with this content: a value that the row holds and that was noted before a crash is part of it. */
export const baseOfRow = (known: KnownRow | undefined, record: JsonObject): RowBase => {
  const base = baseOf(known);
  const notes = known === undefined ? [] : notesIn(known);
  return notes.reduce(({ sent, stored }, note) => {
    const held = Object.keys(note.stored).filter((property) => hasSame(record, note.stored, property));
    return { sent: { ...sent, ...inOrder(note.sent, held) }, stored: { ...stored, ...inOrder(note.stored, held) } };
  }, base);
};

/** Properties whose value in the row is not that of the base. */
export const changedProperties = ({ stored }: RowBase, record: JsonObject): readonly string[] =>
  Object.keys(record).filter((property) => !hasSame(record, stored, property));

/**
 * The record to report: changed properties as they are in the row, all others exactly as they were last reported or
 * received. A property that was neither reported nor received and has not changed is left out: it has the default of its
 * column, and no user has set it.
 */
export const reportOf = ({ sent }: RowBase, record: JsonObject, changed: readonly string[]): JsonObject => {
  const isChanged = new Set(changed);
  return Object.fromEntries(
    Object.entries(record).flatMap(([property, value]): [string, JsonValue | undefined][] => {
      if (isChanged.has(property)) return [[property, value]];
      return Object.hasOwn(sent, property) ? [[property, sent[property]]] : [];
    }),
  );
};

/** The base after these properties were reported as they are in the row. */
export const reportedBase = ({ sent, stored }: RowBase, record: JsonObject, changed: readonly string[]): RowBase => {
  const reported = inOrder(record, changed);
  if (sent === stored) {
    const both = { ...sent, ...reported };
    return { sent: both, stored: both };
  }
  return { sent: { ...sent, ...reported }, stored: { ...stored, ...reported } };
};

/**
 * The base after a report, in a row that incoming events have changed in the meantime: a property that has another base
 * than before keeps it.
 */
export const mergedBase = (before: RowBase, now: RowBase, reported: RowBase, changed: readonly string[]): RowBase => {
  const still = changed.filter((property) => areEqualJson(before.stored[property], now.stored[property]));
  const [sent, stored] = [inOrder(reported.sent, still), inOrder(reported.stored, still)];
  return { sent: { ...now.sent, ...sent }, stored: { ...now.stored, ...stored } };
};
