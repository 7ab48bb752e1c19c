import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';
import { userFragment, userSort } from './user-routes.js';

/** Groups or roles, which users can join. */
interface Joined {
  readonly kind: 'group' | 'role';
  readonly type: 'Group' | 'Role';
}

/** The members of a group or role. */
export const memberRoutes = ({ kind, type }: Joined): readonly GraphqlRoute[] => {
  const common = { kind: 'graphql', tag: 'Users, groups, roles' } as const;
  const uuid = `${kind}Uuid`;
  const path = `/zones/{zoneUuid}/${kind}s/{${uuid}}/users`;
  const key = `zoneUuid: $zoneUuid, ${uuid}: $${uuid}`;
  return [
    {
      ...common,
      method: 'GET',
      path,
      operationId: `list${type}Users`,
      summary: `List the members of a ${kind}`,
      query: { paged: true, sort: userSort },
      collection: 'users',
      status: 200,
      document: `
        query list${type}Users($zoneUuid: Uuid!, $${uuid}: Uuid!, $page: Int, $size: Int, $sort: String) {
          result: ${kind}Users(${key}, page: $page, size: $size, sort: $sort) { data { ...User } ${pageFields} }
        } ${userFragment}`,
    },
    {
      ...common,
      method: 'POST',
      path,
      operationId: `replace${type}Users`,
      summary: `Make these users the members of a ${kind}: a list of their uuids in the zone`,
      body: { kind: 'list', variable: 'zoneUserUuids', wrapper: 'users' },
      collection: 'users',
      status: 201,
      location: path,
      document: `
        mutation replace${type}Users($zoneUuid: Uuid!, $${uuid}: Uuid!, $zoneUserUuids: [Uuid!]!) {
          result: replace${type}Users(${key}, zoneUserUuids: $zoneUserUuids) { data { ...User } ${pageFields} }
        } ${userFragment}`,
    },
    {
      ...common,
      method: 'DELETE',
      path: `${path}/{zoneUserUuid}`,
      operationId: `remove${type}User`,
      summary: `Take a user out of a ${kind}`,
      status: 204,
      document: `
        mutation remove${type}User($zoneUuid: Uuid!, $${uuid}: Uuid!, $zoneUserUuid: Uuid!) {
          result: remove${type}User(${key}, zoneUserUuid: $zoneUserUuid)
        }`,
    },
  ];
};
