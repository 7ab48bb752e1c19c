import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const acl = `
  fragment Acl on OperationalAcl {
    uuid position name sourceZoneUuid sourceAdaptorUuid domainVersionUuid post delete active dateCreated lastUpdated
    changeVersion
  }`;

const saved = `${acl}
  fragment Saved on OperationalAcl { ...Acl warnings { code detail maskedBy } }`;

const common = { kind: 'graphql', tag: 'Governance' } as const;
const collectionPath = '/operational-acls/entries';
const path = `${collectionPath}/{operationalAclUuid}`;

/** Entries of the operational chain. */
export const operationalAclRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listOperationalAcls',
    summary: 'List the operational chain, front first unless sorted',
    query: {
      paged: true,
      sort: ['position', 'name', 'active', 'dateCreated', 'lastUpdated'],
      filters: {
        name: 'name',
        'source-zone': 'sourceZoneUuid',
        'source-adaptor': 'sourceAdaptorUuid',
        'domain-version': 'domainVersionUuid',
        active: 'active',
      },
    },
    collection: 'operationalAcls',
    status: 200,
    document: `
      query listOperationalAcls(
        $name: String, $sourceZoneUuid: Uuid, $sourceAdaptorUuid: Uuid, $domainVersionUuid: Uuid, $active: Boolean,
        $page: Int, $size: Int, $sort: String
      ) {
        result: operationalAcls(
          name: $name, sourceZoneUuid: $sourceZoneUuid, sourceAdaptorUuid: $sourceAdaptorUuid,
          domainVersionUuid: $domainVersionUuid, active: $active, page: $page, size: $size, sort: $sort
        ) { data { ...Acl } ${pageFields} }
      } ${acl}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createOperationalAcls',
    summary: 'Add one or more entries to the operational chain, at its front by default',
    query: { parameters: { append: 'append', position: 'position', strict: 'strict' } },
    body: { kind: 'oneOrMany', variable: 'inputs' },
    schemaNames: { OperationalAcl: 'SavedOperationalAcl' },
    collection: 'operationalAcls',
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createOperationalAcls(
        $inputs: [OperationalAclInput!]!, $append: Boolean, $position: Int, $strict: Boolean
      ) {
        result: createOperationalAcls(inputs: $inputs, append: $append, position: $position, strict: $strict) { ...Saved }
      } ${saved}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getOperationalAcl',
    summary: 'Read an entry of the operational chain',
    status: 200,
    document: `
      query getOperationalAcl($operationalAclUuid: Uuid!) {
        result: operationalAcl(operationalAclUuid: $operationalAclUuid) { ...Acl }
      } ${acl}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceOperationalAcl',
    summary: 'Replace an entry of the operational chain: null means any; position moves it',
    query: { parameters: { strict: 'strict' } },
    body: { kind: 'object', variable: 'input' },
    schemaNames: { OperationalAcl: 'SavedOperationalAcl' },
    status: 200,
    document: `
      mutation replaceOperationalAcl($operationalAclUuid: Uuid!, $input: OperationalAclChange!, $strict: Boolean) {
        result: replaceOperationalAcl(operationalAclUuid: $operationalAclUuid, input: $input, strict: $strict) { ...Saved }
      } ${saved}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchOperationalAcl',
    summary: 'Change the values of an entry of the operational chain that are not null; position moves it',
    query: { parameters: { strict: 'strict' } },
    body: { kind: 'object', variable: 'input' },
    schemaNames: { OperationalAcl: 'SavedOperationalAcl' },
    status: 200,
    document: `
      mutation patchOperationalAcl($operationalAclUuid: Uuid!, $input: OperationalAclChange!, $strict: Boolean) {
        result: patchOperationalAcl(operationalAclUuid: $operationalAclUuid, input: $input, strict: $strict) { ...Saved }
      } ${saved}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteOperationalAcl',
    summary: 'Remove an entry of the operational chain',
    status: 204,
    document: `
      mutation deleteOperationalAcl($operationalAclUuid: Uuid!, $changeVersion: Long) {
        result: deleteOperationalAcl(operationalAclUuid: $operationalAclUuid, changeVersion: $changeVersion)
      }`,
  },
  {
    ...common,
    method: 'POST',
    path: '/operational-acls/check',
    operationId: 'checkOperationalAcl',
    summary:
      'Check whether entries of the operational chain would mask the one in the body; set append if it comes last',
    query: { parameters: { append: 'append', position: 'position' } },
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      query checkOperationalAcl($input: OperationalAclInput!, $append: Boolean, $position: Int) {
        result: operationalAclCheck(input: $input, append: $append, position: $position) {
          masked maskedBy { ...Acl } position
        }
      } ${acl}`,
  },
];
