import type { Database } from '@fds/database';
import { chooseSources } from '../../domain/choose-sources.js';
import { createVisibility, mayAsk, type Visibility } from '../../domain/visibility.js';
import { governSources } from '../../store/governance-store.js';
import { holdingsOf, type RecordHolding } from '../../store/record-store.js';
import { capableSources } from '../../store/source-store.js';
import type { Enquiry } from '../gathering.js';
import type { AssemblyScope } from './assembly-scope.js';
import { enquiriesOf } from './enquiries.js';

/** The adaptors to ask, each for some records. */
export interface FanOutPlan {
  readonly enquiries: readonly Enquiry[];
  readonly holdings: readonly RecordHolding[];
  readonly visible: Visibility;
  /** Adaptors that hold some of the records, and that the caller may not have them from. */
  readonly deniedCount: number;
}

/** Chooses the adaptors for federated records: those that hold them, narrowed by the request, governance and data access. */
export const planFanOut = async (
  database: Database,
  { request, version, restriction, merge }: AssemblyScope,
  recordUuids: readonly string[],
): Promise<FanOutPlan> => {
  const [capable, holdings] = await Promise.all([
    capableSources(database, version, request.zoneUuid),
    holdingsOf(database, recordUuids),
  ]);
  const down = new Set(capable.filter((source) => source.down).map(({ adaptorUuid }) => adaptorUuid));
  const sources = chooseSources(request, capable);
  const governed = await governSources(database, {
    sources,
    askingZoneUuid: request.zoneUuid,
    domainVersionUuid: version.domainVersionUuid,
    properties: version.model.properties.map(({ name }) => name),
  });
  const isDown = (uuid: string): boolean => down.has(uuid);
  const holding = enquiriesOf(sources, holdings, isDown);
  const visible = createVisibility(governed, restriction);
  const enquiries = enquiriesOf(sources, holdings, isDown, (source, recordUuid) =>
    mayAsk(merge, visible(source, recordUuid)),
  );
  return { enquiries, holdings, visible, deniedCount: holding.length - enquiries.length };
};
