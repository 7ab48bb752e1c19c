import type { PrismaTransaction } from '@fds/database';
import { compileEndpoints } from '@fds/access-rules';
import { logIdentity } from '../change-log/log-identities.js';
import { grantToRole } from './grant-to-role.js';
import type { IdentityWriter } from '../identity-writer.js';
import { joinRole } from './join-role.js';
import {
  grantsOfManagedRole,
  managedRoleNames,
  rulesOfManagedRole,
  type ManagedRoleName,
  type ManagedZone,
} from '../managed-roles.js';
import { requireAppointable } from './require-appointable.js';
import { showNoMore } from '../holdings/show-no-more.js';

/** Creates a managed role of the zone with the permissions and data access rules it starts with. */
export const createManagedRole = async (
  tx: PrismaTransaction,
  name: ManagedRoleName,
  zone: ManagedZone,
  writer: IdentityWriter,
): Promise<string> => {
  const zoneUuid = zone.uuid;
  const role = await tx.role.create({ data: { uuid: writer.newUuid(), zoneUuid, name, managed: true } });
  const rules = rulesOfManagedRole(name, zone);
  await tx.dataAccessRule.createMany({
    data: rules.map(({ actions, properties, drUuids, ...rule }, position) => ({
      ...rule,
      uuid: writer.newUuid(),
      roleUuid: role.uuid,
      position,
      actions: [...(actions ?? [])],
      properties: [...(properties ?? [])],
      drUuids: [...(drUuids ?? [])],
    })),
  });
  const logged = rules.length === 0 ? role : { ...role, dataAccessRules: rules };
  await logIdentity(tx, { uuid: writer.actorUuid }, 'POST', 'Role', logged);
  await grantToRole(tx, role, grantsOfManagedRole(name, zoneUuid), writer);
  return role.uuid;
};

/** A zone that has just been created, and the holders of its managed roles. */
export interface NewZone {
  readonly zoneUuid: string;
  /** Default ZONE. */
  readonly kind?: ManagedZone['kind'];
  /** The zone whose holders are the default; null: Root. */
  readonly parentZoneUuid: string | null;
  /** Persons. */
  readonly adminUserUuids?: readonly string[] | undefined;
  /** Persons. */
  readonly dataStewardUserUuids?: readonly string[] | undefined;
}

const holdersIn = async (
  tx: PrismaTransaction,
  parentZoneUuid: string | null,
  name: ManagedRoleName,
): Promise<string[]> => {
  const zoneUuid =
    parentZoneUuid ??
    (
      await tx.role.findFirst({
        where: { name: managedRoleNames.rootAdmin, managed: true },
        select: { zoneUuid: true },
      })
    )?.zoneUuid;
  if (zoneUuid === undefined) return [];
  const role = { zoneUuid, name, managed: true };
  const holders = await tx.zoneUser.findMany({
    where: {
      active: true,
      person: { active: true },
      OR: [{ roles: { some: { role } } }, { groups: { some: { group: { roles: { some: { role } } } } } }],
    },
    orderBy: { dateCreated: 'asc' },
    select: { personUuid: true },
  });
  return holders.map(({ personUuid }) => personUuid);
};

const createRoles = async (
  tx: PrismaTransaction,
  { zoneUuid, kind = 'ZONE', parentZoneUuid, adminUserUuids, dataStewardUserUuids }: NewZone,
  writer: IdentityWriter,
): Promise<void> => {
  const wanted = [
    [managedRoleNames.zoneAdmin, adminUserUuids],
    [managedRoleNames.zoneDataSteward, dataStewardUserUuids],
  ] as const;
  for (const [name, named] of wanted) {
    const roleUuid = await createManagedRole(tx, name, { uuid: zoneUuid, kind }, writer);
    const personUuids = named ?? (await holdersIn(tx, parentZoneUuid, name));
    for (const personUuid of new Set(personUuids)) {
      await joinRole(tx, { personUuid, zoneUuid, roleUuid }, writer);
    }
  }
};

const noEndpoints = compileEndpoints([]);

/**
 * Gives a new zone its managed roles with their permissions, data access rules and holders
 * (docs/reference/access.md#zones): those named, otherwise the parent's. Works inside the transaction that creates the
 * zone.
 *
 * @param endpoints of the API, see `CompiledGrants.coversReached`. Default none: patterns have to be covered as a whole
 * @throws AppError FORBIDDEN when a person would be given too much, see `requireAppointable` and `showNoMore`
 */
export const createManagedRoles = async (
  tx: PrismaTransaction,
  zone: NewZone,
  writer: IdentityWriter,
  endpoints = noEndpoints,
): Promise<void> => {
  const { zoneUuid, adminUserUuids = [], dataStewardUserUuids = [] } = zone;
  const { actorUuid } = writer;
  if (actorUuid === undefined) return createRoles(tx, zone, writer);
  const appointments = [
    { role: managedRoleNames.zoneAdmin, member: 'adminUserUuids', personUuids: adminUserUuids },
    { role: managedRoleNames.zoneDataSteward, member: 'dataStewardUserUuids', personUuids: dataStewardUserUuids },
  ] as const;
  await requireAppointable(tx, zoneUuid, appointments, actorUuid, endpoints);
  await showNoMore(tx, { actorUuid, zoneUuid, isNewZone: true }, () => createRoles(tx, zone, writer));
};
