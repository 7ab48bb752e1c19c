import type { Source } from '../../domain/source.js';
import type { RecordHolding } from '../../store/record-store.js';
import type { Enquiry } from '../gathering.js';

/**
 * Whom to ask for which records: the sources that hold any of them.
 *
 * @param mayAsk may the caller have the record from the source?
 */
export const enquiriesOf = (
  sources: readonly Source[],
  holdings: readonly RecordHolding[],
  isDown: (adaptorUuid: string) => boolean,
  mayAsk: (source: Source, recordUuid: string) => boolean = () => true,
): Enquiry[] =>
  sources
    .map((source) => ({
      source,
      recordUuids: new Set(
        holdings
          .filter(({ adaptorUuid, recordUuid }) => adaptorUuid === source.adaptorUuid && mayAsk(source, recordUuid))
          .map(({ recordUuid }) => recordUuid),
      ),
      down: isDown(source.adaptorUuid),
    }))
    .filter(({ recordUuids }) => recordUuids.size > 0);
