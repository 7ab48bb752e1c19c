import { type Check, count, flag, nullable, optional, shape, uuid } from '../checks/check.js';
import { batchOffer, type BatchOffer } from './batch-offer.js';

/** `fds.ack.v1`: all messages up to this number are durably handled. Cumulative. */
export interface Ack {
  readonly epoch: string;
  readonly upto: number;
  /**
   * All messages up to this number are durably handled, or wait in the journal of the receiver. They do not count in the
   * window, and are not sent again on this connection. Default: `upto`.
   */
  readonly settled?: number;
}

export const ack: Check<Ack> = shape<Ack>({ epoch: uuid, upto: count, settled: optional(count) });

/** Identifies a message by its content: its number may mean another message after the other end was restored. */
export interface MessageIdentity {
  readonly transactionUuid: string;
  readonly drUuid: string;
}

/** `fds.hello.v1`: the positions of one end in both directions. */
export interface Hello {
  /** Sequence space that the end receives; null: it has received nothing yet. */
  readonly epoch: string | null;
  /** Last number of that space that the end has durably handled. */
  readonly applied: number;
  /**
   * All messages of that space up to this number are durably handled, or wait in the journal of the end: sending
   * continues after it. Default: `applied`.
   */
  readonly settled?: number;
  /** The message with the number `applied`. A server that was restored recognises that its number means another one. */
  readonly appliedMessage?: MessageIdentity;
  /** Sequence space that the end sends. */
  readonly sendEpoch: string | null;
  /** Last number that the end has assigned in that space. */
  readonly sent: number;
  /**
   * Last number of that space for which the end has an acknowledgement. A server that has a lower position was restored.
   * Default: not known.
   */
  readonly acked?: number;
  /** Requests a hello in answer, independent of the positions in this one. Default: false. */
  readonly ask?: boolean;
  /**
   * Limits of the batches that the end accepts until its next hello or the end of the connection. Default: no batches.
   */
  readonly batch?: BatchOffer;
}

const identity: Check<MessageIdentity> = shape<MessageIdentity>({ transactionUuid: uuid, drUuid: uuid });

export const hello: Check<Hello> = shape<Hello>({
  epoch: nullable(uuid),
  applied: count,
  settled: optional(count),
  appliedMessage: optional(identity),
  sendEpoch: nullable(uuid),
  sent: count,
  acked: optional(count),
  ask: optional(flag),
  batch: batchOffer,
});
