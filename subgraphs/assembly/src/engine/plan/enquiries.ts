import type { Source } from '../../domain/source.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { Enquiry } from '../gathering.js';

/**
 * The questions to the sources that have any of the records.
 *
 * @param mayAsk may the caller get the record from the source?
 */
export const enquiriesOf = (
  sources: readonly Source[],
  records: readonly Pick<CataloguedRecord, 'uuid' | 'holdings'>[],
  mayAsk: (source: Source, recordUuid: string) => boolean = () => true,
): Enquiry[] => {
  const enquiries = new Map(
    sources.map((source) => [source.adaptorUuid, { source, recordUuids: new Set<string>(), down: false }]),
  );
  for (const { uuid, holdings } of records) {
    for (const [adaptorUuid, { isDown }] of holdings) {
      const enquiry = enquiries.get(adaptorUuid);
      if (enquiry === undefined || !mayAsk(enquiry.source, uuid)) continue;
      enquiry.recordUuids.add(uuid);
      enquiry.down = isDown;
    }
  }
  return [...enquiries.values()].filter(({ recordUuids }) => recordUuids.size > 0);
};
