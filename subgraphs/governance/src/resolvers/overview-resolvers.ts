import { guarded } from '@fds/graphql';
import type { ResourceActions } from '../domain/identity/resource-actions.js';
import type { PermissionOverviews } from '../actions/identity/permissions/permission-overview.js';

interface UserArguments {
  readonly zoneUuid: string;
  readonly zoneUserUuid: string;
}

interface ResourcesArguments {
  readonly resources: readonly ResourceActions[];
}

const user = '/zones/{zoneUuid}/users/{zoneUserUuid}';

/** Resolvers for permissions of the caller and of other users. */
export const overviewResolvers = (overviews: PermissionOverviews) => ({
  Query: {
    callerPermissions: guarded({ mode: 'require', action: 'GET', resource: '/permissions' }, (_args, { principal }) =>
      overviews.ofCaller(principal),
    ),
    personPermissions: guarded<{ readonly user: string }>(
      { mode: 'require', action: 'GET', resource: '/permissions/{user}' },
      (args) => overviews.ofPerson(args.user),
    ),
    userPermissions: guarded<UserArguments>(
      { mode: 'require', action: 'GET', resource: `${user}/permissions` },
      ({ zoneUuid, zoneUserUuid }) => overviews.ofUser(zoneUuid, zoneUserUuid),
    ),
    resourcePermissions: guarded<UserArguments & ResourcesArguments>(
      { mode: 'require', action: 'GET', resource: `${user}/resource-permissions` },
      ({ zoneUuid, zoneUserUuid, resources }) => overviews.onResources(zoneUuid, zoneUserUuid, resources),
    ),
    usableResources: guarded<ResourcesArguments>(
      { mode: 'require', action: 'GET', resource: '/resources' },
      async ({ resources }, { principal }) => ({ resources: await overviews.usable(principal, resources) }),
    ),
  },
});
