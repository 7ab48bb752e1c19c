import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const permission = `
  fragment Permission on Permission {
    uuid zoneUuid type action resource holderType holderUuid dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Permissions' } as const;
const body = { kind: 'object', variable: 'input' } as const;
const collectionPath = '/zones/{zoneUuid}/permissions';
const path = `${collectionPath}/{permissionUuid}`;

/** Permissions that users, groups and roles of a zone hold. */
export const permissionRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listPermissions',
    summary: 'List the permissions held in a zone',
    query: {
      paged: true,
      sort: ['resource', 'action', 'holderType', 'dateCreated', 'lastUpdated'],
      filters: {
        action: 'action',
        resource: 'resource',
        'holder-type': 'holderType',
        'holder-uuid': 'holderUuid',
      },
    },
    collection: 'permissions',
    status: 200,
    document: `
      query listPermissions(
        $zoneUuid: Uuid!, $action: GrantedAction, $resource: String, $holderType: HolderType, $holderUuid: Uuid,
        $page: Int, $size: Int, $sort: String
      ) {
        result: permissions(
          zoneUuid: $zoneUuid, action: $action, resource: $resource, holderType: $holderType, holderUuid: $holderUuid,
          page: $page, size: $size, sort: $sort
        ) { data { ...Permission } ${pageFields} }
      } ${permission}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createPermission',
    summary: 'Grant a user, group or role of the zone what the caller holds',
    body,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createPermission($zoneUuid: Uuid!, $input: PermissionInput!) {
        result: createPermission(zoneUuid: $zoneUuid, input: $input) { ...Permission }
      } ${permission}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getPermission',
    versioned: 'wholly',
    summary: 'Read a permission',
    status: 200,
    document: `
      query getPermission($zoneUuid: Uuid!, $permissionUuid: Uuid!) {
        result: permission(zoneUuid: $zoneUuid, permissionUuid: $permissionUuid) { ...Permission }
      } ${permission}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replacePermission',
    summary: 'Replace a permission',
    body,
    status: 200,
    document: `
      mutation replacePermission($zoneUuid: Uuid!, $permissionUuid: Uuid!, $input: PermissionInput!) {
        result: replacePermission(zoneUuid: $zoneUuid, permissionUuid: $permissionUuid, input: $input) { ...Permission }
      } ${permission}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchPermission',
    summary: 'Change members of a permission',
    body,
    status: 200,
    document: `
      mutation patchPermission($zoneUuid: Uuid!, $permissionUuid: Uuid!, $input: PermissionInput!) {
        result: patchPermission(zoneUuid: $zoneUuid, permissionUuid: $permissionUuid, input: $input) { ...Permission }
      } ${permission}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deletePermission',
    summary: 'Take a permission back',
    status: 204,
    document: `
      mutation deletePermission($zoneUuid: Uuid!, $permissionUuid: Uuid!, $changeVersion: Long) {
        result: deletePermission(zoneUuid: $zoneUuid, permissionUuid: $permissionUuid, changeVersion: $changeVersion)
      }`,
  },
];
