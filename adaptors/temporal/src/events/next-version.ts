import type { JsonObject } from '@fds/adaptor-sdk';
import type { RecordChange, RecordVersion } from './record-version.js';

/** An absent property keeps its value, null is a value (spec: adaptors, data events). A POST starts a new record. */
const after = (state: JsonObject | null | undefined, { action, json }: RecordChange): JsonObject | null => {
  if (action === 'DELETE') return null;
  return action === 'POST' ? json : { ...state, ...json };
};

/**
 * The version that a change makes. A change that was made earlier than the change before it counts from the time of that
 * change, because sources have different clocks and the server has decided the order.
 *
 * @param latest of the record; undefined: this is the first change
 * @param latestOfSource of the record by the source of the change
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
  state: after(latest?.state, change),
  sourceState: after(latestOfSource?.sourceState, change),
});
