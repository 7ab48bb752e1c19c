import type { IssueCause } from '../events/event-outcome.js';
import type { RecordBook } from '../records/record-book.js';
import type { RecordKey } from '../records/record-key.js';

/** Events that may go on by what happened to records. */
export type UnblockedEvents =
  | { readonly kind: 'CAUSE'; readonly cause: IssueCause }
  /** Those that wait for a record which has one of these keys, or for none to have it. */
  | { readonly kind: 'AWAITED'; readonly keys: readonly RecordKey[] };

/**
 * Events that may continue because of a batch's changes to records.
 *
 * @param forgotten references that were replaced, of those that records parked before the batch
 */
export const unblockedBy = (
  { gainedKeys, freedKeys, forgetsReferences }: Pick<RecordBook, 'gainedKeys' | 'freedKeys' | 'forgetsReferences'>,
  forgotten: number,
): readonly UnblockedEvents[] => {
  const keys = [...gainedKeys, ...freedKeys];
  return [
    ...(forgetsReferences || forgotten > 0 ? [{ kind: 'CAUSE', cause: 'IN_USE' } as const] : []),
    ...(keys.length === 0 ? [] : [{ kind: 'AWAITED', keys } as const]),
  ];
};
