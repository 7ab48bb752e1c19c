import type { Database } from '@fds/database';
import { createVisibility, mayAsk, type Visibility } from '../../domain/visibility.js';
import { holdingsOf, type RecordHolding } from '../../store/record-store.js';
import type { Enquiry } from '../gathering.js';
import type { AssemblyScope } from './assembly-scope.js';
import { enquiriesOf } from './enquiries.js';
import type { SourcePlan } from './plan-sources.js';

/** The adaptors to ask, each for some records. */
export interface FanOutPlan {
  readonly enquiries: readonly Enquiry[];
  readonly holdings: readonly RecordHolding[];
  readonly visible: Visibility;
  /** Uuids of the adaptors that hold some of the records, and that the caller may not have them from. */
  readonly denied: readonly string[];
}

/** Finds the holders of federated records, and leaves out the data that the caller may not have from them. */
export const planFanOut = async (
  database: Database,
  { restriction, merge }: AssemblyScope,
  { sources, governed, down }: SourcePlan,
  recordUuids: readonly string[],
): Promise<FanOutPlan> => {
  const holdings = await holdingsOf(database, recordUuids);
  const isDown = (uuid: string): boolean => down.has(uuid);
  const visible = createVisibility(governed, restriction);
  const enquiries = enquiriesOf(sources, holdings, isDown, (source, recordUuid) =>
    mayAsk(merge, visible(source, recordUuid)),
  );
  const enquired = new Set(enquiries.map(({ source }) => source.adaptorUuid));
  const holders = enquiriesOf(sources, holdings, isDown).map(({ source }) => source.adaptorUuid);
  return { enquiries, holdings, visible, denied: holders.filter((uuid) => !enquired.has(uuid)) };
};
