import { describe, expect, it } from '@jest/globals';
import { nextReport, type HostedMoment } from './next-report.js';

const moment = (more: Partial<HostedMoment>): HostedMoment => ({
  active: true,
  state: 'STARTED',
  condition: { kind: 'WELL' },
  fault: undefined,
  isIdle: true,
  ...more,
});
const failing = { condition: { kind: 'FAILING', message: 'answered 500' } } as const;

describe('the next report of a webhook adaptor', () => {
  it.each(['DOWN', 'STARTING'])('is STARTED with a new attempt in state %s', (state) => {
    expect(nextReport(moment({ state, ...failing }))).toEqual({ state: 'STARTED', retries: true });
    expect(nextReport(moment({ state, fault: 'no url' }))).toEqual({ state: 'ERROR', message: 'no url' });
  });

  it.each(['DOWN_PAUSED', 'PAUSING'])('is PAUSED in state %s when nothing is under way', (state) => {
    expect(nextReport(moment({ state, isIdle: false }))).toBeUndefined();
    expect(nextReport(moment({ state }))).toEqual({ state: 'PAUSED' });
    expect(nextReport(moment({ state, ...failing }))).toEqual({ state: 'PAUSED' });
  });

  it('follows the receiver and the metadata while it runs', () => {
    expect(nextReport(moment({}))).toBeUndefined();
    expect(nextReport(moment(failing))).toEqual({ state: 'ERROR', message: 'answered 500' });
    expect(nextReport(moment({ fault: 'no url' }))).toEqual({ state: 'ERROR', message: 'no url' });
    expect(nextReport(moment({ state: 'ERROR' }))).toEqual({ state: 'STARTED' });
    expect(nextReport(moment({ state: 'ERROR', ...failing }))).toEqual({ state: 'ERROR', message: 'answered 500' });
  });

  it('is none while it is paused', () => {
    expect(nextReport(moment({ state: 'PAUSED', ...failing, fault: 'no url' }))).toBeUndefined();
  });

  it('is DOWN for an inactive adaptor, once', () => {
    expect(nextReport(moment({ active: false }))).toEqual({ state: 'DOWN' });
    expect(nextReport(moment({ active: false, state: 'DOWN' }))).toBeUndefined();
    expect(nextReport(moment({ active: false, state: 'DOWN_PAUSED' }))).toBeUndefined();
  });
});
