import type { Principal } from '@fds/auth';
import type { DataAction, VersionAccess } from '@fds/data-access';
import type { DomainVersionView } from '../domain/catalog.js';

/** What rules leave to the caller of a version's data; undefined where nothing is held back. */
export const restrictionOf = (
  { dataAccess }: Pick<Principal, 'dataAccess'>,
  action: DataAction,
  version: DomainVersionView | undefined,
): VersionAccess | undefined => {
  if (dataAccess === undefined || version === undefined) return undefined;
  const access = dataAccess.of(action, version);
  return access.isWhole ? undefined : access;
};
