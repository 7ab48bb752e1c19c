import { formatSequence, serverSource } from '@fds/adaptor-protocol';
import type { OutboxMessage } from '../store/channels/delivery.js';

/** A place in a destination's sequence, and when it is sent. */
export interface Stamp {
  readonly id: string;
  /** Number on the wire. */
  readonly sequence: number;
  readonly epoch: string;
  readonly time: Date;
}

/**
 * The envelope of a queued message (bus contract, Envelope). The `data` of the outbox is JSON text already and is inserted
 * unchanged.
 */
export const writeDataEnvelope = ({ recordUuid, message }: OutboxMessage, stamp: Stamp): string =>
  `{"specversion":"1.0","id":"${stamp.id}","source":"${serverSource}","type":"fds.data.v1",` +
  `"time":"${stamp.time.toISOString()}","subject":"${recordUuid}","partitionkey":"${recordUuid}",` +
  `"sequence":"${formatSequence(stamp.sequence)}","epoch":"${stamp.epoch}",` +
  `"datacontenttype":"application/json","data":${message ?? '{}'}}`;
