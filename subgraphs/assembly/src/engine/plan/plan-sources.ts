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

/** The adaptors that are capable of GET for the version, restricted by the lists of the request, with their governance. */
export const planSources = async (
  facts: Pick<CatalogFacts, 'adaptorsFor'>,
  { request, version }: Pick<AssemblyScope, 'request' | 'version'>,
): Promise<SourcePlan> => {
  const adaptors = await facts.adaptorsFor(version, request.zoneUuid);
  const sources = chooseSources(request, adaptors.capable);
  const governed = governSources(adaptors, {
    sources,
    askingZoneUuid: request.zoneUuid,
    domainVersionUuid: version.domainVersionUuid,
    properties: version.model.properties.map(({ name }) => name),
  });
  return { sources, governed };
};
