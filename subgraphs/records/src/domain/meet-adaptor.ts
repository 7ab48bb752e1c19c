import { createSender, fits, meetSender, type Hello, type Sender } from '@fds/adaptor-protocol';

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

const senderOf = (channel: Channel): Sender =>
  createSender({
    epoch: channel.downEpoch,
    acked: channel.downAcked - channel.downBase,
    last: channel.downSequence - channel.downBase,
  });

/** Does the hello stand before what the adaptor has acknowledged since? It is an old one, or the adaptor lost its state. */
export const isOutrun = (channel: Channel, { epoch, applied }: Hello): boolean =>
  epoch === channel.downEpoch && applied < channel.downAcked - channel.downBase;

/**
 * What a hello makes of the channel (bus contract, Sequences): the adaptor's numbers of a new epoch count from 1; what
 * it says it has applied is acknowledged; where it does not know our epoch, a new one begins after the last number that
 * was acknowledged.
 *
 * @param age OLD: it may have been answered, and what it says be overtaken. No epoch begins because of it, for one
 *   delivers again what was applied and not acknowledged yet. An adaptor that has lost its state meets a gap, and says so.
 */
export const meetAdaptor = (channel: Channel, hello: Hello, newUuid: () => string, age: 'NEW' | 'OLD'): Channel => {
  const up = meetSender({ epoch: channel.upEpoch, sequence: channel.upApplied }, hello);
  const met = { ...channel, upEpoch: up.epoch, upApplied: up.sequence };
  if (fits(senderOf(channel), hello)) {
    return { ...met, downAcked: channel.downBase + (hello.epoch === channel.downEpoch ? hello.applied : 0) };
  }
  return age === 'OLD' ? met : { ...met, downEpoch: newUuid(), downBase: channel.downAcked };
};

/** Our answer to a hello, or the call for one. */
export const toHello = (channel: Channel): Hello => ({
  epoch: channel.upEpoch,
  applied: channel.upApplied,
  sendEpoch: channel.downEpoch,
  sent: channel.downSequence - channel.downBase,
});
