import type { Change } from '@fds/database';
import type { RecordChange } from '../../domain/events/event-outcome.js';

/** The change log's word of a changed record. */
export const toLoggedChange = (change: RecordChange): Change => {
  const { action, recordUuid, domainVersionUuid, actorUuid, transactionUuid, drKey, json, traceparent } = change;
  return {
    action,
    resourceType: 'Dr',
    resource: `/drs/${recordUuid}`,
    resourceUuid: recordUuid,
    ...(actorUuid === undefined ? {} : { actorUuid }),
    ...(traceparent === undefined ? {} : { traceparent }),
    data: { uuid: recordUuid, domainVersionUuid, drKey, json, transactionUuid },
  };
};
