import { describe, expect, it } from '@jest/globals';
import { OutboxProgress } from './outbox-progress.js';

/** An epoch that begins after number 100 of the outbox, with 101 to 105 queued and 101 delivered. */
const channel = { downEpoch: 'e1', downBase: 100, downSequence: 105, downAcked: 101 };

const open = (): OutboxProgress => {
  const progress = new OutboxProgress();
  progress.begin(channel);
  progress.meet(channel);
  return progress;
};

describe('the progress of the outbox of a webhook adaptor', () => {
  it('begins behind the delivered messages, and counts every queued message as possibly sent', () => {
    const progress = open();
    expect(progress.next(64)).toEqual({ from: 102, to: 105 });
    expect(progress.next(1)).toEqual({ from: 102, to: 102 });
    expect(progress.position()).toEqual({ epoch: 'e1', applied: 1, begun: 5 });
  });

  it('advances only when the messages in front are delivered', () => {
    const progress = open();
    expect([104, 103].map((number) => progress.delivered(number))).toEqual([false, false]);
    expect([101, 102, 103, 104, 105].map((number) => progress.isDelivered(number))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(progress.delivered(102)).toBe(true);
    expect([progress.acked, progress.hasQueued, progress.next(64)]).toEqual([104, true, { from: 105, to: 105 }]);
  });

  it('remembers messages that were delivered out of order when the adaptor is met again in the same epoch', () => {
    const progress = open();
    progress.delivered(103);
    progress.meet({ ...channel, downSequence: 107 });
    expect([progress.isDelivered(103), progress.next(64)]).toEqual([true, { from: 102, to: 107 }]);
  });

  it('forgets messages that were delivered out of order when it begins again', () => {
    const progress = open();
    progress.delivered(103);
    const next = { downEpoch: 'e2', downBase: 102, downSequence: 105, downAcked: 102 };
    progress.begin(next);
    progress.meet(next);
    expect(progress.isDelivered(103)).toBe(false);
    expect(progress.position()).toEqual({ epoch: 'e2', applied: 0, begun: 3 });
  });

  it('never goes back behind a number that is queued or sent', () => {
    const progress = open();
    progress.queued(110);
    progress.queued(106);
    progress.sent(108);
    progress.sent(107);
    expect([progress.next(64).to, progress.position().begun]).toEqual([110, 8]);
  });

  it('has nothing queued when everything is delivered', () => {
    const progress = open();
    for (const number of [102, 103, 104, 105]) progress.delivered(number);
    expect([progress.hasQueued, progress.position()]).toEqual([false, { epoch: 'e1', applied: 5, begun: 5 }]);
  });
});
