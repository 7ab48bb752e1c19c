import type { Queryable } from '@fds/database';
import { mostRecords } from '../../domain/effective-request.js';
import { selectRecords, selectUuids, type CataloguedRecord, type RecordSelection } from '../../store/record-store.js';

/** The records of a progressive answer, one window after the other. */
export interface RecordWindows {
  readonly totalElements: number;
  /** Is there another window? There is always a first one, even without records. */
  hasNext(): boolean;
  /** The next records, in the order of the answer. Records that were deleted or hidden in the meantime are left out. */
  next(maxRecords: number): Promise<readonly CataloguedRecord[]>;
}

/**
 * Selects the records once, so that records that are added or removed later do not move the windows. An answer that
 * fits into one message to an adaptor is one window.
 */
export const openRecordWindows = async (searches: Queryable, selection: RecordSelection): Promise<RecordWindows> => {
  if (selection.limit <= mostRecords.plain) {
    const { records, totalElements } = await selectRecords(searches, selection);
    let isTaken = false;
    return {
      totalElements,
      hasNext: () => !isTaken,
      next: () => {
        isTaken = true;
        return Promise.resolve(records);
      },
    };
  }
  const { uuids, totalElements } = await selectUuids(searches, selection);
  let start = 0;
  let isStarted = false;
  return {
    totalElements,
    hasNext: () => !isStarted || start < uuids.length,
    next: async (maxRecords) => {
      isStarted = true;
      const drUuids = uuids.slice(start, start + maxRecords);
      start += drUuids.length;
      const { records } = await selectRecords(searches, {
        ...selection,
        drUuids,
        orderBy: [],
        offset: 0,
        limit: drUuids.length,
      });
      const places = new Map(drUuids.map((uuid, place) => [uuid, place]));
      return records.toSorted((one, other) => (places.get(one.uuid) ?? 0) - (places.get(other.uuid) ?? 0));
    },
  };
};
