import type { JsonObject } from '@fds/json';

/** A record as the fields of its generated type see it. */
export interface RecordRow {
  readonly uuid: string;
  readonly dateCreated: Date;
  readonly drKey: JsonObject;
  /** The stored data, or the assembled. */
  readonly data: JsonObject;
  /** Assembly status; null for data-store records. */
  readonly status: string | null;
}

/** A record before its data is there: stored data is, federated data has yet to be assembled. */
export interface KeyedRecord {
  readonly uuid: string;
  readonly dateCreated: Date;
  readonly drKey: JsonObject;
  readonly json: JsonObject | null;
}
