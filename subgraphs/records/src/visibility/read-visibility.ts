import type { Principal } from '@fds/auth';
import type { DomainVersionView } from '../domain/catalog.js';
import type { Visibility } from '../store/listing/visibility.js';
import { restrictionOf } from './restriction-of.js';

/**
 * What a caller may see in listings of some versions.
 *
 * @param required properties that rows are searched and sorted by, in the model's spelling
 * @returns undefined where nothing of any of them is held back
 */
export const readVisibility = (
  principal: Pick<Principal, 'dataAccess'>,
  versions: readonly DomainVersionView[],
  required: readonly string[] = [],
): Visibility | undefined => {
  if (principal.dataAccess === undefined) return undefined;
  const restricted = versions.flatMap((version) => {
    const access = restrictionOf(principal, 'GET', version);
    return access === undefined ? [] : [{ uuid: version.uuid, domainType: version.domainType, access }];
  });
  return restricted.length === 0 ? undefined : { versions: restricted, required };
};
