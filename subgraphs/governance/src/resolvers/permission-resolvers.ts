import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/resource-rules';
import type { PermissionInput } from '../domain/identity/permission.js';
import type {
  PermissionFilter,
  PermissionKey,
  PermissionStore,
} from '../store/identity/permissions/permission-store.js';

interface ListArguments extends PermissionFilter {
  readonly zoneUuid?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

type WriteArguments = PermissionKey & { readonly input: PermissionInput };

const all = '/zones/{zoneUuid}/permissions';
const one = `${all}/{permissionUuid}`;

export const permissionResolvers = (store: PermissionStore) => ({
  Query: {
    permissions: guarded<ListArguments>({ mode: 'filter', action: 'GET', resource: all }, (args, { principal }) =>
      store.list(args.zoneUuid, args, requirePage(args), principal),
    ),
    permission: guarded<PermissionKey>({ mode: 'require', action: 'GET', resource: one }, (key) => store.read(key)),
  },
  Mutation: {
    createPermission: guarded<{ readonly zoneUuid: string; readonly input: PermissionInput }>(
      { mode: 'require', action: 'POST', resource: all },
      ({ zoneUuid, input }, { principal, purpose }) => store.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replacePermission: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => store.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchPermission: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => store.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deletePermission: guarded<PermissionKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await store.remove(key, changeVersion, principal);
        return true;
      },
    ),
  },
});
