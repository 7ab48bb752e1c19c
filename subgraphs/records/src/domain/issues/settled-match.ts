/** What a steward decided about the record that an event is about. */
export interface SettledMatch {
  /** Null: none of those that are known, a new one. */
  readonly drUuid: string | null;
}
