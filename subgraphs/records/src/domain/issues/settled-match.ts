/** A steward's decision about the record of an event. */
export interface SettledMatch {
  /** Null: none of those that are known, a new one. */
  readonly drUuid: string | null;
}
