/** Rows of before a moment, a part of them. */
export interface OldRows {
  /** The uuid of the last row that was looked at; null: none was. */
  readonly after: string | null;
  readonly before: Date;
  /** Rows to look at. */
  readonly limit: number;
}

/** Result of pruning. */
export interface PrunedRows {
  /** The last row that was looked at; null: there are no more. */
  readonly last: string | null;
  readonly removed: number;
}

/** Before every other. */
export const firstUuid = '00000000-0000-0000-0000-000000000000';

/** The lowest UUID of version 7 that is made at a moment: those of rows from before are lower. */
export const firstUuidAt = (moment: Date): string => {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
