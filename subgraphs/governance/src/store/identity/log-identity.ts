import type { Principal } from '@fds/auth';
import { logChangeList, type Change, type PrismaTransaction } from '@fds/database';

type IdentityType = 'User' | 'Group' | 'Role' | 'Permission';

const collections: Readonly<Record<IdentityType, string>> = {
  User: 'users',
  Group: 'groups',
  Role: 'roles',
  Permission: 'permissions',
};

interface Logged {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
}

type LoggedAction = Change['action'];

/** Logs changes of users, groups, roles or permissions in their transaction, under the caller: one statement for all. */
export const logIdentities = (
  tx: PrismaTransaction,
  { uuid: actorUuid }: Principal,
  action: LoggedAction,
  resourceType: IdentityType,
  resources: readonly Logged[],
): Promise<void> =>
  logChangeList(
    tx,
    resources.map((resource) => ({
      action,
      resourceType,
      resource: `/zones/${resource.zoneUuid}/${collections[resourceType]}/${resource.uuid}`,
      resourceUuid: resource.uuid,
      zoneUuid: resource.zoneUuid,
      actorUuid,
      data: {
        ...resource,
        dateCreated: resource.dateCreated.getTime(),
        lastUpdated: resource.lastUpdated.getTime(),
      },
    })),
  );

/** Likewise of one. */
export const logIdentity = (
  tx: PrismaTransaction,
  principal: Principal,
  action: LoggedAction,
  resourceType: IdentityType,
  resource: Logged,
): Promise<void> => logIdentities(tx, principal, action, resourceType, [resource]);
