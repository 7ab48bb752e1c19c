import type { AccessRule, Grant, GrantedAction } from '@fds/access-rules';

/** Names of the managed roles, as the specification gives them. */
export const managedRoleNames = {
  zoneAdmin: 'Zone Admin',
  zoneDataSteward: 'Zone Data Steward',
  rootAdmin: 'Root Admin',
  dataGovernanceSteward: 'Data Governance Steward',
} as const;

export type ManagedRoleName = (typeof managedRoleNames)[keyof typeof managedRoleNames];

/** A zone that has managed roles. */
export interface ManagedZone {
  readonly uuid: string;
  /** ROOT: the deployment's first. */
  readonly kind: 'ROOT' | 'ZONE';
}

type Table = readonly (readonly [action: GrantedAction, resource: string])[];

/** Granted to every signed-in person: information about the caller and about the server. */
const everyPerson: Table = [
  ['GET', '/token'],
  ['GET', '/permissions'],
  ['GET', '/resources'],
  ['GET', '/endpoints'],
  ['GET', '/graphql-schema'],
  ['ALL', '/notifications/*'],
  ['POST', '/plan'],
  ['POST', '/plan/?/apply'],
];

/**
 * What the managed roles hold (docs/reference/access.md#default-holders); `{zone}` stands for the role's zone.
 * Root Admin lacks data (`/drs`) and adaptors with their registration: only grants exist, so the rest is listed.
 */
const managedRoles: Readonly<Record<ManagedRoleName, Table>> = {
  'Zone Admin': [
    ['GET', '/zones'],
    ['GET', '/zones/{zone}'],
    ['PUT', '/zones/{zone}'],
    ['PATCH', '/zones/{zone}'],
    ['ALL', '/zones/{zone}/child-zones/*'],
    ['ALL', '/zones/{zone}/users/*'],
    ['ALL', '/zones/{zone}/groups/*'],
    ['ALL', '/zones/{zone}/roles/*'],
    ['ALL', '/zones/{zone}/permissions/*'],
    ['ALL', '/zones/{zone}/settings/*'],
    ['GET', '/zones/{zone}/change-log'],
  ],
  'Zone Data Steward': [
    ['GET', '/zones'],
    ['GET', '/zones/{zone}'],
    ['ALL', '/zones/{zone}/adaptors/*'],
    ['GET', '/zones/{zone}/capable-adaptors/*'],
    ['ALL', '/zones/{zone}/settings/domain-version-adaptor-preferences/*'],
    ['ALL', '/zones/{zone}/inbound-acls/*'],
    ['ALL', '/zones/{zone}/outbound-acls/*'],
    ['ALL', '/zones/{zone}/acls/*'],
    ['ALL', '/zones/{zone}/issues/*'],
    // shows the zones whose issues the holder may read
    ['GET', '/issues/*'],
    ['GET', '/adaptor-types/*'],
    ['GET', '/domains/*'],
    // the domains the zone owns are granted one by one as they are created, see `grantDomain`
    ['POST', '/domains'],
    // limited to the adaptors, entries and data that the holder may see
    ['GET', '/explain/*'],
    // limited to the zone by `rulesOfManagedRole`
    ['ALL', '/drs/*'],
    ['GET', '/data-events/*'],
  ],
  'Root Admin': [
    ['ALL', '/zones'],
    ['ALL', '/zones/?'],
    ['ALL', '/zones/?/child-zones/*'],
    ['ALL', '/zones/?/users/*'],
    ['ALL', '/zones/?/groups/*'],
    ['ALL', '/zones/?/roles/*'],
    ['ALL', '/zones/?/permissions/*'],
    ['ALL', '/zones/?/settings/*'],
    ['GET', '/zones/?/capable-adaptors/*'],
    ['ALL', '/zones/?/inbound-acls/*'],
    ['ALL', '/zones/?/outbound-acls/*'],
    ['ALL', '/zones/?/acls/*'],
    ['ALL', '/zones/?/issues/*'],
    ['GET', '/issues/*'],
    ['ALL', '/adaptor-types/*'],
    ['ALL', '/domains/*'],
    ['ALL', '/operational-acls/*'],
    ['ALL', '/permissions/*'],
    ['GET', '/change-log'],
    ['GET', '/change-log/proof'],
    ['GET', '/processes'],
    ['POST', '/backup'],
    ['GET', '/zones/?/change-log'],
  ],
  'Data Governance Steward': [
    ['GET', '/zones'],
    ['GET', '/zones/?'],
    ['ALL', '/domains/*'],
    ['ALL', '/adaptor-types/*'],
    ['ALL', '/operational-acls/*'],
    ['GET', '/explain/*'],
  ],
};

const toGrants = (table: Table, zoneUuid: string): Grant[] =>
  table.map(([action, resource]) => ({ action, resource: resource.replace('{zone}', zoneUuid) }));

/** The grants a managed role of the zone starts with. */
export const grantsOfManagedRole = (name: ManagedRoleName, zoneUuid: string): Grant[] =>
  toGrants(managedRoles[name], zoneUuid);

/**
 * The data access rules a managed role of the zone starts with. A path of data names no zone, so a rule limits it to the
 * data of the zone: data that adaptors of the zone hold, and data that the server holds for domains that the zone owns. In
 * Root the role has no rule: the steward of the deployment sees all data.
 */
export const rulesOfManagedRole = (name: ManagedRoleName, zone: ManagedZone): AccessRule[] =>
  name === managedRoleNames.zoneDataSteward && zone.kind !== 'ROOT'
    ? [
        {
          effect: 'ALLOW',
          actions: null,
          zoneUuid: zone.uuid,
          adaptorUuid: null,
          domainUuid: null,
          domainVersionUuid: null,
          properties: null,
          drUuids: null,
        },
      ]
    : [];

/** The grants every signed-in person has without being given them: among them, to read their own permissions. */
export const grantsOfPerson = (personUuid: string): Grant[] => [
  ...toGrants(everyPerson, ''),
  { action: 'GET', resource: `/permissions/${personUuid}` },
];

/** An adaptor may read its own resource over REST and GraphQL, nothing else. */
export const grantsOfAdaptor = (zoneUuid: string, adaptorUuid: string): Grant[] => [
  { action: 'GET', resource: '/token' },
  { action: 'GET', resource: `/zones/${zoneUuid}/adaptors/${adaptorUuid}` },
];
