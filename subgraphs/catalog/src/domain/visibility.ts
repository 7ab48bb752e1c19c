import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { Action } from '@fds/access-rules';

// A caller who may list a collection sees all of its rows, with or without a permission for a row
// (docs/reference/access.md#permissions).

const mayListZones = (principal: Principal): boolean => principal.permits('GET', '/zones');

export const mayReadZone = (
  principal: Principal,
  { uuid, parentZoneUuid }: { readonly uuid: string; readonly parentZoneUuid: string | null },
): boolean =>
  mayListZones(principal) ||
  principal.permits('GET', `/zones/${uuid}`) ||
  (parentZoneUuid !== null && principal.permits('GET', `/zones/${parentZoneUuid}/child-zones`));

export const mayReadAdaptorsOf = (principal: Principal, zoneUuid: string): boolean =>
  principal.permits('GET', `/zones/${zoneUuid}/adaptors`);

export const mayReadAdaptor = (
  principal: Principal,
  { uuid, zoneUuid }: { readonly uuid: string; readonly zoneUuid: string },
): boolean => mayReadAdaptorsOf(principal, zoneUuid) || principal.permits('GET', `/zones/${zoneUuid}/adaptors/${uuid}`);

const mayListAdaptorTypes = (principal: Principal): boolean => principal.permits('GET', '/adaptor-types');

export const mayReadAdaptorType = (principal: Principal, { uuid }: { readonly uuid: string }): boolean =>
  mayListAdaptorTypes(principal) || principal.permits('GET', `/adaptor-types/${uuid}`);

const mayListDomains = (principal: Principal): boolean => principal.permits('GET', '/domains');

export const mayReadDomain = (principal: Principal, { uuid }: { readonly uuid: string }): boolean =>
  mayListDomains(principal) || principal.permits('GET', `/domains/${uuid}`);

/** May the caller list the versions of all domains? */
const mayListVersions = (principal: Principal): boolean => principal.permits('GET', '/domains/versions');

/** The two paths of a version. A permission for one of them is enough. */
const versionPaths = (
  domainUuid: string | null | undefined,
  versionUuid: string,
  suffix: string,
): readonly string[] => [
  `/domains/${domainUuid ?? '?'}/versions/${versionUuid}${suffix}`,
  `/domains/versions/${versionUuid}${suffix}`,
];

export const mayOnVersion = (
  principal: Principal,
  action: Action,
  { uuid, domainUuid }: { readonly uuid: string; readonly domainUuid?: string | null },
  suffix = '',
): boolean => versionPaths(domainUuid, uuid, suffix).some((path) => principal.permits(action, path));

export const mayReadVersion = (
  principal: Principal,
  version: { readonly uuid: string; readonly domainUuid: string },
): boolean =>
  mayListVersions(principal) ||
  principal.permits('GET', `/domains/${version.domainUuid}/versions`) ||
  mayOnVersion(principal, 'GET', version);

/**
 * If no row of a collection is visible, the collection is refused to callers without any grant on it, and empty for
 * others (docs/reference/access.md#refusal).
 *
 * @param paths paths of the collection, and of an element with `?` in place of its uuid
 * @throws AppError FORBIDDEN
 */
export const requireAnyOf = (principal: Principal, paths: readonly string[]): void => {
  if (!paths.some((path) => principal.permits('GET', path))) {
    throw new AppError('FORBIDDEN', `GET ${paths[0]} is not granted to you`);
  }
};
