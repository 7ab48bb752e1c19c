import type { RecordBook, RecordState } from '../records/record-book.js';
import { nothing, type EventOutcome } from './event-outcome.js';

/**
 * A federated record that outlived its last link, because its source was told once more to delete it, goes when the source
 * has.
 */
export const removeUnlinked = (book: RecordBook, record: RecordState, adaptorUuid: string): EventOutcome => {
  if (record.json !== null || record.links.size > 0) return nothing;
  book.delete(record);
  const { uuid: recordUuid, domainVersionUuid, drKey } = record;
  return {
    deliveries: [],
    change: { action: 'DELETE', recordUuid, domainVersionUuid, actorUuid: adaptorUuid, drKey },
  };
};
