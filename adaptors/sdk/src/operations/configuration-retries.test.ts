import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../handlers.js';
import { waitBeforeRetry } from './configuration-retries.js';

const waits = (error: unknown): (number | undefined)[] =>
  [0, 1, 2, 3, 10, 1000].map((attempt) => waitBeforeRetry(error, attempt));

describe('the delay between attempts to apply a configuration', () => {
  it('grows to a minute for failures that may be temporary', () => {
    expect(waits(new ConfigurationError('away', { retry: 'SOON' }))).toEqual([
      1_000, 2_000, 4_000, 8_000, 60_000, 60_000,
    ]);
  });

  it('starts at half a minute for failures that a person must fix', () => {
    expect(waits(new ConfigurationError('password', { retry: 'RARELY' }))).toEqual([
      30_000, 60_000, 120_000, 240_000, 600_000, 600_000,
    ]);
  });

  it('is unlimited for failures that only another configuration can fix', () => {
    expect(waits(new ConfigurationError('misspelt'))).toEqual(Array(6).fill(undefined));
    expect(waits(new Error('any'))).toEqual(Array(6).fill(undefined));
  });
});
