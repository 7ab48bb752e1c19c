import { describe, expect, it } from '@jest/globals';
import { createHistogram } from './histogram.js';

describe('a histogram', () => {
  it('counts a value in every bucket that holds it, the upper end included', () => {
    const histogram = createHistogram({
      name: 'h',
      help: 'Help',
      buckets: [1, 2],
      labelsOf: (kind = '') => ({ kind }),
    });
    for (const value of [0.5, 1, 1.5, 3]) histogram.series('a').observe(value);
    expect(histogram.text()).toBe(
      [
        '# HELP h Help',
        '# TYPE h histogram',
        'h_bucket{kind="a",le="1"} 2',
        'h_bucket{kind="a",le="2"} 3',
        'h_bucket{kind="a",le="+Inf"} 4',
        'h_sum{kind="a"} 6',
        'h_count{kind="a"} 4',
        '',
      ].join('\n'),
    );
  });

  it('shows series with equal labels as one, and none without labels', () => {
    const labels: Record<string, { name: string } | undefined> = { a: { name: 'x"\\' }, b: { name: 'x"\\' } };
    const histogram = createHistogram({ name: 'h', help: 'Help', buckets: [1], labelsOf: (key = '') => labels[key] });
    for (const key of ['a', 'b', 'c']) histogram.series(key).observe(1);
    expect(histogram.text().match(/h_count.*/g)).toEqual([String.raw`h_count{name="x\"\\"} 2`]);
    histogram.forget('a');
    expect(histogram.text()).toContain(String.raw`h_count{name="x\"\\"} 1`);
  });
});
