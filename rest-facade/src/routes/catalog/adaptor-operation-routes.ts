import type { GraphqlRoute } from '../../route.js';

const common = { kind: 'graphql', tag: 'Adaptor operations', status: 200 } as const;
const path = '/zones/{zoneUuid}/adaptors/{adaptorUuid}';

/** Questions to an adaptor, and the messages that wait for it. */
export const adaptorOperationRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    method: 'GET',
    path: `${path}/health`,
    operationId: 'getAdaptorHealth',
    momentary: true,
    summary: 'Request the health of an adaptor',
    document: `
      query getAdaptorHealth($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: adaptorHealth(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) { adaptorUuid requestId status uptime }
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/metrics`,
    operationId: 'getAdaptorMetrics',
    momentary: true,
    summary: 'Read how many data events an adaptor sent and received; zone is the IANA name of a time zone',
    query: { filters: { type: 'type', period: 'period' }, options: { zone: 'timeZone' } },
    document: `
      query getAdaptorMetrics(
        $zoneUuid: Uuid!, $adaptorUuid: Uuid!, $timeZone: String, $type: AdaptorMetricType, $period: AdaptorMetricPeriod
      ) {
        result: adaptorMetrics(
          zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, timeZone: $timeZone, type: $type, period: $period
        ) { adaptorUuid requestId adaptorMetricsDetail { type period dateCount { date count } } }
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/queue`,
    operationId: 'getAdaptorQueue',
    summary: 'Read how many data events wait for an adaptor',
    document: `
      query getAdaptorQueue($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: adaptorQueue(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) {
          adaptorUuid messageCount oldestMessageDate inFlightCount deliveredCount acknowledgedCount consumerConnected
        }
      }`,
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/shutdown-code`,
    operationId: 'getAdaptorShutdownCode',
    showsSecrets: true,
    summary: 'Get a code that shuts the adaptor down; it works once, within ten minutes',
    document: `
      mutation getAdaptorShutdownCode($zoneUuid: Uuid!, $adaptorUuid: Uuid!) {
        result: createAdaptorShutdownCode(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid) { adaptorUuid code }
      }`,
  },
  {
    ...common,
    method: 'PUT',
    path: `${path}/shutdown`,
    operationId: 'shutDownAdaptor',
    summary: 'Shut an adaptor down with the code of the first step',
    query: { parameters: { code: 'code' } },
    document: `
      mutation shutDownAdaptor($zoneUuid: Uuid!, $adaptorUuid: Uuid!, $code: String) {
        result: shutDownAdaptor(zoneUuid: $zoneUuid, adaptorUuid: $adaptorUuid, code: $code) {
          adaptorUuid requestId acknowledged
        }
      }`,
  },
];
