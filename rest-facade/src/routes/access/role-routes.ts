import type { GraphqlRoute } from '../../route.js';
import { memberRoutes } from './member-routes.js';
import { pageFields } from '../page-fields.js';

const role = `
  fragment Role on Role {
    uuid zoneUuid name description managed
    permissions { uuid type action resource }
    dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Users, groups, roles', schemaNames: { Permission: 'RolePermission' } } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collectionPath = '/zones/{zoneUuid}/roles';
const path = `${collectionPath}/{roleUuid}`;

/** Roles of a zone, with their permissions. */
export const roleRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listRoles',
    summary: 'List the roles of a zone',
    query: {
      paged: true,
      sort: ['name', 'managed', 'dateCreated', 'lastUpdated'],
      filters: { name: 'name', managed: 'managed' },
    },
    collection: 'roles',
    status: 200,
    document: `
      query listRoles($zoneUuid: Uuid!, $name: String, $managed: Boolean, $page: Int, $size: Int, $sort: String) {
        result: roles(zoneUuid: $zoneUuid, name: $name, managed: $managed, page: $page, size: $size, sort: $sort) {
          data { ...Role } ${pageFields}
        }
      } ${role}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createRole',
    summary: 'Create a role, with its permissions',
    body,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createRole($zoneUuid: Uuid!, $input: RoleInput!) {
        result: createRole(zoneUuid: $zoneUuid, input: $input) { ...Role }
      } ${role}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getRole',
    summary: 'Read a role with its permissions',
    status: 200,
    document: `
      query getRole($zoneUuid: Uuid!, $roleUuid: Uuid!) {
        result: role(zoneUuid: $zoneUuid, roleUuid: $roleUuid) { ...Role }
      } ${role}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceRole',
    summary: 'Replace a role: a member that the body omits becomes null, but permissions stay',
    body,
    status: 200,
    document: `
      mutation replaceRole($zoneUuid: Uuid!, $roleUuid: Uuid!, $input: RoleInput!) {
        result: replaceRole(zoneUuid: $zoneUuid, roleUuid: $roleUuid, input: $input) { ...Role }
      } ${role}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchRole',
    summary: 'Change name, description or permissions of a role',
    body,
    status: 200,
    document: `
      mutation patchRole($zoneUuid: Uuid!, $roleUuid: Uuid!, $input: RoleInput!) {
        result: patchRole(zoneUuid: $zoneUuid, roleUuid: $roleUuid, input: $input) { ...Role }
      } ${role}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteRole',
    summary: 'Remove a role that is not managed, with its permissions',
    status: 204,
    document: `
      mutation deleteRole($zoneUuid: Uuid!, $roleUuid: Uuid!, $changeVersion: Long) {
        result: deleteRole(zoneUuid: $zoneUuid, roleUuid: $roleUuid, changeVersion: $changeVersion)
      }`,
  },
  ...memberRoutes({ kind: 'role', type: 'Role' }),
];
