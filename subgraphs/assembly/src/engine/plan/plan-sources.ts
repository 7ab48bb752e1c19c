import type { CatalogFacts } from '../../catalog/catalog-facts.js';
import { chooseSources } from '../../domain/choose-sources.js';
import { governSources, type GovernedSources } from '../../domain/govern-sources.js';
import type { Source } from '../../domain/source.js';
import type { AssemblyScope } from './assembly-scope.js';

/** The adaptors that a request selects, before its records are known. */
export interface SourcePlan {
  readonly sources: readonly Source[];
  readonly governed: GovernedSources;
}

/**
 * The adaptors that are capable of GET for the version, restricted by the lists of the request, with their governance.
 *
 * @param asksHolders whether adaptors are sources of a data-store version too. Default: its only source is the store.
 */
export const planSources = async (
  facts: Pick<CatalogFacts, 'adaptorsFor'>,
  { request, version }: Pick<AssemblyScope, 'request' | 'version'>,
  asksHolders = false,
): Promise<SourcePlan> => {
  const adaptors = await facts.adaptorsFor(version, request.zoneUuid);
  const isAsked = asksHolders || version.domainType === 'FEDERATED';
  const sources = isAsked ? chooseSources(request, adaptors.capable) : [];
  const governed = governSources(adaptors, {
    sources,
    askingZoneUuid: request.zoneUuid,
    domainVersionUuid: version.domainVersionUuid,
    properties: version.model.properties.map(({ name }) => name),
  });
  return { sources, governed };
};
