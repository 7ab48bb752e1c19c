import type { IssueCause } from '../events/event-outcome.js';
import type { RecordBook } from '../records/record-book.js';
import type { RecordKey } from '../records/record-key.js';

/** Events that may go on by what happened to records. */
export type MendedEvents =
  | { readonly kind: 'CAUSE'; readonly cause: IssueCause }
  /** Those that wait for a record which has one of these keys. */
  | { readonly kind: 'AWAITED'; readonly keys: readonly RecordKey[] };

const causes = (names: readonly IssueCause[]): MendedEvents[] => names.map((cause) => ({ kind: 'CAUSE', cause }));

/**
 * Events that may go on by what a batch did to records.
 *
 * @param forgotten references that records held before the batch
 */
export const mendedBy = (
  { freesKeys, gainedKeys }: Pick<RecordBook, 'freesKeys' | 'gainedKeys'>,
  forgotten: number,
): readonly MendedEvents[] => [
  ...(freesKeys ? causes(['KEY_TAKEN', 'IN_USE']) : forgotten > 0 ? causes(['IN_USE']) : []),
  ...(gainedKeys.length === 0 ? [] : [{ kind: 'AWAITED', keys: gainedKeys } as const]),
];
