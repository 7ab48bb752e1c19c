import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { PermissionInput } from '../domain/identity/permission.js';
import type {
  PermissionFilter,
  PermissionKey,
  PermissionActions,
} from '../actions/identity/permissions/permission-actions.js';

interface ListArguments extends PermissionFilter {
  readonly zoneUuid?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

type WriteArguments = PermissionKey & { readonly input: PermissionInput };

const all = '/zones/{zoneUuid}/permissions';
const one = `${all}/{permissionUuid}`;

export const permissionResolvers = (actions: PermissionActions) => ({
  Query: {
    permissions: guarded<ListArguments>({ mode: 'filter', action: 'GET', resource: all }, (args, { principal }) =>
      actions.list(args.zoneUuid, args, requirePage(args), principal),
    ),
    permission: guarded<PermissionKey>({ mode: 'require', action: 'GET', resource: one }, (key) => actions.read(key)),
  },
  Mutation: {
    createPermission: guarded<{ readonly zoneUuid: string; readonly input: PermissionInput }>(
      { mode: 'require', action: 'POST', resource: all },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replacePermission: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchPermission: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deletePermission: guarded<PermissionKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await actions.remove(key, changeVersion, principal);
        return true;
      },
    ),
  },
});
