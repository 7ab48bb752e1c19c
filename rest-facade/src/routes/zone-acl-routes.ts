import type { GraphqlRoute } from '../route.js';
import { pageFields } from './page-fields.js';

const acl = `
  fragment Acl on ZoneAcl {
    uuid zoneUuid position name sourceZoneUuid sourceAdaptorUuid destinationZoneUuid destinationAdaptorUuid
    domainVersionUuid properties get post put delete active dateCreated lastUpdated changeVersion
  }`;

/** The two chains of a zone differ in nothing but their names. */
interface Chain {
  readonly direction: 'inbound' | 'outbound';
  readonly type: 'InboundAcl' | 'OutboundAcl';
}

const chainRoutes = ({ direction, type }: Chain): readonly GraphqlRoute[] => {
  const common = { kind: 'graphql', tag: 'Governance' } as const;
  const collection = `${direction}Acls`;
  const uuid = `${direction}AclUuid`;
  const collectionPath = `/zones/{zoneUuid}/${direction}-acls`;
  const path = `${collectionPath}/{${uuid}}`;
  return [
    {
      ...common,
      method: 'GET',
      path: collectionPath,
      operationId: `list${type}s`,
      summary: `List the ${direction} chain of a zone, front first unless sorted`,
      query: { paged: true, sort: ['position', 'name', 'active', 'dateCreated', 'lastUpdated'] },
      collection,
      status: 200,
      document: `
        query list${type}s($zoneUuid: Uuid!, $page: Int, $size: Int, $sort: String) {
          result: ${collection}(zoneUuid: $zoneUuid, page: $page, size: $size, sort: $sort) {
            data { ...Acl } ${pageFields}
          }
        } ${acl}`,
    },
    {
      ...common,
      method: 'POST',
      path: collectionPath,
      operationId: `create${type}s`,
      summary: `Add one or more entries to the ${direction} chain, at its front unless told otherwise`,
      query: { parameters: { append: 'append', position: 'position' } },
      body: { kind: 'oneOrMany', variable: 'inputs' },
      collection,
      status: 201,
      location: `${collectionPath}/{uuid}`,
      document: `
        mutation create${type}s($zoneUuid: Uuid!, $inputs: [ZoneAclInput!]!, $append: Boolean, $position: Int) {
          result: create${type}s(zoneUuid: $zoneUuid, inputs: $inputs, append: $append, position: $position) {
            ...Acl
          }
        } ${acl}`,
    },
    {
      ...common,
      method: 'GET',
      path,
      operationId: `get${type}`,
      summary: `Read an entry of the ${direction} chain`,
      status: 200,
      document: `
        query get${type}($zoneUuid: Uuid!, $${uuid}: Uuid!) {
          result: ${direction}Acl(zoneUuid: $zoneUuid, ${uuid}: $${uuid}) { ...Acl }
        } ${acl}`,
    },
    {
      ...common,
      method: 'DELETE',
      path,
      operationId: `delete${type}`,
      summary: `Remove an entry of the ${direction} chain`,
      status: 204,
      document: `
        mutation delete${type}($zoneUuid: Uuid!, $${uuid}: Uuid!, $changeVersion: Long) {
          result: delete${type}(zoneUuid: $zoneUuid, ${uuid}: $${uuid}, changeVersion: $changeVersion)
        }`,
    },
  ];
};

/** Entries of a zone's inbound and outbound chains. */
export const zoneAclRoutes: readonly GraphqlRoute[] = [
  ...chainRoutes({ direction: 'inbound', type: 'InboundAcl' }),
  ...chainRoutes({ direction: 'outbound', type: 'OutboundAcl' }),
];
