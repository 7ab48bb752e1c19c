import type { GraphqlRoute } from '../../route.js';

const common = { kind: 'graphql', tag: 'Data events', method: 'GET', status: 200, momentary: true } as const;

/** Searches in the data events of all records. */
export const dataEventRoutes: readonly GraphqlRoute[] = [
  {
    ...common,
    path: '/data-events',
    operationId: 'searchDataEvents',
    summary: 'Search the data events of all records, newest first, page by page with a cursor',
    query: {
      filters: {
        adaptor: 'adaptorUuid',
        destination: 'destinationUuid',
        'domain-version': 'domainVersionUuid',
        status: 'status',
        reason: 'reason',
        from: 'from',
        to: 'to',
      },
      parameters: { after: 'after', size: 'size' },
    },
    schemaNames: { DataEvent: 'FoundDataEvent' },
    document: `
      query searchDataEvents(
        $adaptorUuid: Uuid, $destinationUuid: Uuid, $domainVersionUuid: Uuid, $status: DeliveryStatus,
        $reason: DataEventReason, $from: DateTime, $to: DateTime, $after: Uuid, $size: Int
      ) {
        result: dataEvents(
          adaptorUuid: $adaptorUuid, destinationUuid: $destinationUuid, domainVersionUuid: $domainVersionUuid,
          status: $status, reason: $reason, from: $from, to: $to, after: $after, size: $size
        ) {
          dataEvents: data {
            uuid transactionUuid action matchStatus drUuid domainVersionUuid sourceAdaptorUuid
            destinations { adaptorUuid status removedProperties aclUuid }
            createTime drKey
          }
          cursor more
        }
      }`,
  },
  {
    ...common,
    path: '/data-events/counts',
    operationId: 'countDataEvents',
    summary: 'Count the data events of a time by source, destination, version and status',
    query: {
      filters: { adaptor: 'adaptorUuid', 'domain-version': 'domainVersionUuid', from: 'from', to: 'to' },
    },
    document: `
      query countDataEvents($adaptorUuid: Uuid, $domainVersionUuid: Uuid, $from: DateTime, $to: DateTime) {
        result: dataEventCounts(
          adaptorUuid: $adaptorUuid, domainVersionUuid: $domainVersionUuid, from: $from, to: $to
        ) {
          counts { sourceAdaptorUuid destinationAdaptorUuid domainVersionUuid status count }
        }
      }`,
  },
];
