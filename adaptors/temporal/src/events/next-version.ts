import { areEqualJson, type JsonObject, newProperties } from '@fds/adaptor-sdk';
import type { RecordChange, RecordVersion } from './record-version.js';

/**
 * The record after a change. An absent property keeps its value, and null is a value (spec: adaptors, data events). A
 * POST starts a new record.
 */
const after = (state: JsonObject | null | undefined, { action, json }: RecordChange): JsonObject | null => {
  if (action === 'DELETE') return null;
  return action === 'POST' ? json : { ...state, ...json };
};

/** The change without the properties that it only repeats, and those that the record no longer holds as they were read. */
const effective = (state: JsonObject | null | undefined, change: RecordChange): RecordChange => {
  if (state === undefined || state === null) return change;
  const { json, read = {} } = change;
  const names = newProperties(change).filter(
    (name) =>
      !Object.hasOwn(read, name) || areEqualJson(read[name], Object.hasOwn(state, name) ? state[name] : undefined),
  );
  return { ...change, json: Object.fromEntries(names.map((name) => [name, json[name]])) };
};

/**
 * The version that results from a change. If a change was made earlier than the change before it, it gets the time of
 * that change: the clocks of sources differ, and the server has decided the order.
 *
 * @param latest version of the record; undefined: this is the first change
 * @param latestOfSource latest version of the record that the same source made
 */
export const nextVersion = (
  change: RecordChange,
  latest: RecordVersion | undefined,
  latestOfSource: RecordVersion | undefined,
): RecordVersion => ({
  drUuid: change.drUuid,
  number: (latest?.number ?? 0) + 1,
  at: Math.max(change.createTime, latest?.at ?? change.createTime),
  action: change.action,
  sourceAdaptorUuid: change.sourceAdaptorUuid,
  drKeyValues: change.drKeyValues,
  state: after(latest?.state, effective(latest?.state, change)),
  sourceState: after(latestOfSource?.sourceState, change),
});
