import type { RecordsSubgraph } from '@fds/records';
import { isLongerThan } from '../../executor/answer-size.js';

type ReadRecord = RecordsSubgraph['readRecord'];

/** Leaves records that are too large for an answer to the executor, which refuses them. */
export const boundedReader =
  (readRecord: ReadRecord, maxCharacters: number): ReadRecord =>
  async (drUuid, context) => {
    const record = await readRecord(drUuid, context);
    return isLongerThan({ result: record }, maxCharacters) ? undefined : record;
  };
