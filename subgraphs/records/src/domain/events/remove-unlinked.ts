import type { RecordBook, RecordState } from '../records/record-book.js';
import { nothing, type EventOutcome } from './event-outcome.js';

/**
 * A federated record that outlived its last link, because its source was told once more to delete it, goes when the source
 * has.
 */
export const removeUnlinked = (
  book: RecordBook,
  record: RecordState,
  by: { readonly sourceAdaptorUuid: string; readonly transactionUuid: string | undefined },
): EventOutcome => {
  if (record.json !== null || record.links.size > 0) return nothing;
  book.delete(record);
  const { uuid: recordUuid, domainVersionUuid, drKey } = record;
  const { sourceAdaptorUuid: actorUuid, transactionUuid } = by;
  return {
    deliveries: [],
    change: { action: 'DELETE', recordUuid, domainVersionUuid, actorUuid, transactionUuid, drKey },
  };
};
