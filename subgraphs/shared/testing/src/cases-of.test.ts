import { beforeEach, describe, expect, it } from '@jest/globals';
import { casesOf } from './cases-of.js';

describe('the number of cases of a random test', () => {
  beforeEach(() => {
    delete process.env['FDS_TEST_CAMPAIGN'];
  });

  it('is the usual one, or a multiple of it in a campaign', () => {
    expect(casesOf(30)).toBe(30);
    process.env['FDS_TEST_CAMPAIGN'] = '10';
    expect(casesOf(30)).toBe(300);
    process.env['FDS_TEST_CAMPAIGN'] = '0.01';
    expect(casesOf(30)).toBe(1);
  });

  it.each(['0', '-1', 'many', 'Infinity'])('is refused for the factor "%s"', (factor) => {
    process.env['FDS_TEST_CAMPAIGN'] = factor;
    expect(() => casesOf(30)).toThrow(`FDS_TEST_CAMPAIGN is a positive number, not "${factor}"`);
  });
});
