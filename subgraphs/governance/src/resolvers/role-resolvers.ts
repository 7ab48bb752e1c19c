import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { RoleInput } from '../domain/identity/role.js';
import type { RoleFilter, RoleKey, RoleActions } from '../actions/identity/roles/role-actions.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

type ListArguments = RoleFilter & PageArguments & { readonly zoneUuid?: string | null };
type MemberArguments = RoleKey & PageArguments & { readonly sort?: string | null };
type WriteArguments = RoleKey & { readonly input: RoleInput };

const all = '/zones/{zoneUuid}/roles';
const one = `${all}/{roleUuid}`;
const members = `${one}/users`;

export const roleResolvers = (actions: RoleActions) => ({
  Query: {
    roles: guarded<ListArguments>({ mode: 'filter', action: 'GET', resource: all }, (args, { principal }) =>
      actions.list(args.zoneUuid, args, requirePage(args), principal),
    ),
    role: guarded<RoleKey>({ mode: 'require', action: 'GET', resource: one }, (key) => actions.read(key)),
    roleUsers: guarded<MemberArguments>(
      { mode: 'require', action: 'GET', resource: members },
      ({ sort, page, size, ...key }) => actions.users(key, sort, requirePage({ page, size })),
    ),
  },
  Mutation: {
    createRole: guarded<{ readonly zoneUuid: string; readonly input: RoleInput }>(
      { mode: 'require', action: 'POST', resource: all },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceRole: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchRole: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteRole: guarded<RoleKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await actions.remove(key, changeVersion, principal);
        return true;
      },
    ),
    replaceRoleUsers: guarded<RoleKey & { readonly zoneUserUuids: readonly string[] }>(
      { mode: 'require', action: 'POST', resource: members },
      ({ zoneUserUuids, ...key }, { principal, purpose }) =>
        actions.replaceUsers(key, zoneUserUuids, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    removeRoleUser: guarded<RoleKey & { readonly zoneUserUuid: string }>(
      { mode: 'require', action: 'DELETE', resource: `${members}/{zoneUserUuid}` },
      async ({ zoneUserUuid, ...key }, { principal }) => {
        await actions.removeUser(key, zoneUserUuid, principal);
        return true;
      },
    ),
  },
});
