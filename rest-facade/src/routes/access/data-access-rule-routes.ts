import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const rule = `
  fragment Rule on DataAccessRule {
    uuid position effect actions zoneUuid adaptorUuid domainUuid domainVersionUuid properties drUuids
    dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Users, groups, roles' } as const;
const collection = 'dataAccessRules';
const collectionPath = '/zones/{zoneUuid}/roles/{roleUuid}/data-access-rules';
const path = `${collectionPath}/{ruleUuid}`;
const ofRole = '$zoneUuid: Uuid!, $roleUuid: Uuid!';
const role = 'zoneUuid: $zoneUuid, roleUuid: $roleUuid';

/** The data access rules of a role. */
export const dataAccessRuleRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: collectionPath,
    operationId: 'listDataAccessRules',
    summary: 'List the data access rules of a role in their order',
    query: { paged: true },
    collection,
    status: 200,
    document: `
      query listDataAccessRules(${ofRole}, $page: Int, $size: Int) {
        result: dataAccessRules(${role}, page: $page, size: $size) { data { ...Rule } ${pageFields} }
      } ${rule}`,
  },
  {
    ...common,
    method: 'POST',
    path: collectionPath,
    operationId: 'createDataAccessRules',
    summary: 'Add one or more data access rules to a role, at the end',
    body: { kind: 'oneOrMany', variable: 'inputs' },
    collection,
    status: 201,
    location: `${collectionPath}/{uuid}`,
    document: `
      mutation createDataAccessRules(${ofRole}, $inputs: [DataAccessRuleInput!]!) {
        result: createDataAccessRules(${role}, inputs: $inputs) { ...Rule }
      } ${rule}`,
  },
  {
    ...common,
    method: 'PUT',
    path: collectionPath,
    operationId: 'replaceDataAccessRules',
    summary: 'Replace all data access rules of a role',
    body: { kind: 'list', variable: 'inputs', wrapper: collection },
    collection,
    status: 200,
    document: `
      mutation replaceDataAccessRules(${ofRole}, $inputs: [DataAccessRuleInput!]!) {
        result: replaceDataAccessRules(${role}, inputs: $inputs) { data { ...Rule } ${pageFields} }
      } ${rule}`,
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'getDataAccessRule',
    summary: 'Read a data access rule of a role',
    status: 200,
    document: `
      query getDataAccessRule(${ofRole}, $ruleUuid: Uuid!) {
        result: dataAccessRule(${role}, ruleUuid: $ruleUuid) { ...Rule }
      } ${rule}`,
  },
  {
    ...common,
    method: 'PUT',
    path,
    operationId: 'replaceDataAccessRule',
    summary: 'Replace a data access rule: a member that the body omits becomes null, that is any',
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      mutation replaceDataAccessRule(${ofRole}, $ruleUuid: Uuid!, $input: DataAccessRuleInput!) {
        result: replaceDataAccessRule(${role}, ruleUuid: $ruleUuid, input: $input) { ...Rule }
      } ${rule}`,
  },
  {
    ...common,
    method: 'PATCH',
    path,
    operationId: 'patchDataAccessRule',
    summary: 'Change or move a data access rule; null means any',
    body: { kind: 'object', variable: 'input' },
    status: 200,
    document: `
      mutation patchDataAccessRule(${ofRole}, $ruleUuid: Uuid!, $input: DataAccessRuleInput!) {
        result: patchDataAccessRule(${role}, ruleUuid: $ruleUuid, input: $input) { ...Rule }
      } ${rule}`,
  },
  {
    ...common,
    method: 'DELETE',
    path,
    operationId: 'deleteDataAccessRule',
    summary: 'Remove a data access rule of a role',
    status: 204,
    document: `
      mutation deleteDataAccessRule(${ofRole}, $ruleUuid: Uuid!, $changeVersion: Long) {
        result: deleteDataAccessRule(${role}, ruleUuid: $ruleUuid, changeVersion: $changeVersion)
      }`,
  },
];
