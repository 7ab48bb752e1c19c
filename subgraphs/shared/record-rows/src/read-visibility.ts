import { restrictionOf, type DataAccess, type DataVersion } from '@fds/data-access';
import type { RestrictedVersion, Visibility } from './visibility.js';

/**
 * What a caller may see in listings of some versions.
 *
 * @param required properties that rows are searched and sorted by, in the model's spelling
 * @returns undefined where nothing of any of them is held back
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
