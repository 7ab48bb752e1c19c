/** How often an entry, or the default policy of a chain, decided. */
export interface DecisionCount {
  readonly chain: 'INBOUND' | 'OUTBOUND' | 'OPERATIONAL';
  /** The entry; for a default policy the zone, for the operational one the nil uuid. */
  readonly subjectUuid: string;
  readonly allowed: number;
  readonly denied: number;
}
