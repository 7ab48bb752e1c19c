import { describe, expect, it } from '@jest/globals';
import { countMetrics, type KnownCounts } from './count-metrics.js';

const at = (minute: number): Date => new Date(minute * 60_000);
const known: KnownCounts = {
  total: { date: at(9), sent: 7, received: 0 },
  periods: {
    DAY: [{ date: at(0), sent: 5, received: 2 }],
    HOUR: [
      { date: at(0), sent: 5, received: 0 },
      { date: at(60), sent: 0, received: 2 },
    ],
  },
};

describe('metrics', () => {
  it('are a history for each type and period, without periods that have no events', () => {
    const metrics = countMetrics(known);
    expect(metrics.map(({ type, period }) => `${type} ${period}`)).toEqual([
      'SENT ALL_TIME',
      'SENT DAY',
      'SENT HOUR',
      'SENT MINUTE',
      'RECEIVED ALL_TIME',
      'RECEIVED DAY',
      'RECEIVED HOUR',
      'RECEIVED MINUTE',
    ]);
    expect(metrics.map(({ dateCount }) => dateCount)).toEqual([
      [{ date: at(9), count: 7 }],
      [{ date: at(0), count: 5 }],
      [{ date: at(0), count: 5 }],
      [],
      [{ date: at(9), count: 0 }],
      [{ date: at(0), count: 2 }],
      [{ date: at(60), count: 2 }],
      [],
    ]);
  });

  it('are only the requested ones', () => {
    expect(countMetrics(known, { type: 'RECEIVED', period: 'HOUR' })).toEqual([
      { type: 'RECEIVED', period: 'HOUR', dateCount: [{ date: at(60), count: 2 }] },
    ]);
    expect(countMetrics(known, { type: 'SENT' })).toHaveLength(4);
    expect(countMetrics({ total: undefined, periods: {} }, { period: 'ALL_TIME' })).toEqual([
      { type: 'SENT', period: 'ALL_TIME', dateCount: [] },
      { type: 'RECEIVED', period: 'ALL_TIME', dateCount: [] },
    ]);
  });
});
