import { restrictionOf, type DataAccess, type DataVersion } from '@fds/access-rules';
import type { RestrictedVersion, Visibility } from './visibility.js';

/**
 * The part of the listings of some versions that a caller may see.
 *
 * @param required properties that rows are searched and sorted by, in the model's spelling
 * @returns undefined without a restriction of any of them
 */
export const readVisibility = (
  principal: { readonly dataAccess?: DataAccess | undefined },
  versions: readonly (DataVersion & Pick<RestrictedVersion, 'domainType'>)[],
  required: readonly string[] = [],
): Visibility | undefined => {
  if (principal.dataAccess === undefined) return undefined;
  const restricted = versions.flatMap((version) => {
    const access = restrictionOf(principal, 'GET', version);
    return access === undefined ? [] : [{ uuid: version.uuid, domainType: version.domainType, access }];
  });
  return restricted.length === 0 ? undefined : { versions: restricted, required };
};
