import type { Hello } from '@fds/adaptor-protocol';
import type { Channel } from './meet-adaptor.js';

/** The messages of a channel that the adaptor knows and the database does not. */
export interface MissingMessages {
  /** From the adaptor, links included. */
  readonly up: number;
  /** To the adaptor. */
  readonly down: number;
}

/** Did the first sequence begin after the second one? Uuids of version 7 are compared by their time. */
const isLater = (epoch: string, than: string): boolean => epoch[14] === '7' && than[14] === '7' && epoch > than;

const missingUp = ({ upEpoch, upApplied }: Channel, { sendEpoch, acked = 0 }: Hello): number => {
  if (sendEpoch === null) return 0;
  // the server acknowledges committed messages only, so an acknowledgement beyond its own position proves a loss
  if (sendEpoch === upEpoch) return Math.max(0, acked - upApplied);
  // an adaptor that names an earlier sequence may itself have been restored
  return upEpoch === null || isLater(sendEpoch, upEpoch) ? acked : 0;
};

/** Does the adaptor have more messages of the present sequence than the outbox ever had? */
const isBeyond = ({ downEpoch, downBase, downSequence }: Channel, { epoch, applied, settled = 0 }: Hello): boolean =>
  epoch === downEpoch && Math.max(applied, settled) > downSequence - downBase;

const missingDown = (channel: Channel, hello: Hello, { remembered, isOther }: Memory): number => {
  const { epoch, applied, settled = 0 } = hello;
  const reached = Math.max(applied, settled);
  if (epoch === null) return 0;
  if (epoch !== channel.downEpoch) return isLater(epoch, channel.downEpoch) ? reached : 0;
  if (!isOther && !isBeyond(channel, hello)) return 0;
  return Math.max(1, reached - Math.max(0, remembered - channel.downBase));
};

/** The knowledge of the database about the messages to an adaptor. */
interface Memory {
  /** Number of the outbox up to which messages were queued before this process began. */
  readonly remembered: number;
  /** Is the message with the number that the adaptor applied last another one than the adaptor names? */
  readonly isOther: boolean;
}

/** Compares the positions of a hello with those of the database. Both are 0 unless the database was restored from a backup. */
export const missingMessages = (channel: Channel, hello: Hello, memory: Memory): MissingMessages => ({
  up: missingUp(channel, hello),
  down: missingDown(channel, hello, memory),
});

/**
 * May the number mean another message? An adaptor that was away while messages were queued after a restoration has numbers of
 * messages that are lost, and the outbox has others under these numbers.
 */
export const mayNameOther = (channel: Channel, { epoch, applied, appliedMessage }: Hello): boolean =>
  appliedMessage !== undefined &&
  epoch === channel.downEpoch &&
  channel.downBase + applied > channel.downAcked &&
  channel.downBase + applied <= channel.downSequence;
