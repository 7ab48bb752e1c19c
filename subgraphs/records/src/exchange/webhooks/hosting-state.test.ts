import { describe, expect, it } from '@jest/globals';
import { reportInEffect } from './hosting-state.js';

describe('the report of a webhook adaptor that the catalog view does not show yet', () => {
  const reported = { shown: 'STARTING', state: 'STARTED', untilMs: 5_000 };

  it('counts while the view shows the state from before the report', () => {
    expect(reportInEffect(reported, 'STARTING', 5_000)).toBe(reported);
  });

  it('ends when the view shows another state', () => {
    expect(reportInEffect(reported, 'PAUSING', 0)).toBeUndefined();
  });

  it('ends when its time is over', () => {
    expect(reportInEffect(reported, 'STARTING', 5_001)).toBeUndefined();
  });

  it('is absent before the first report', () => {
    expect(reportInEffect(undefined, 'STARTING', 0)).toBeUndefined();
  });
});
