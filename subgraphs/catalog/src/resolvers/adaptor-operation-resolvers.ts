import { guarded, type FieldAccess } from '@fds/graphql';
import type { AdaptorOperations, MetricsRequest } from '../operations/create-adaptor-operations.js';

interface AdaptorArguments {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
}

const access = (action: FieldAccess['action'], end: string): FieldAccess => ({
  mode: 'require',
  action,
  resource: `/zones/{zoneUuid}/adaptors/{adaptorUuid}/${end}`,
});

export const adaptorOperationResolvers = (operations: AdaptorOperations) => ({
  Query: {
    adaptorHealth: guarded<AdaptorArguments>(access('GET', 'health'), ({ zoneUuid, adaptorUuid }) =>
      operations.health(zoneUuid, adaptorUuid),
    ),
    adaptorMetrics: guarded<AdaptorArguments & MetricsRequest>(
      access('GET', 'metrics'),
      ({ zoneUuid, adaptorUuid, timeZone, type, period }) =>
        operations.metrics(zoneUuid, adaptorUuid, { timeZone, type, period }),
    ),
    adaptorQueue: guarded<AdaptorArguments>(access('GET', 'queue'), ({ zoneUuid, adaptorUuid }) =>
      operations.queue(zoneUuid, adaptorUuid),
    ),
  },
  Mutation: {
    createAdaptorShutdownCode: guarded<AdaptorArguments>(access('GET', 'shutdown-code'), ({ zoneUuid, adaptorUuid }) =>
      operations.shutdownCode(zoneUuid, adaptorUuid),
    ),
    shutDownAdaptor: guarded<AdaptorArguments & { readonly code?: string | null }>(
      access('PUT', 'shutdown'),
      ({ zoneUuid, adaptorUuid, code }, { principal }) => operations.shutDown(zoneUuid, adaptorUuid, code, principal),
    ),
  },
});
