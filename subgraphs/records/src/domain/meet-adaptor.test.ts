import { describe, expect, it } from '@jest/globals';
import { isOutrun, meetAdaptor, toHello, type Channel } from './meet-adaptor.js';

const channel: Channel = {
  adaptorUuid: 'a',
  downEpoch: 'down',
  downBase: 100,
  downSequence: 120,
  downAcked: 110,
  upEpoch: 'up',
  upApplied: 7,
};
const newUuid = () => 'fresh';
const hello = { epoch: 'down', applied: 10, sendEpoch: 'up', sent: 9 };

describe('meeting an adaptor', () => {
  it('keeps both directions where the adaptor knows them', () => {
    expect(meetAdaptor(channel, hello, newUuid, 'NEW')).toEqual(channel);
  });

  it('takes what the adaptor says it has applied as acknowledged', () => {
    expect(meetAdaptor(channel, { ...hello, applied: 15 }, newUuid, 'NEW')).toEqual({ ...channel, downAcked: 115 });
  });

  it.each([
    ['lost its state', { epoch: null, applied: 0 }],
    ['went back behind what it acknowledged', { applied: 9 }],
    ['claims what was never sent', { applied: 21 }],
    ['knows another epoch', { epoch: 'other', applied: 10 }],
  ])('opens a new epoch after the last acknowledged number when the adaptor %s', (_, difference) => {
    const met = meetAdaptor(channel, { ...hello, ...difference }, newUuid, 'NEW');
    expect(met).toEqual({ ...channel, downEpoch: 'fresh', downBase: 110 });
    expect(toHello(met)).toMatchObject({ sendEpoch: 'fresh', sent: 10 });
  });

  it.each([
    ['lost its state', { epoch: null, applied: 0 }],
    ['stood before what was acknowledged since', { applied: 9 }],
    ['knew another epoch', { epoch: 'other', applied: 10 }],
  ])('opens no epoch for an old hello, of when the adaptor %s', (_, difference) => {
    expect(meetAdaptor(channel, { ...hello, ...difference }, newUuid, 'OLD')).toEqual(channel);
  });

  it('takes from an old hello what is news', () => {
    expect(meetAdaptor(channel, { ...hello, applied: 15, sendEpoch: 'new' }, newUuid, 'OLD')).toEqual({
      ...channel,
      downAcked: 115,
      upEpoch: 'new',
      upApplied: 0,
    });
  });

  it.each([
    ['before what was acknowledged', { applied: 9 }, true],
    ['at what was acknowledged', { applied: 10 }, false],
    ['in another epoch', { epoch: 'other', applied: 9 }, false],
  ])('knows a hello that stands %s', (_, difference, outrun) => {
    expect(isOutrun(channel, { ...hello, ...difference })).toBe(outrun);
  });

  it('keeps the epoch of which nothing was acknowledged, whatever the adaptor knows', () => {
    const untouched = { ...channel, downAcked: 100 };
    expect(meetAdaptor(untouched, { ...hello, epoch: 'other', applied: 10 }, newUuid, 'NEW')).toEqual(untouched);
  });

  it('starts a space of the adaptor that it does not know at its beginning', () => {
    expect(meetAdaptor(channel, { ...hello, sendEpoch: 'new' }, newUuid, 'NEW')).toMatchObject({
      upEpoch: 'new',
      upApplied: 0,
    });
  });
});
