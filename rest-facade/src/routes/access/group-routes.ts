import type { GraphqlRoute } from '../../route.js';
import { memberRoutes } from './member-routes.js';
import { pageFields } from '../page-fields.js';

const group = `
  fragment Group on Group { uuid zoneUuid name description roleUuids dateCreated lastUpdated changeVersion }`;

const common = { kind: 'graphql', tag: 'Users, groups, roles' } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collectionPath = '/zones/{zoneUuid}/groups';
const path = `${collectionPath}/{groupUuid}`;

/** Groups of a zone's users. */
export const groupRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listGroups',
    summary: 'List the groups of a zone',
    query: {
      paged: true,
      sort: ['name', 'dateCreated', 'lastUpdated'],
      filters: { name: 'name', 'role-uuid': 'roleUuid', 'user-uuid': 'zoneUserUuid' },
    },
    collection: 'groups',
    status: 200,
    document: `
      query listGroups(
        $zoneUuid: Uuid!, $name: String, $roleUuid: Uuid, $zoneUserUuid: Uuid, $page: Int, $size: Int, $sort: String
      ) {
        result: groups(
          zoneUuid: $zoneUuid, name: $name, roleUuid: $roleUuid, zoneUserUuid: $zoneUserUuid,
          page: $page, size: $size, sort: $sort
        ) { data { ...Group } ${pageFields} }
      } ${group}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createGroup',
    summary: 'Create a group',
    body,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createGroup($zoneUuid: Uuid!, $input: GroupInput!) {
        result: createGroup(zoneUuid: $zoneUuid, input: $input) { ...Group }
      } ${group}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getGroup',
    summary: 'Read a group',
    status: 200,
    document: `
      query getGroup($zoneUuid: Uuid!, $groupUuid: Uuid!) {
        result: group(zoneUuid: $zoneUuid, groupUuid: $groupUuid) { ...Group }
      } ${group}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceGroup',
    summary: 'Replace a group: a member that the body omits becomes null, but roles stay',
    body,
    status: 200,
    document: `
      mutation replaceGroup($zoneUuid: Uuid!, $groupUuid: Uuid!, $input: GroupInput!) {
        result: replaceGroup(zoneUuid: $zoneUuid, groupUuid: $groupUuid, input: $input) { ...Group }
      } ${group}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchGroup',
    summary: 'Change name, description or roles of a group',
    body,
    status: 200,
    document: `
      mutation patchGroup($zoneUuid: Uuid!, $groupUuid: Uuid!, $input: GroupInput!) {
        result: patchGroup(zoneUuid: $zoneUuid, groupUuid: $groupUuid, input: $input) { ...Group }
      } ${group}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteGroup',
    summary: 'Remove a group with its permissions',
    status: 204,
    document: `
      mutation deleteGroup($zoneUuid: Uuid!, $groupUuid: Uuid!, $changeVersion: Long) {
        result: deleteGroup(zoneUuid: $zoneUuid, groupUuid: $groupUuid, changeVersion: $changeVersion)
      }`,
  },
  ...memberRoutes({ kind: 'group', type: 'Group' }),
];
