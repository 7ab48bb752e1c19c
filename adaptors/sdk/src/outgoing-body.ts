import {
  adaptorSource,
  buildEnvelope,
  maxPayloadBytes,
  stringifyJson,
  type SeenPosition,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
import { EventTooLarge, type OutgoingEvent } from './adaptor.js';
import { numberingBytes } from './numbering.js';

const groupOf = ({ messageGroup, drUuid, drKey }: OutgoingEvent): string | undefined =>
  messageGroup ?? drUuid ?? (drKey === undefined ? undefined : stringifyJson(drKey));

/**
 * The envelope of an outgoing event, as the journal stores it: without a number.
 *
 * @throws EventTooLarge
 */
export const outgoingBody = (
  adaptorUuid: string,
  outgoing: OutgoingEvent,
  fresh: {
    readonly newUuid: () => string;
    readonly now: Date;
    readonly seen: SeenPosition;
    readonly discoveryMode: boolean;
  },
): string => {
  const { messageGroup: _group, appliedBefore: _before, knownAs: _uuid, ...event } = outgoing;
  const data: UpDataEvent = {
    ...event,
    transactionUuid: event.transactionUuid ?? fresh.newUuid(),
    createTime: event.createTime ?? fresh.now.getTime(),
    seen: fresh.seen,
    ...(fresh.discoveryMode ? { discovery: true } : {}),
  };
  const partitionkey = groupOf(outgoing);
  const body = buildEnvelope({
    id: fresh.newUuid(),
    source: adaptorSource(adaptorUuid),
    type: 'fds.data.v1',
    time: fresh.now.toISOString(),
    ...(event.drUuid === undefined ? {} : { subject: event.drUuid }),
    ...(partitionkey === undefined ? {} : { partitionkey }),
    data,
  });
  // a character has at most three bytes, so only a long text is measured
  if (body.length * 3 + numberingBytes > maxPayloadBytes && Buffer.byteLength(body) + numberingBytes > maxPayloadBytes)
    throw new EventTooLarge(`an event of domain ${event.domain} is larger than ${maxPayloadBytes} bytes`);
  return body;
};
