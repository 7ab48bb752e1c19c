import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const acl = `
  fragment Acl on ZoneAcl {
    uuid zoneUuid position name sourceZoneUuid sourceAdaptorUuid destinationZoneUuid destinationAdaptorUuid
    domainVersionUuid properties get post put delete active dateCreated lastUpdated changeVersion
  }`;

const saved = `${acl}
  fragment Saved on ZoneAcl { ...Acl warnings { code detail maskedBy } }`;

const filters = {
  name: 'name',
  'source-zone': 'sourceZoneUuid',
  'source-adaptor': 'sourceAdaptorUuid',
  'destination-zone': 'destinationZoneUuid',
  'destination-adaptor': 'destinationAdaptorUuid',
  'domain-version': 'domainVersionUuid',
  property: 'property',
  'dr-uuid': 'drUuid',
  active: 'active',
} as const;

/** The two chains of a zone differ only in their names. */
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
      query: { paged: true, filters, sort: ['position', 'name', 'active', 'dateCreated', 'lastUpdated'] },
      collection,
      status: 200,
      document: `
        query list${type}s(
          $zoneUuid: Uuid!, $name: String, $sourceZoneUuid: Uuid, $sourceAdaptorUuid: Uuid, $destinationZoneUuid: Uuid,
          $destinationAdaptorUuid: Uuid, $domainVersionUuid: Uuid, $property: String, $drUuid: Uuid, $active: Boolean,
          $page: Int, $size: Int, $sort: String
        ) {
          result: ${collection}(
            zoneUuid: $zoneUuid, name: $name, sourceZoneUuid: $sourceZoneUuid, sourceAdaptorUuid: $sourceAdaptorUuid,
            destinationZoneUuid: $destinationZoneUuid, destinationAdaptorUuid: $destinationAdaptorUuid,
            domainVersionUuid: $domainVersionUuid, property: $property, drUuid: $drUuid, active: $active,
            page: $page, size: $size, sort: $sort
          ) {
            data { ...Acl } ${pageFields}
          }
        } ${acl}`,
    },
    {
      ...common,
      method: 'POST',
      path: collectionPath,
      operationId: `create${type}s`,
      summary: `Add one or more entries to the ${direction} chain, at its front by default`,
      query: { parameters: { append: 'append', position: 'position', strict: 'strict' } },
      body: { kind: 'oneOrMany', variable: 'inputs' },
      schemaNames: { ZoneAcl: 'SavedZoneAcl' },
      collection,
      status: 201,
      location: `${collectionPath}/{uuid}`,
      document: `
        mutation create${type}s($zoneUuid: Uuid!, $inputs: [ZoneAclInput!]!, $append: Boolean, $position: Int, $strict: Boolean) {
          result: create${type}s(
            zoneUuid: $zoneUuid, inputs: $inputs, append: $append, position: $position, strict: $strict
          ) {
            ...Saved
          }
        } ${saved}`,
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
      method: 'PUT',
      path,
      operationId: `replace${type}`,
      summary: `Replace an entry of the ${direction} chain: null means any; position moves it`,
      query: { parameters: { strict: 'strict' } },
      body: { kind: 'object', variable: 'input' },
      schemaNames: { ZoneAcl: 'SavedZoneAcl' },
      status: 200,
      document: `
        mutation replace${type}($zoneUuid: Uuid!, $${uuid}: Uuid!, $input: ZoneAclChange!, $strict: Boolean) {
          result: replace${type}(zoneUuid: $zoneUuid, ${uuid}: $${uuid}, input: $input, strict: $strict) { ...Saved }
        } ${saved}`,
    },
    {
      ...common,
      method: 'PATCH',
      path,
      operationId: `patch${type}`,
      summary: `Change the values that are not null of an entry of the ${direction} chain; position moves it`,
      query: { parameters: { strict: 'strict' } },
      body: { kind: 'object', variable: 'input' },
      schemaNames: { ZoneAcl: 'SavedZoneAcl' },
      status: 200,
      document: `
        mutation patch${type}($zoneUuid: Uuid!, $${uuid}: Uuid!, $input: ZoneAclChange!, $strict: Boolean) {
          result: patch${type}(zoneUuid: $zoneUuid, ${uuid}: $${uuid}, input: $input, strict: $strict) { ...Saved }
        } ${saved}`,
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
    {
      ...common,
      method: 'GET',
      path: `${path}/drs`,
      operationId: `list${type}Records`,
      summary: `List the records that an entry of the ${direction} chain is restricted to; with their data for callers who may GET /drs`,
      query: { paged: true, search: true, filters: { 'adaptor-uuid': 'adaptorUuid' } },
      collection: 'drs',
      status: 200,
      document: `
        query list${type}Records(
          $zoneUuid: Uuid!, $${uuid}: Uuid!, $adaptorUuid: Uuid, $query: String, $page: Int, $size: Int
        ) {
          result: ${direction}AclRecords(
            zoneUuid: $zoneUuid, ${uuid}: $${uuid}, adaptorUuid: $adaptorUuid, query: $query, page: $page, size: $size
          ) {
            data { uuid _spread: record { adaptorUuid domainVersionUuid createdByUuid dateCreated drKey json } }
            ${pageFields}
          }
        }`,
    },
    {
      ...common,
      method: 'POST',
      path: `${path}/drs`,
      operationId: `add${type}Records`,
      summary: `Restrict an entry of the ${direction} chain to further existing records`,
      body: { kind: 'list', variable: 'drUuids', wrapper: 'drUuids' },
      collection: 'drs',
      status: 201,
      document: `
        mutation add${type}Records($zoneUuid: Uuid!, $${uuid}: Uuid!, $drUuids: [Uuid!]!) {
          result: add${type}Records(zoneUuid: $zoneUuid, ${uuid}: $${uuid}, drUuids: $drUuids) { uuid }
        }`,
    },
    {
      ...common,
      method: 'DELETE',
      path: `${path}/drs/{drUuid}`,
      operationId: `remove${type}Record`,
      summary: `Take a record from an entry of the ${direction} chain; without records the entry applies to all`,
      status: 204,
      document: `
        mutation remove${type}Record($zoneUuid: Uuid!, $${uuid}: Uuid!, $drUuid: Uuid!) {
          result: remove${type}Record(zoneUuid: $zoneUuid, ${uuid}: $${uuid}, drUuid: $drUuid)
        }`,
    },
  ];
};

/** Entries of a zone's inbound and outbound chains. */
export const zoneAclRoutes: readonly GraphqlRoute[] = [
  ...chainRoutes({ direction: 'inbound', type: 'InboundAcl' }),
  ...chainRoutes({ direction: 'outbound', type: 'OutboundAcl' }),
];
