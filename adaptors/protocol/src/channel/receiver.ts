import type { Position } from './position.js';

/**
 * The decision of a receiver on a message. APPLY: it is the next one; take it. DUPLICATE: drop it and acknowledge
 * again. GAP: drop it and send a hello.
 */
export type Reception = 'APPLY' | 'DUPLICATE' | 'GAP';

/**
 * Decides on a message (bus contract, Sequences).
 *
 * @param taken the last message taken for handling; it may be ahead of the durable position
 */
export const receive = (
  taken: Position,
  message: { readonly epoch?: string; readonly sequence?: number },
): Reception => {
  if (message.epoch === undefined || message.sequence === undefined || message.epoch !== taken.epoch) return 'GAP';
  if (message.sequence <= taken.sequence) return 'DUPLICATE';
  return message.sequence === taken.sequence + 1 ? 'APPLY' : 'GAP';
};

/**
 * The receiver's position after the other end's hello. A new space starts at its beginning. Only a hello changes the
 * space: a data message of another space is a GAP, because it may be a stale message of an old space.
 */
export const meetSender = (position: Position, sender: { readonly sendEpoch: string | null }): Position =>
  sender.sendEpoch === null || sender.sendEpoch === position.epoch
    ? position
    : { epoch: sender.sendEpoch, sequence: 0 };
