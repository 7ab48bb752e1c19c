import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

const zone = `
  fragment Zone on Zone {
    uuid zoneUuid name description parentZoneUuid geoCoordinates active
    reconcile { everyHours policy { values missingHere missingThere } }
    createdByUuid dateCreated lastUpdated changeVersion
  }`;

const common = { kind: 'graphql', tag: 'Zones' } as const;
const sort = ['name', 'active', 'dateCreated', 'lastUpdated'];
const body = { kind: 'object', variable: 'input' } as const;

/** Zones and their child zones. */
export const zoneRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/zones',
    operationId: 'listZones',
    summary: 'List the zones',
    query: {
      paged: true,
      sort,
      filters: { name: 'zoneName', 'zone-uuid': 'zoneUuid', 'parent-zone-uuid': 'parentZoneUuid', active: 'active' },
    },
    collection: 'zones',
    status: 200,
    document: `
      query listZones(
        $zoneName: String, $zoneUuid: Uuid, $parentZoneUuid: Uuid, $active: Boolean,
        $page: Int, $size: Int, $sort: String
      ) {
        result: zones(
          zoneName: $zoneName, zoneUuid: $zoneUuid, parentZoneUuid: $parentZoneUuid, active: $active,
          page: $page, size: $size, sort: $sort
        ) { data { ...Zone } ${pageFields} }
      } ${zone}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/zones',
    operationId: 'createZone',
    summary: 'Create a zone',
    body,
    status: 201,
    location: '/zones/{uuid}',
    document: `mutation createZone($input: ZoneInput!) { result: createZone(input: $input) { ...Zone } } ${zone}`,
  },
  {
    ...common,
    method: 'GET',
    path: '/zones/{zoneUuid}',
    operationId: 'getZone',
    versioned: 'wholly',
    summary: 'Read a zone',
    status: 200,
    document: `query getZone($zoneUuid: Uuid!) { result: zone(zoneUuid: $zoneUuid) { ...Zone } } ${zone}`,
  },
  {
    ...common,
    method: 'PUT',
    path: '/zones/{zoneUuid}',
    operationId: 'replaceZone',
    summary: 'Replace a zone: a member that the body omits becomes null',
    body,
    status: 200,
    document: `
      mutation replaceZone($zoneUuid: Uuid!, $input: ZoneInput!) {
        result: replaceZone(zoneUuid: $zoneUuid, input: $input) { ...Zone }
      } ${zone}`,
  },
  {
    ...common,
    method: 'PATCH',
    path: '/zones/{zoneUuid}',
    operationId: 'patchZone',
    summary: 'Change members of a zone, or move it below another parent',
    body,
    status: 200,
    document: `
      mutation patchZone($zoneUuid: Uuid!, $input: ZoneInput!) {
        result: patchZone(zoneUuid: $zoneUuid, input: $input) { ...Zone }
      } ${zone}`,
  },
  {
    ...common,
    method: 'DELETE',
    path: '/zones/{zoneUuid}',
    operationId: 'deleteZone',
    summary: 'Remove a zone that has no children, adaptors or domains',
    status: 204,
    document: `
      mutation deleteZone($zoneUuid: Uuid!, $changeVersion: Long) {
        result: deleteZone(zoneUuid: $zoneUuid, changeVersion: $changeVersion)
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: '/zones/{zoneUuid}/child-zones',
    operationId: 'listChildZones',
    summary: 'List the child zones of a zone',
    query: { paged: true, sort, filters: { name: 'zoneName', active: 'active' } },
    collection: 'zones',
    status: 200,
    document: `
      query listChildZones(
        $zoneUuid: Uuid!, $zoneName: String, $active: Boolean, $page: Int, $size: Int, $sort: String
      ) {
        result: childZones(
          zoneUuid: $zoneUuid, zoneName: $zoneName, active: $active, page: $page, size: $size, sort: $sort
        ) { data { ...Zone } ${pageFields} }
      } ${zone}`,
  },
  {
    ...common,
    method: 'POST',
    path: '/zones/{zoneUuid}/child-zones',
    operationId: 'createChildZone',
    summary: 'Create a zone below a zone',
    body,
    status: 201,
    location: '/zones/{uuid}',
    document: `
      mutation createChildZone($zoneUuid: Uuid!, $input: ZoneInput!) {
        result: createChildZone(zoneUuid: $zoneUuid, input: $input) { ...Zone }
      } ${zone}`,
  },
];
