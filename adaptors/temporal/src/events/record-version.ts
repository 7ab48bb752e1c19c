import type { JsonObject, JsonValue } from '@fds/adaptor-sdk';

/** A record after one data event. */
export interface RecordVersion {
  readonly drUuid: string;
  /** 1, 2, 3 ... in the order in which the events of the record arrived. */
  readonly number: number;
  /** Epoch milliseconds from which the version is valid. It never decreases with `number`. */
  readonly at: number;
  readonly action: 'POST' | 'PUT' | 'DELETE';
  /** Null: a person or the server made the change. */
  readonly sourceAdaptorUuid: string | null;
  /** Values in the order of the DR Key properties. */
  readonly drKeyValues: readonly JsonValue[];
  /** The whole record; null: deleted. */
  readonly state: JsonObject | null;
  /** The record as the events of `sourceAdaptorUuid` alone define it; null: that adaptor deleted it. */
  readonly sourceState: JsonObject | null;
}

/** The parts of a data event that a version is made from. */
export interface RecordChange {
  readonly drUuid: string;
  readonly action: 'POST' | 'PUT' | 'DELETE';
  /** Null: a person or the server made the change. */
  readonly sourceAdaptorUuid: string | null;
  readonly drKeyValues: readonly JsonValue[];
  /** Epoch milliseconds. */
  readonly createTime: number;
  readonly json: JsonObject;
  /** The properties whose value is new to this adaptor; undefined: all. */
  readonly changed?: readonly string[];
  /** A property with a value here changes only if the record still has that value. */
  readonly read?: JsonObject;
}
