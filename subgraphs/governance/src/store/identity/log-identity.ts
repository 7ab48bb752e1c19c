import type { Principal } from '@fds/auth';
import { logChange, type PrismaTransaction } from '@fds/database';

type IdentityType = 'User' | 'Group' | 'Role' | 'Permission';

const collections: Readonly<Record<IdentityType, string>> = {
  User: 'users',
  Group: 'groups',
  Role: 'roles',
  Permission: 'permissions',
};

/** Logs a change of a user, group, role or permission in its transaction, under the caller. */
export const logIdentity = (
  tx: PrismaTransaction,
  { kind, uuid: callerUuid }: Principal,
  action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  resourceType: IdentityType,
  resource: {
    readonly uuid: string;
    readonly zoneUuid: string;
    readonly dateCreated: Date;
    readonly lastUpdated: Date;
  },
): Promise<void> =>
  logChange(tx, {
    action,
    resourceType,
    resource: `/zones/${resource.zoneUuid}/${collections[resourceType]}/${resource.uuid}`,
    resourceUuid: resource.uuid,
    zoneUuid: resource.zoneUuid,
    ...(kind === 'SERVER' ? {} : { actorUuid: callerUuid }),
    data: {
      ...resource,
      dateCreated: resource.dateCreated.getTime(),
      lastUpdated: resource.lastUpdated.getTime(),
    },
  });
