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
}

/** The person or adaptor that causes a change. `uuid` undefined: the server. */
interface Actor {
  readonly uuid?: string | undefined;
}

type LoggedAction = Change['action'];

/** Logs changes of users, groups, roles or permissions in their transaction, under the actor: one statement for all. */
export const logIdentities = (
  tx: PrismaTransaction,
  { uuid: actorUuid }: Actor,
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
      ...(actorUuid === undefined ? {} : { actorUuid }),
      data: resource,
    })),
  );

/** Likewise of one. */
export const logIdentity = (
  tx: PrismaTransaction,
  actor: Actor,
  action: LoggedAction,
  resourceType: IdentityType,
  resource: Logged,
): Promise<void> => logIdentities(tx, actor, action, resourceType, [resource]);
