import { describe, expect, it } from '@jest/globals';
import type { Channel } from '../../domain/meet-adaptor.js';
import { Intakes, mayAskForGap } from './intakes.js';

const adaptorUuid = 'b7f0c1de-0000-4000-8000-000000000001';
const channelAt = (upEpoch: string, upApplied: number): Channel => ({
  adaptorUuid,
  downEpoch: 'down',
  downBase: 0,
  downSequence: 0,
  downAcked: 0,
  upEpoch,
  upApplied,
});

describe('the intakes of adaptors', () => {
  it('start at the stored position', () => {
    const intakes = new Intakes();
    expect(intakes.start(adaptorUuid, channelAt('e1', 7))).toMatchObject({ epoch: 'e1', sequence: 7, applied: 7 });
    expect(intakes.start(adaptorUuid)).toMatchObject({ epoch: null, sequence: 0, applied: 0 });
  });

  it('keep the committed number when a message is taken', () => {
    const intakes = new Intakes();
    const intake = intakes.start(adaptorUuid, channelAt('e1', 7));
    intakes.take(adaptorUuid, intake, { epoch: 'e1', sequence: 8 });
    expect(intakes.find(adaptorUuid)).toMatchObject({ sequence: 8, applied: 7 });
    expect(intakes.appliedIn(adaptorUuid, 'e1')).toBe(7);
    expect(intakes.appliedIn(adaptorUuid, 'e2')).toBe(0);
  });

  it('move the committed number with a commit of the same epoch', () => {
    const intakes = new Intakes();
    intakes.take(adaptorUuid, intakes.start(adaptorUuid, channelAt('e1', 7)), { epoch: 'e1', sequence: 8 });
    intakes.commit(channelAt('e1', 8), { epoch: 'e1', sequence: 8 });
    expect(intakes.find(adaptorUuid)).toMatchObject({ sequence: 8, applied: 8 });
  });

  it.each([
    ['another epoch', channelAt('e2', 8)],
    ['a lower number', channelAt('e1', 7)],
  ])('forget an adaptor whose channel has %s after the commit', (_, channel) => {
    const intakes = new Intakes();
    intakes.start(adaptorUuid, channelAt('e1', 8));
    intakes.commit(channel, { epoch: 'e1', sequence: 8 });
    expect(intakes.find(adaptorUuid)).toBeUndefined();
  });

  it('keep the taken number in a handshake of the same epoch, and start again in another one', () => {
    const intakes = new Intakes();
    const hello = { epoch: 'down', applied: 0, sendEpoch: 'e1', sent: 9 };
    intakes.take(adaptorUuid, intakes.start(adaptorUuid, channelAt('e1', 7)), { epoch: 'e1', sequence: 8 });
    intakes.meet(channelAt('e1', 7), hello);
    expect(intakes.find(adaptorUuid)).toMatchObject({ sequence: 8, applied: 7 });
    intakes.meet(channelAt('e2', 0), { ...hello, sendEpoch: 'e2' });
    expect(intakes.find(adaptorUuid)).toMatchObject({ epoch: 'e2', sequence: 0, applied: 0 });
  });

  it('start at the stored position when the process before completed the handshake', () => {
    const intakes = new Intakes();
    intakes.take(adaptorUuid, intakes.start(adaptorUuid, channelAt('e1', 7)), { epoch: 'e1', sequence: 8 });
    intakes.meet(channelAt('e1', 7), undefined);
    expect(intakes.find(adaptorUuid)).toMatchObject({ sequence: 7, applied: 7 });
  });

  it('ask for a gap once a second, and at once after a message was taken', () => {
    const intakes = new Intakes();
    const intake = intakes.start(adaptorUuid, channelAt('e1', 7));
    expect([0, 999, 1_000].map((nowMs) => mayAskForGap(intake, nowMs))).toEqual([true, false, true]);
    intakes.take(adaptorUuid, intake, { epoch: 'e1', sequence: 8 });
    expect(mayAskForGap(intakes.find(adaptorUuid) ?? intake, 1_001)).toBe(true);
  });
});
