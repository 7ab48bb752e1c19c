import { pathSegments, type Action, type CompiledGrants, type Grant } from '@fds/access-rules';

/** A feature of the interface. It is enabled when the caller has the permissions that it needs. */
export interface InterfaceFeature {
  readonly feature: string;
  readonly enabled: boolean;
}

/**
 * `GET /path`. In it `{zone}` is the same zone in all conditions of a feature, `{}` is any one resource, and `?` is
 * every resource.
 */
type Condition = `${Action} /${string}`;
/** All conditions must be true. One condition of a nested list is enough. */
type Conditions = readonly (Condition | readonly Condition[])[];

const zone = '/zones/{zone}';
const versions: readonly Condition[] = ['GET /domains/versions', 'GET /domain/versions'];

/** The interface features of docs/reference/access.md#interface-features, with combined rows split. */
const table: readonly (readonly [feature: string, needs: Conditions])[] = [
  ['Zones page', [['GET /zones', `GET ${zone}`]]],
  ['Users, Groups and Roles page', [[`GET ${zone}/users`, `GET ${zone}/groups`, `GET ${zone}/roles`]]],
  ['Adaptors page', [`GET ${zone}`, `GET ${zone}/adaptors`]],
  [
    'Gold and Silver page',
    [
      'GET /zones',
      `GET ${zone}/adaptors`,
      `GET ${zone}/adaptors/settings/domain-version-adaptor-preferences`,
      'GET /domains/versions',
    ],
  ],
  ['Domains page', ['GET /domains', versions]],
  ['Data Access page', ['GET /drs', 'GET /domains']],
  [
    'Governance page',
    [
      'GET /zones',
      'GET /drs',
      'GET /domains',
      `GET ${zone}/adaptors`,
      versions,
      [`GET ${zone}/outbound-acls`, `GET ${zone}/inbound-acls`, `GET ${zone}/acls/metrics`, `GET ${zone}/acls/dry-run`],
    ],
  ],
  ['Add zone', ['POST /zones']],
  ['Create adaptor', [`POST ${zone}/adaptors`]],
  ['Pause or play adaptor', [`PATCH ${zone}/adaptors/?`]],
  ['Delete adaptor', [`DELETE ${zone}/adaptors/{}`]],
  ['Edit adaptor', [`PUT ${zone}/adaptors/{}`, `GET ${zone}/adaptors/{}`]],
  ['Update metadata or capabilities', [`PUT ${zone}/adaptors/{}`, `GET ${zone}/adaptors/{}`]],
  ['Adaptor credentials', [`GET ${zone}/adaptors/{}/registration`]],
  ['Add domain', ['POST /domains']],
  ['Add domain version', ['POST /domains/{}/versions']],
  [
    'Gold and silver radio buttons',
    [
      [
        `PUT ${zone}/settings/domain-version-adaptor-preferences/?`,
        `PUT ${zone}/settings/domain-version-adaptor-preferences/{}`,
      ],
    ],
  ],
  ['Add ACL', [`POST ${zone}/outbound-acls`]],
  ['Dry run tab', [`POST ${zone}/acls/dry-run`]],
  ['Metrics tab', [`GET ${zone}/acls/metrics`]],
  ['Add user', [`POST ${zone}/users`]],
  ['Add group', [`POST ${zone}/groups`]],
  ['Add role', [`POST ${zone}/roles`]],
  ['Update group members', [`POST ${zone}/groups/{}/users`]],
  ['Add permission', [`POST ${zone}/permissions`, `GET ${zone}/permissions/?`]],
  ['Assemble data record', [['GET /drs/?', 'GET /drs/{}']]],
  ['Compare', [['GET /drs/?', 'GET /drs/{}']]],
  ['Metadata tab', [['GET /drs/?', 'GET /drs/{}'], `GET ${zone}/adaptors`]],
];

const isMet = (condition: Condition, zoneSegment: string, grants: CompiledGrants): boolean => {
  const at = condition.indexOf(' ');
  const action = condition.slice(0, at) as Action;
  const path = condition.slice(at + 1).replace('{zone}', zoneSegment);
  // every resource of a `?` is permitted when a resource that no grant names is permitted
  return path.includes('{}') ? grants.permitsSome(action, path.replaceAll('{}', '?')) : grants.permits(action, path);
};

/** Zones that the grants name, and a zone that no grant names. */
const zonesOf = (grants: Iterable<Grant>): Set<string> => {
  const zones = new Set(['?']);
  for (const { resource } of grants) {
    const [collection, segment] = pathSegments(resource);
    if (collection === 'zones' && segment !== undefined && segment !== '*') zones.add(segment);
  }
  return zones;
};

/**
 * Returns each interface feature. It is enabled when the caller has all of its permissions. Those that depend on a zone
 * must be for the same zone.
 */
export const interfaceFeatures = (granted: readonly Grant[], grants: CompiledGrants): InterfaceFeature[] => {
  const zones = [...zonesOf(granted)];
  return table.map(([feature, needs]) => ({
    feature,
    enabled: zones.some((each) =>
      needs.every((need) =>
        typeof need === 'string' ? isMet(need, each, grants) : need.some((one) => isMet(one, each, grants)),
      ),
    ),
  }));
};
