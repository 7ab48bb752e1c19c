import { type Check, count, flag, nullable, optional, shape, uuid } from '../checks/check.js';
import { batchOffer, type BatchOffer } from './batch-offer.js';

/** `fds.ack.v1`: everything up to here is durably done. Cumulative. */
export interface Ack {
  readonly epoch: string;
  readonly upto: number;
}

export const ack: Check<Ack> = shape<Ack>({ epoch: uuid, upto: count });

/** `fds.hello.v1`: where one end stands in both directions. */
export interface Hello {
  /** Sequence space that it receives; null when it has received nothing yet. */
  readonly epoch: string | null;
  /** Last number it has durably done in that space. */
  readonly applied: number;
  /** Sequence space that it sends. */
  readonly sendEpoch: string | null;
  /** Last number it has assigned in that space. */
  readonly sent: number;
  /** Requests a hello in answer, independent of the positions in this one. Default: false. */
  readonly ask?: boolean;
  /** It takes batches, up to this size, until its next hello or the end of the connection. Default: none. */
  readonly batch?: BatchOffer;
}

export const hello: Check<Hello> = shape<Hello>({
  epoch: nullable(uuid),
  applied: count,
  sendEpoch: nullable(uuid),
  sent: count,
  ask: optional(flag),
  batch: batchOffer,
});
