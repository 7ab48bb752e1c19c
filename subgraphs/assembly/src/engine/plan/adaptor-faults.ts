import type { Principal } from '@fds/auth';
import type { SourceAccess } from '@fds/access-rules';
import type { Database } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { namedAdaptors, unknownAdaptors } from '../../domain/named-adaptors.js';
import { zonesOfAdaptors } from '../../store/source-store.js';
import type { AssemblyScope } from './assembly-scope.js';
import type { SourcePlan } from './plan-sources.js';

const showsAnything = ({ common, named, of }: SourceAccess): boolean =>
  common.extent !== 'NONE' || [...named].some((uuid) => of(uuid).extent !== 'NONE');

/**
 * Adaptors of the request that the caller may not know: those that do not exist, and those that the caller may neither
 * read in the catalog nor get data from.
 */
export const adaptorFaults = async (
  database: Pick<Database, 'reads'>,
  { request, restriction }: AssemblyScope,
  { sources, governed }: Pick<SourcePlan, 'sources' | 'governed'>,
  principal: Principal,
): Promise<ErrorCause[]> => {
  const named = namedAdaptors(request);
  if (named.size === 0) return [];
  const giving = sources.filter(
    (source) =>
      governed.permitsAnything(source) && (restriction === undefined || showsAnything(restriction.at(source))),
  );
  const known = new Set(giving.map(({ adaptorUuid }) => adaptorUuid));
  const others = [...named].filter((uuid) => !known.has(uuid));
  const zones = others.length === 0 ? new Map<string, string>() : await zonesOfAdaptors(database, others);
  for (const [uuid, zoneUuid] of zones) {
    const list = `/zones/${zoneUuid}/adaptors`;
    if (principal.permits('GET', list) || principal.permits('GET', `${list}/${uuid}`)) known.add(uuid);
  }
  return unknownAdaptors(request, (uuid) => known.has(uuid));
};
