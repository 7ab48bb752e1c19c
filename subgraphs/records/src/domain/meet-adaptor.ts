import { createSender, fits, meetSender, type Hello } from '@fds/adaptor-protocol';

/** Position of both directions of an adaptor's bus channel. Numbers of the outbox; on the wire less `downBase`. */
export interface Channel {
  readonly adaptorUuid: string;
  readonly downEpoch: string;
  readonly downBase: number;
  /** Last number assigned. */
  readonly downSequence: number;
  /** Last number acknowledged. */
  readonly downAcked: number;
  /** Null until the adaptor's first hello. */
  readonly upEpoch: string | null;
  /** Last number taken from the adaptor. */
  readonly upApplied: number;
}

/**
 * What a hello makes of the channel (bus contract, Sequences): the adaptor's numbers of a new epoch count from 1; what
 * it says it has applied is acknowledged; where it does not know our epoch, a new one begins after the last number that
 * was acknowledged.
 */
export const meetAdaptor = (channel: Channel, hello: Hello, newUuid: () => string): Channel => {
  const up = meetSender({ epoch: channel.upEpoch, sequence: channel.upApplied }, hello);
  const sender = createSender({
    epoch: channel.downEpoch,
    acked: channel.downAcked - channel.downBase,
    last: channel.downSequence - channel.downBase,
  });
  const down = fits(sender, hello)
    ? { downAcked: channel.downBase + (hello.epoch === channel.downEpoch ? hello.applied : 0) }
    : { downEpoch: newUuid(), downBase: channel.downAcked };
  return { ...channel, upEpoch: up.epoch, upApplied: up.sequence, ...down };
};

/** Our answer to a hello, or the call for one. */
export const toHello = (channel: Channel): Hello => ({
  epoch: channel.upEpoch,
  applied: channel.upApplied,
  sendEpoch: channel.downEpoch,
  sent: channel.downSequence - channel.downBase,
});
