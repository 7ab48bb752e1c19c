import type { IncomingEvent, RecordChanged, RecordDeleted } from '../events/incoming-event.js';

/**
 * Does the event state the whole record, so that an earlier event that cannot be read adds nothing? True for a deletion, and
 * for a record that is valid by itself. False in discovery mode, which routes nothing.
 */
export const isComplete = (event: IncomingEvent): event is RecordChanged | RecordDeleted => {
  if (event.kind === 'RECORD_DELETED') return !event.linkOnly;
  if (event.kind !== 'RECORD_CHANGED' || event.linkOnly) return false;
  // a federated event is RECORD_CHANGED only if it is valid
  return event.version.domainType === 'FEDERATED' || event.version.model.validate(event.record).valid;
};
