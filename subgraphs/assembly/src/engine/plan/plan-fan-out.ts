import { createVisibility, mayAsk, type Visibility } from '../../domain/visibility.js';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { Enquiry } from '../gathering.js';
import type { AssemblyScope } from './assembly-scope.js';
import { enquiriesOf } from './enquiries.js';
import type { SourcePlan } from './plan-sources.js';

/** The adaptors to ask, each with some records. */
export interface FanOutPlan {
  readonly enquiries: readonly Enquiry[];
  readonly visible: Visibility;
  /** Uuids of the adaptors that have some of the records, but from which the caller may not get them. */
  readonly denied: readonly string[];
}

/** Finds the sources of federated records, and leaves out the data that the caller may not get from them. */
export const planFanOut = (
  { restriction, merge }: Pick<AssemblyScope, 'restriction' | 'merge'>,
  { sources, governed }: SourcePlan,
  records: readonly CataloguedRecord[],
): FanOutPlan => {
  const visible = createVisibility(governed, restriction);
  const enquiries = enquiriesOf(sources, records, (source, recordUuid) => mayAsk(merge, visible(source, recordUuid)));
  const enquired = new Set(enquiries.map(({ source }) => source.adaptorUuid));
  const holders = enquiriesOf(sources, records).map(({ source }) => source.adaptorUuid);
  return { enquiries, visible, denied: holders.filter((uuid) => !enquired.has(uuid)) };
};
