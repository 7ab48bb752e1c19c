import { describe, expect, it } from '@jest/globals';
import { withTimeTexts } from './exact-times.js';

describe('the times of SQL Server', () => {
  it('are texts with microseconds, and other values stay unchanged', () => {
    const bytes = Buffer.from([1]);
    const time = Object.assign(new Date('2026-01-01T00:00:00.123Z'), { nanosecondsDelta: 0.000456 });
    expect(withTimeTexts([{ time, plain: new Date(0), bytes, none: null }])).toEqual([
      { time: '2026-01-01T00:00:00.123456Z', plain: '1970-01-01T00:00:00.000000Z', bytes, none: null },
    ]);
    expect(withTimeTexts(7)).toBe(7);
  });
});
