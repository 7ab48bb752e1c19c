import {
  type AdaptorError,
  adaptorSource,
  type Attributes,
  buildMessage,
  type Link,
  maxPayloadBytes,
} from '@fds/adaptor-protocol';
import { numberingBytes } from '../numbering.js';
import { shortened } from '../shortened.js';
import type { KeptReport } from './kept-properties.js';
import type { NewReport } from './open-journal.js';

/** Reports of the adaptor to the server in addition to its data events; and the kept properties of an event, for the journal. */
export type ReportBody =
  | { readonly link: Link; readonly traceparent?: string | undefined }
  | { readonly error: AdaptorError }
  | { readonly kept: KeptReport };

interface Fresh {
  readonly newUuid: () => string;
  readonly now: () => Date;
}

type Stamp = Pick<Attributes, 'id' | 'source' | 'time'>;

/** Maximum number of links in one message: the server commits them together. */
const maxLinks = 128;

const buildLinks = (attributes: () => Stamp, links: readonly Link[], traceparent: string | undefined): NewReport[] => {
  if (links.length === 0) return [];
  const body = buildMessage('up/data', {
    ...attributes(),
    type: 'fds.link.v1',
    ...(traceparent === undefined ? {} : { traceparent }),
    data: { links },
  });
  const isTooMuch = links.length > maxLinks || Buffer.byteLength(body) + numberingBytes > maxPayloadBytes;
  if (!isTooMuch || links.length === 1) return [{ channel: 'up/data', body }];
  const middle = Math.ceil(links.length / 2);
  return [
    ...buildLinks(attributes, links.slice(0, middle), traceparent),
    ...buildLinks(attributes, links.slice(middle), traceparent),
  ];
};

/**
 * Builds the messages for links and errors. Links are part of the sequence of the data events; they share messages, in
 * order, as many as fit. Errors are outside the sequence.
 */
export const buildReports = (
  adaptorUuid: string,
  bodies: readonly ReportBody[],
  { newUuid, now }: Fresh,
): NewReport[] => {
  const attributes = (): Stamp => ({
    id: newUuid(),
    source: adaptorSource(adaptorUuid),
    time: now().toISOString(),
  });
  const links = bodies.flatMap((body) => ('link' in body ? [body.link] : []));
  // a message of many links continues one trace of theirs
  const traceparent = bodies.flatMap((body) => ('link' in body ? (body.traceparent ?? []) : []))[0];
  const errors = bodies.flatMap((body) => ('error' in body ? [body.error] : []));
  return [
    ...buildLinks(attributes, links, traceparent),
    ...errors.map((error): NewReport => {
      const data = { ...error, message: shortened(error.message) };
      return {
        channel: 'up/ops',
        body: buildMessage('up/ops', { ...attributes(), type: 'fds.adaptor.error.v1', data }),
      };
    }),
  ];
};
