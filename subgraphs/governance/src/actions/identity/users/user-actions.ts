import type { Principal } from '@fds/auth';
import { logIdentity, requireUser } from '@fds/identity';
import { requireNotStale, type FaultList, type GivenChangeVersion } from '@fds/errors';
import type { Paged, PageRequest } from '@fds/graphql';
import type { User, UserInput, UserKey } from '../../../domain/identity/user.js';
import { changeZone } from '../change-zone.js';
import type { IdentityTools } from '../identity-tools.js';
import { removePermissionsOf } from '../../../store/identity/permissions/permission-rows.js';
import { readableZones } from '../readable-zones.js';
import { lockPerson, removePersonWithoutZone } from './change-person.js';
import { listUsers, type UserFilter } from './user-list.js';
import { createPasswords } from './passwords.js';
import { createUserCreation, type UserCreation } from './user-creation.js';
import { createUserUpdate } from './user-update.js';

/** Persons and service accounts as users of zones. */
export interface UserActions {
  /** @throws AppError FORBIDDEN, NOT_FOUND for the zone, INVALID_PARAMETER */
  list(
    zoneUuid: string | null | undefined,
    filter: UserFilter,
    page: PageRequest,
    principal: Principal,
  ): Promise<Paged<User>>;
  /** @throws AppError NOT_FOUND */
  read(zoneUuid: string, zoneUserUuid: string): Promise<User>;
  readonly create: UserCreation;
  replace(key: UserKey, input: UserInput, principal: Principal, faults: FaultList): Promise<User>;
  patch(key: UserKey, input: UserInput, principal: Principal, faults: FaultList): Promise<User>;
  /** A person whose last membership ends is removed. @throws AppError NOT_FOUND, CONFLICT for the last holder */
  remove(key: UserKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

export const createUserActions = (tools: IdentityTools): UserActions => {
  const { prisma } = tools.database;
  const passwords = createPasswords(tools);
  const update = createUserUpdate(tools, passwords);

  return {
    list: async (zoneUuid, filter, page, principal) =>
      listUsers(prisma, await readableZones(prisma, principal, 'users', zoneUuid), filter, page),
    read: (zoneUuid, zoneUserUuid) => requireUser(prisma, zoneUuid, zoneUserUuid),
    create: createUserCreation(tools, passwords),
    replace: (key, input, principal, faults) => update(key, input, principal, 'PUT', faults),
    patch: (key, input, principal, faults) => update(key, input, principal, 'PATCH', faults),
    remove: ({ zoneUuid, zoneUserUuid }, changeVersion, principal) =>
      changeZone(tools, zoneUuid, principal, async (tx) => {
        const user = await requireUser(tx, zoneUuid, zoneUserUuid);
        requireNotStale(changeVersion, user.changeVersion);
        await lockPerson(tx, user.userUuid);
        await removePermissionsOf(tx, zoneUserUuid, principal);
        await tx.zoneUser.delete({ where: { uuid: zoneUserUuid }, select: { uuid: true } });
        await logIdentity(tx, principal, 'DELETE', 'User', user);
        await removePersonWithoutZone(tx, user, principal, tools.forgetPerson);
      }),
  };
};
