import { buildBatch, formatSequence, serverSource } from '@fds/adaptor-protocol';
import type { OutboxMessage } from '../../store/channels/delivery.js';

/** A place in a destination's sequence, and when it is sent. */
export interface Stamp {
  readonly newUuid: () => string;
  /** Number on the wire of the first message. */
  readonly sequence: number;
  readonly epoch: string;
  readonly time: Date;
}

const members = ({ recordUuid, traceparent }: OutboxMessage, sequence: number): string =>
  `"type":"fds.data.v1","subject":"${recordUuid}","partitionkey":"${recordUuid}","sequence":"${formatSequence(sequence)}"` +
  (traceparent === undefined ? '' : `,"traceparent":"${traceparent}"`);

const dataOf = ({ message }: OutboxMessage): string => message ?? '{}';

const writeAlone = (message: OutboxMessage, { newUuid, sequence, epoch, time }: Stamp): string =>
  `{"specversion":"1.0","id":"${newUuid()}","source":"${serverSource}","time":"${time.toISOString()}",` +
  `${members(message, sequence)},"epoch":"${epoch}","datacontenttype":"application/json","data":${dataOf(message)}}`;

/**
 * The payload of queued messages whose numbers follow each other: an envelope for one, a batch for several (bus contract, Envelope).
 * The `data` of the outbox is JSON text already and is inserted unchanged.
 */
export const writeDataPayload = (messages: readonly OutboxMessage[], stamp: Stamp): string => {
  const [first] = messages;
  if (messages.length === 1 && first !== undefined) return writeAlone(first, stamp);
  const { newUuid, sequence, epoch, time } = stamp;
  const events = messages.map(
    (message, index) => `{"id":"${newUuid()}",${members(message, sequence + index)},"data":${dataOf(message)}}`,
  );
  return buildBatch({ id: newUuid(), source: serverSource, time: time.toISOString(), epoch }, events);
};
