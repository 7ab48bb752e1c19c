import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

/** Adaptors with which a zone could exchange data of a domain version. */
export const capableAdaptorRoute: GraphqlRoute = {
  kind: 'graphql',
  tag: 'Adaptors',
  method: 'GET',
  path: '/zones/{zoneUuid}/capable-adaptors/{domainVersionUuid}',
  operationId: 'listCapableAdaptors',
  summary: 'List the adaptors capable of an action with a domain version, and whether the zone is permitted to each',
  query: {
    paged: true,
    sort: ['adaptor.name', 'adaptor.zoneName', 'adaptor.state', 'action', 'permitted'],
    filters: { action: 'action' },
  },
  collection: 'capableAdaptors',
  status: 200,
  document: `
    query listCapableAdaptors(
      $zoneUuid: Uuid!, $domainVersionUuid: Uuid!, $action: CapabilityAction, $page: Int, $size: Int, $sort: String
    ) {
      result: capableAdaptors(
        zoneUuid: $zoneUuid, domainVersionUuid: $domainVersionUuid, action: $action,
        page: $page, size: $size, sort: $sort
      ) {
        data {
          adaptor { uuid name description zoneUuid zoneName adaptorTypeUuid state active }
          action permitted
        } ${pageFields}
      }
    }`,
};
