import { describe, expect, it } from '@jest/globals';
import type { Hello, Verdict } from '@fds/adaptor-protocol';
import { meetAdaptor, standingOf, toHello, type Channel } from './meet-adaptor.js';

const channel: Channel = {
  adaptorUuid: 'a',
  downEpoch: 'down',
  downBase: 100,
  downSequence: 120,
  downAcked: 110,
  upEpoch: 'up',
  upApplied: 7,
};
const hello = { epoch: 'down', applied: 10, sendEpoch: 'up', sent: 9 };

const meet = (difference: Partial<Hello>, own: Verdict['own'], theirs: Verdict['theirs'] = 'TAKE'): Channel =>
  meetAdaptor(channel, { ...hello, ...difference }, { own, theirs }, () => 'fresh');

describe('meeting an adaptor', () => {
  it('keeps both directions where the adaptor knows them', () => {
    expect(meet({}, 'GO_ON')).toEqual(channel);
  });

  it('takes the position that the adaptor has applied as acknowledged', () => {
    expect(meet({ applied: 15 }, 'GO_ON')).toEqual({ ...channel, downAcked: 115 });
  });

  it.each([{ applied: 9 }, { epoch: 'other', applied: 99 }, { epoch: null, applied: 0 }])(
    'takes back nothing that was acknowledged because of %j',
    (difference) => expect(meet(difference, 'GO_ON')).toEqual(channel),
  );

  it.each([{ applied: 15 }, { applied: 9 }, { epoch: 'other' }])(
    'learns nothing from the doubtful %j',
    (difference) => {
      expect(meet(difference, 'KEEP')).toEqual(channel);
    },
  );

  it('opens a new epoch after the last acknowledged number when the adaptor has lost its state', () => {
    const met = meet({ epoch: null, applied: 0 }, 'RENEW');
    expect(met).toEqual({ ...channel, downEpoch: 'fresh', downBase: 110 });
    expect(toHello(met)).toMatchObject({ sendEpoch: 'fresh', sent: 10 });
  });

  it('starts a space of the adaptor that it does not know at its beginning, unless it is to be kept', () => {
    expect(meet({ sendEpoch: 'new' }, 'GO_ON')).toEqual({ ...channel, upEpoch: 'new', upApplied: 0 });
    expect(meet({ sendEpoch: 'new' }, 'GO_ON', 'KEEP')).toEqual(channel);
  });

  it('stands in the numbers of the wire', () => {
    expect(standingOf(channel)).toMatchObject({ sender: { epoch: 'down', acked: 10, last: 20 }, receives: 'up' });
  });
});
