import type { Database } from '@fds/database';
import { chooseSources } from '../../domain/choose-sources.js';
import type { Source } from '../../domain/source.js';
import { governSources, type GovernedSources } from '../../store/governance-store.js';
import { capableSources } from '../../store/source-store.js';
import type { AssemblyScope } from './assembly-scope.js';

/** The adaptors that a request selects, before its records are known. */
export interface SourcePlan {
  readonly sources: readonly Source[];
  readonly governed: GovernedSources;
  /** Adaptors known to be down. */
  readonly down: ReadonlySet<string>;
}

/** The adaptors capable of GET for the version, narrowed by the lists of the request, and the governance of them. */
export const planSources = async (
  database: Database,
  { request, version }: Pick<AssemblyScope, 'request' | 'version'>,
): Promise<SourcePlan> => {
  const capable = version.domainType === 'FEDERATED' ? await capableSources(database, version, request.zoneUuid) : [];
  const sources = chooseSources(request, capable);
  const governed = await governSources(database, {
    sources,
    askingZoneUuid: request.zoneUuid,
    domainVersionUuid: version.domainVersionUuid,
    properties: version.model.properties.map(({ name }) => name),
  });
  return {
    sources,
    governed,
    down: new Set(capable.filter((source) => source.down).map(({ adaptorUuid }) => adaptorUuid)),
  };
};
