import type { ErrorCause } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import type { EventKey, RecordChanged } from '../events/incoming-event.js';
import type { RecordState } from './record-book.js';

/** A record after an event. */
export interface MergedRecord {
  /** The record's present content; for a federated version, the reported content. */
  readonly json: JsonObject;
  /** The properties in the event, with the model's names and values. */
  readonly reported: JsonObject;
  readonly key: EventKey;
}

export type Merge =
  ({ readonly valid: true } & MergedRecord) | { readonly valid: false; readonly errors: readonly ErrorCause[] };

const isNamedIn = (names: readonly string[]) => {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  return (name: string): boolean => folded.has(name.toLowerCase());
};

/** The stored members that the event does not contain, then those of the event. Absent means unchanged. */
export const mergeMembers = (stored: JsonObject, reported: JsonObject): JsonObject => {
  const isReported = isNamedIn(Object.keys(reported));
  return { ...Object.fromEntries(Object.entries(stored).filter(([name]) => !isReported(name))), ...reported };
};

/** The record after the event; data-store records are merged and validated as a whole. */
export const mergeRecord = (event: RecordChanged, stored: RecordState | undefined): Merge => {
  const { version, record } = event;
  if (version.domainType === 'FEDERATED') return { valid: true, json: record, reported: record, key: event.key };
  const { model } = version;
  const hidden = stored?.hidden;
  const validation = model.validate(mergeMembers(hidden?.json ?? stored?.json ?? {}, record));
  if (!validation.valid) {
    return { valid: false, errors: validation.errors.map((error) => ({ ...error, pointer: `/json${error.pointer}` })) };
  }
  const isReported = isNamedIn(Object.keys(record));
  const json =
    hidden === undefined
      ? validation.record
      : Object.fromEntries(
          Object.entries(validation.record).filter(([name]) => hidden.visible.has(name) || isReported(name)),
        );
  const drKey = model.drKeyOf(json);
  return {
    valid: true,
    json,
    reported: Object.fromEntries(Object.entries(json).filter(([name]) => isReported(name))),
    key: { drKey, digest: model.keyDigest(drKey) },
  };
};
