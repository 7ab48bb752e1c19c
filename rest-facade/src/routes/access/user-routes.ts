import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

/** The members of a user in every answer. */
export const userFragment = `
  fragment User on User {
    uuid userUuid zoneUuid ssoId username name email serviceAccount defaultZone active roleUuids groupUuids
    dateCreated lastUpdated changeVersion
  }`;

/** The sort keys of lists of users. */
export const userSort = ['username', 'name', 'email', 'active', 'dateCreated', 'lastUpdated'] as const;

const common = { kind: 'graphql', tag: 'Users, groups, roles' } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collectionPath = '/zones/{zoneUuid}/users';
const path = `${collectionPath}/{zoneUserUuid}`;

/** People and service accounts as users of a zone. */
export const userRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listUsers',
    summary: 'List the users of a zone',
    query: {
      paged: true,
      sort: userSort,
      filters: {
        'user-uuid': 'userUuid',
        username: 'username',
        name: 'name',
        email: 'email',
        'sso-id': 'ssoId',
        active: 'active',
        'service-account': 'serviceAccount',
        'role-uuid': 'roleUuid',
        'group-uuid': 'groupUuid',
      },
    },
    collection: 'users',
    status: 200,
    document: `
      query listUsers(
        $zoneUuid: Uuid!, $userUuid: Uuid, $username: String, $name: String, $email: String, $ssoId: String,
        $active: Boolean, $serviceAccount: Boolean, $roleUuid: Uuid, $groupUuid: Uuid,
        $page: Int, $size: Int, $sort: String
      ) {
        result: users(
          zoneUuid: $zoneUuid, userUuid: $userUuid, username: $username, name: $name, email: $email, ssoId: $ssoId,
          active: $active, serviceAccount: $serviceAccount, roleUuid: $roleUuid, groupUuid: $groupUuid,
          page: $page, size: $size, sort: $sort
        ) { data { ...User } ${pageFields} }
      } ${userFragment}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createUser',
    showsSecrets: true,
    summary:
      'Add a known person to a zone, or create a person or service account; only this answer contains its credentials',
    body,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createUser($zoneUuid: Uuid!, $input: UserInput!) {
        result: createUser(zoneUuid: $zoneUuid, input: $input) { _spread: user { ...User } clientId clientSecret }
      } ${userFragment}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getUser',
    versioned: 'wholly',
    summary: 'Read a user of a zone',
    status: 200,
    document: `
      query getUser($zoneUuid: Uuid!, $zoneUserUuid: Uuid!) {
        result: user(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid) { ...User }
      } ${userFragment}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceUser',
    summary:
      'Replace a user: a member that the body omits becomes null, but active, defaultZone, password, roles and groups stay',
    body,
    status: 200,
    document: `
      mutation replaceUser($zoneUuid: Uuid!, $zoneUserUuid: Uuid!, $input: UserInput!) {
        result: replaceUser(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid, input: $input) { ...User }
      } ${userFragment}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchUser',
    summary: 'Change members of a user',
    body,
    status: 200,
    document: `
      mutation patchUser($zoneUuid: Uuid!, $zoneUserUuid: Uuid!, $input: UserInput!) {
        result: patchUser(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid, input: $input) { ...User }
      } ${userFragment}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteUser',
    summary: 'End a membership; a person whose last one ends is removed',
    status: 204,
    document: `
      mutation deleteUser($zoneUuid: Uuid!, $zoneUserUuid: Uuid!, $changeVersion: Long) {
        result: deleteUser(zoneUuid: $zoneUuid, zoneUserUuid: $zoneUserUuid, changeVersion: $changeVersion)
      }`,
  },
];
