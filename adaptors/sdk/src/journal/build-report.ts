import { type AdaptorError, adaptorSource, buildMessage, type Link } from '@fds/adaptor-protocol';
import { shortened } from '../shortened.js';
import type { Report } from './open-journal.js';

/** A link or an error as the journal keeps it for the server. */
export const buildReport = (
  adaptorUuid: string,
  body: { readonly link: Link } | { readonly error: AdaptorError },
  fresh: { readonly newUuid: () => string; readonly now: Date },
): Omit<Report, 'id'> => {
  const attributes = { id: fresh.newUuid(), source: adaptorSource(adaptorUuid), time: fresh.now.toISOString() };
  if ('link' in body) {
    const data = { links: [body.link] };
    return { channel: 'up/link', body: buildMessage('up/link', { ...attributes, type: 'fds.link.v1', data }) };
  }
  const data = { ...body.error, message: shortened(body.error.message) };
  return { channel: 'up/ops', body: buildMessage('up/ops', { ...attributes, type: 'fds.adaptor.error.v1', data }) };
};
