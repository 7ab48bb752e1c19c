import { stringifyJson, type JsonObject } from '@fds/json';
import { maxMessageBytes } from '../routing/message-limit.js';
import type { RaisedIssue } from './event-outcome.js';

/** A message that the message bus cannot carry. Its destination does not get the message, and keeps its state. */
export interface OversizedMessage {
  readonly destination: { readonly uuid: string; readonly zoneUuid: string };
  readonly domainVersionUuid: string;
  readonly recordUuid: string;
  /** Of its `data`, UTF-8. */
  readonly bytes: number;
  /** Its `data` without the content. */
  readonly data: JsonObject;
}

/** The issue of a message that its destination is not sent. It holds nothing back: a smaller one goes. */
export const raiseOversizedMessage = (uuid: string, message: OversizedMessage): RaisedIssue => {
  const { destination, domainVersionUuid, recordUuid, bytes, data } = message;
  return {
    uuid,
    title: 'The message is larger than the message bus carries',
    exception: 'ADAPTOR',
    matchStatus: null,
    zoneUuid: destination.zoneUuid,
    adaptorUuid: destination.uuid,
    domainVersionUuid,
    recordUuid,
    keyDigest: null,
    cause: 'ADAPTOR',
    dataEvent: stringifyJson(data),
    errors: [
      {
        pointer: '/jsonData',
        code: 'TOO_LARGE',
        detail: `the message has ${bytes} bytes, the bus carries ${maxMessageBytes}; the destination was not sent it`,
      },
    ],
  };
};
