import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { UserInput, UserKey } from '../domain/identity/user.js';
import type { UserFilter } from '../actions/identity/users/user-list.js';
import type { UserActions } from '../actions/identity/users/user-actions.js';

interface ListArguments extends UserFilter {
  readonly zoneUuid?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

interface ZoneArguments {
  readonly zoneUuid: string;
}

type WriteArguments = UserKey & { readonly input: UserInput };

const all = '/zones/{zoneUuid}/users';
const one = `${all}/{zoneUserUuid}`;

export const userResolvers = (actions: UserActions) => ({
  Query: {
    users: guarded<ListArguments>({ mode: 'filter', action: 'GET', resource: all }, (args, { principal }) =>
      actions.list(args.zoneUuid, args, requirePage(args), principal),
    ),
    user: guarded<UserKey>({ mode: 'require', action: 'GET', resource: one }, ({ zoneUuid, zoneUserUuid }) =>
      actions.read(zoneUuid, zoneUserUuid),
    ),
  },
  Mutation: {
    createUser: guarded<ZoneArguments & { readonly input: UserInput }>(
      { mode: 'require', action: 'POST', resource: all },
      ({ zoneUuid, input }, { principal, purpose }) =>
        actions.create(zoneUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceUser: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.replace(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchUser: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ input, ...key }, { principal, purpose }) => actions.patch(key, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteUser: guarded<UserKey & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ changeVersion, ...key }, { principal }) => {
        await actions.remove(key, changeVersion, principal);
        return true;
      },
    ),
  },
});
