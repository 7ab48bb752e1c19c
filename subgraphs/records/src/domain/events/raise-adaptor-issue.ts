import type { RaisedIssue } from './event-outcome.js';

/**
 * The issue of an event that a destination could not handle. It names no key: reports of the adaptor on the record itself do
 * not wait behind it.
 */
export const raiseAdaptorIssue = (
  uuid: string,
  adaptor: { readonly uuid: string; readonly zoneUuid: string },
  message: string,
  event: Pick<RaisedIssue, 'domainVersionUuid' | 'recordUuid' | 'dataEvent'> | undefined,
): RaisedIssue => ({
  uuid,
  title: 'The adaptor cannot handle the event',
  exception: 'ADAPTOR',
  matchStatus: null,
  zoneUuid: adaptor.zoneUuid,
  adaptorUuid: adaptor.uuid,
  domainVersionUuid: event?.domainVersionUuid ?? null,
  recordUuid: event?.recordUuid ?? null,
  keyDigest: null,
  cause: 'ADAPTOR',
  dataEvent: event?.dataEvent ?? null,
  errors: [{ pointer: '', code: 'ADAPTOR', detail: message }],
});
