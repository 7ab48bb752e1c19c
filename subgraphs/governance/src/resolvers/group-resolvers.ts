import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { GroupInput } from '../domain/identity/group.js';
import type { GroupActions, GroupFilter, GroupKey } from '../actions/identity/groups/group-actions.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

type ListArguments = GroupFilter & PageArguments & { readonly zoneUuid?: string | null };
type MemberArguments = GroupKey & PageArguments & { readonly sort?: string | null };
type WriteArguments = GroupKey & { readonly input: GroupInput };

const all = '/zones/{zoneUuid}/groups';
const one = `${all}/{groupUuid}`;
const members = `${one}/users`;

export const groupResolvers = (actions: GroupActions) => ({
  Query: {
    groups: guarded<ListArguments>({ mode: 'filter', action: 'GET', resource: all }, (args, { principal }) =>
      actions.list(args.zoneUuid, args, requirePage(args), principal),
    ),
    group: guarded<GroupKey>({ mode: 'require', action: 'GET', resource: one }, (key) => actions.read(key)),
    groupUsers: guarded<MemberArguments>(
      { mode: 'require', action: 'GET', resource: members },
      ({ sort, page, size, ...key }) => actions.users(key, sort, requirePage({ page, size })),
    ),
  },
  Mutation: {
    createGroup: guarded<{ readonly zoneUuid: string; readonly input: GroupInput }>(
      { mode: 'require', action: 'POST', resource: all },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceGroup: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchGroup: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteGroup: guarded<GroupKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await actions.remove(key, changeVersion, principal);
        return true;
      },
    ),
    replaceGroupUsers: guarded<GroupKey & { readonly zoneUserUuids: readonly string[] }>(
      { mode: 'require', action: 'POST', resource: members },
      ({ zoneUserUuids, ...key }, { principal, purpose }) =>
        actions.replaceUsers(key, zoneUserUuids, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    removeGroupUser: guarded<GroupKey & { readonly zoneUserUuid: string }>(
      { mode: 'require', action: 'DELETE', resource: `${members}/{zoneUserUuid}` },
      async ({ zoneUserUuid, ...key }, { principal }) => {
        await actions.removeUser(key, zoneUserUuid, principal);
        return true;
      },
    ),
  },
});
