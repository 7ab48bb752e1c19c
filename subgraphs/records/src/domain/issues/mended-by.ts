import type { IssueCause } from '../events/event-outcome.js';
import type { RecordBook } from '../records/record-book.js';

/**
 * Causes of issues that may be gone by what a batch did to records.
 *
 * @param forgotten references that records held before the batch
 */
export const mendedBy = ({ freesKeys }: Pick<RecordBook, 'freesKeys'>, forgotten: number): readonly IssueCause[] => {
  if (freesKeys) return ['KEY_TAKEN', 'IN_USE'];
  return forgotten > 0 ? ['IN_USE'] : [];
};
