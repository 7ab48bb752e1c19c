import type { Principal } from '@fds/auth';
import { compileEndpoints } from '@fds/access-rules';
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

const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const places = compileEndpoints(paths.map((path) => ({ action: 'GET', path })));
const collections = compileEndpoints([...new Set(paths.map(collectionOf))].map((path) => ({ action: 'GET', path })));

/** The readings of a wildcard when permissions are checked: every zone, or each zone of the caller. */
const readings = (segments: readonly string[], { zones }: Pick<Principal, 'zones'>): readonly string[] => {
  const path = `/${segments.join('/')}`;
  const ofZone = segments[0] === 'zones' && segments[1] === '?';
  return [path, ...(ofZone ? zones.map(({ zoneUuid }) => path.replace('/zones/?', `/zones/${zoneUuid}`)) : [])];
};

const reachesRecords = (pattern: readonly string[]): boolean => {
  for (const [collection] of places.reachedBy('GET', pattern)) if (collection === 'drs') return true;
  return false;
};

/**
 * Why a caller may not register for a resource; undefined when the caller may. The caller needs GET on at least one kind of resource
 * that the pattern reaches, in every zone or in one of the caller's zones. A pattern may also reach collections: GET on one
 * is enough. At delivery `seeChange` decides on each change.
 */
export const registrationRefusal = (
  principal: Pick<Principal, 'permits' | 'zones'>,
  resource: string,
): string | undefined => {
  const pattern = eventSegments(resource);
  const reached = [...places.reachedBy('GET', pattern), ...collections.reachedBy('GET', pattern)];
  if (reached.length === 0) return `no resource that changes has the path ${resource}`;
  const isGranted = reached.some((segments) =>
    readings(segments, principal).some((path) => principal.permits('GET', path)),
  );
  if (isGranted || (reachesRecords(pattern) && principal.permits('GET', '/drs'))) return undefined;
  return `GET is not granted to you on ${resource}`;
};
