import type { Principal } from '@fds/auth';
import { compileEndpoints } from '@fds/permissions';
import { eventSegments } from './event-segments.js';

/** The paths of the resources in notifications. */
const paths = [
  '/zones/{zoneUuid}',
  '/zones/{zoneUuid}/users/{zoneUserUuid}',
  '/zones/{zoneUuid}/groups/{groupUuid}',
  '/zones/{zoneUuid}/roles/{roleUuid}',
  '/zones/{zoneUuid}/permissions/{permissionUuid}',
  '/adaptor-types/{adaptorTypeUuid}',
  '/zones/{zoneUuid}/adaptors/{adaptorUuid}',
  '/zones/{zoneUuid}/adaptors/{adaptorUuid}/registration',
  '/zones/{zoneUuid}/adaptors/{adaptorUuid}/shutdown',
  '/domains/{domainUuid}',
  '/domains/{domainUuid}/versions/{domainVersionUuid}',
  '/domains/versions/{domainVersionUuid}',
  '/zones/{zoneUuid}/inbound-acls/{inboundAclUuid}',
  '/zones/{zoneUuid}/outbound-acls/{outboundAclUuid}',
  '/operational-acls/entries/{operationalAclUuid}',
  '/zones/{zoneUuid}/issues/{issueUuid}',
  '/zones/{zoneUuid}/adaptors/{adaptorUuid}/issues/{issueUuid}',
  '/zones/{zoneUuid}/adaptors/{adaptorUuid}/domains/{domainUuid}/versions/{domainVersionUuid}/issues/{issueUuid}',
  '/zones/{zoneUuid}/settings/domain-version-adaptor-preferences/{preferenceUuid}',
  '/zones/{zoneUuid}/adaptors/settings/domain-version-adaptor-preferences/{preferenceUuid}',
  '/drs/{drUuid}',
  '/notifications/{notificationId}',
];

const places = compileEndpoints(paths.map((path) => ({ action: 'GET', path })));

/** The readings of a wildcard when permissions are checked: every zone, or each zone of the caller. */
const readings = (segments: readonly string[], { zones }: Pick<Principal, 'zones'>): readonly string[] => {
  const path = `/${segments.join('/')}`;
  const ofZone = segments[0] === 'zones' && segments[1] === '?';
  return [path, ...(ofZone ? zones.map(({ zoneUuid }) => path.replace('/zones/?', `/zones/${zoneUuid}`)) : [])];
};

/**
 * May the caller register for a resource? The caller needs GET on at least one kind of resource that the pattern reaches, in every
 * zone or in one of the caller's zones. At delivery `seeChange` decides on each change.
 */
export const mayRegister = (principal: Pick<Principal, 'permits' | 'zones'>, resource: string): boolean => {
  const pattern = eventSegments(resource);
  for (const reached of places.reachedBy('GET', pattern)) {
    if (readings(reached, principal).some((path) => principal.permits('GET', path))) return true;
  }
  return reachesRecords(pattern) && principal.permits('GET', '/drs');
};

const reachesRecords = (pattern: readonly string[]): boolean => {
  for (const [collection] of places.reachedBy('GET', pattern)) if (collection === 'drs') return true;
  return false;
};
