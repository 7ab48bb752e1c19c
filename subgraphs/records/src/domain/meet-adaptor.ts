import { createSender, meetSender, type Hello, type Sender, type Standing, type Verdict } from '@fds/adaptor-protocol';

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

/** The server's position when it sends or reads a hello. */
export const standingOf = (channel: Channel): Standing => ({ sender: senderOf(channel), receives: channel.upEpoch });

/**
 * The channel after a hello (bus contract, Sequences): the adaptor's numbers of a new epoch count from 1; the position that
 * it has applied is acknowledged; where it has lost its state, a new epoch begins after the last acknowledged number.
 */
export const meetAdaptor = (
  channel: Channel,
  hello: Hello,
  { own, theirs }: Pick<Verdict, 'own' | 'theirs'>,
  newUuid: () => string,
): Channel => {
  const known = { epoch: channel.upEpoch, sequence: channel.upApplied };
  const up = theirs === 'TAKE' ? meetSender(known, hello) : known;
  const met = { ...channel, upEpoch: up.epoch, upApplied: up.sequence };
  if (own === 'RENEW') return { ...met, downEpoch: newUuid(), downBase: channel.downAcked };
  if (own === 'KEEP' || hello.epoch !== channel.downEpoch) return met;
  return { ...met, downAcked: Math.max(channel.downAcked, channel.downBase + hello.applied) };
};

/** Our answer to a hello, or the call for one. */
export const toHello = (channel: Channel): Hello => ({
  epoch: channel.upEpoch,
  applied: channel.upApplied,
  sendEpoch: channel.downEpoch,
  sent: channel.downSequence - channel.downBase,
});
