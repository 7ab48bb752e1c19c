import { storableStart } from '@fds/json';
import type { RaisedIssue } from './event-outcome.js';

/** Most characters of the title of an issue. */
const maxTitle = 255;

/** Most characters of an adaptor's text; the rest of a longer one is cut off. */
const maxDetail = 4_000;

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

/**
 * The issue of an event that a destination could not handle. It names no key: reports of the adaptor on the record itself do
 * not wait behind it.
 */
export const raiseAdaptorIssue = (
  uuid: string,
  adaptor: { readonly uuid: string; readonly zoneUuid: string },
  said: { readonly title?: string | undefined; readonly message: string },
  event: Pick<RaisedIssue, 'domainVersionUuid' | 'recordUuid' | 'dataEvent'> | undefined,
): RaisedIssue => ({
  uuid,
  title: storableStart(oneLine(said.title ?? ''), maxTitle) || 'The adaptor cannot handle the event',
  exception: 'ADAPTOR',
  matchStatus: null,
  zoneUuid: adaptor.zoneUuid,
  adaptorUuid: adaptor.uuid,
  domainVersionUuid: event?.domainVersionUuid ?? null,
  recordUuid: event?.recordUuid ?? null,
  keyDigest: null,
  cause: 'ADAPTOR',
  dataEvent: event?.dataEvent ?? null,
  errors: [{ pointer: '', code: 'ADAPTOR', detail: storableStart(said.message, maxDetail) }],
});
