import type { Database } from '@fds/database';
import { chooseSources } from '../../domain/choose-sources.js';
import { mayAskOf } from '../../domain/restriction.js';
import { permitSources, type PermittedSources } from '../../store/governance-store.js';
import { holdingsOf, type RecordHolding } from '../../store/record-store.js';
import { capableSources } from '../../store/source-store.js';
import type { Enquiry } from '../gathering.js';
import type { AssemblyScope } from './assembly-scope.js';
import { enquiriesOf } from './enquiries.js';

/** The adaptors to ask, each for some records. */
export interface FanOutPlan {
  readonly enquiries: readonly Enquiry[];
  readonly holdings: readonly RecordHolding[];
  readonly governed: PermittedSources;
  /** Adaptors that hold some of the records, and that the caller may not have them from. */
  readonly deniedCount: number;
}

/** Chooses the adaptors for federated records: those that hold them, narrowed by the request, governance and data access. */
export const planFanOut = async (
  database: Database,
  { request, version, restriction }: AssemblyScope,
  recordUuids: readonly string[],
): Promise<FanOutPlan> => {
  const [capable, holdings] = await Promise.all([
    capableSources(database, version, request.zoneUuid),
    holdingsOf(database, recordUuids),
  ]);
  const down = new Set(capable.filter((source) => source.down).map(({ adaptorUuid }) => adaptorUuid));
  const governed = await permitSources(database, {
    sources: chooseSources(request, capable),
    askingZoneUuid: request.zoneUuid,
    domainVersionUuid: version.domainVersionUuid,
    properties: version.model.properties.map(({ name }) => name),
  });
  const isDown = (uuid: string): boolean => down.has(uuid);
  const holding = enquiriesOf(governed.sources, holdings, isDown);
  const mayAsk = restriction === undefined ? () => true : mayAskOf(request, restriction);
  const enquiries = enquiriesOf(
    governed.sources,
    holdings,
    isDown,
    (source, recordUuid) => governed.permits(source, recordUuid) && mayAsk(source, recordUuid),
  );
  const deniedCount = governed.deniedCount + holding.length - enquiries.length;
  return { enquiries, holdings, governed, deniedCount };
};
