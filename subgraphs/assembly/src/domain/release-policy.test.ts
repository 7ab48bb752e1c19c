import { describe, expect, it } from '@jest/globals';
import type { ReleasePolicy, Tier } from '@fds/assembly-contract';
import { isReleased, statusOf } from './release-policy.js';
import type { AskedSource, Outcome } from './source.js';

const asked = (tier: Tier, outcome: Outcome, records: string[] = ['r']): AskedSource => ({
  source: { adaptorUuid: `${tier}-${outcome}`, name: tier, zoneUuid: 'z', zoneName: 'Z', tier },
  recordUuids: new Set(records),
  outcome,
});

describe('isReleased', () => {
  it.each<[string, ReleasePolicy, AskedSource[], boolean]>([
    ['gold answered, silver pending', 'GOLD', [asked('GOLD', 'ANSWERED'), asked('SILVER', 'PENDING')], true],
    ['gold pending, silver answered', 'GOLD', [asked('GOLD', 'PENDING'), asked('SILVER', 'ANSWERED')], false],
    ['gold down is not waited for', 'GOLD', [asked('GOLD', 'DOWN'), asked('SILVER', 'PENDING')], true],
    ['no gold: silver decides', 'GOLD', [asked('SILVER', 'ANSWERED'), asked('BRONZE', 'PENDING')], true],
    ['neither gold nor silver: all', 'GOLD', [asked('BRONZE', 'ANSWERED'), asked('BRONZE', 'PENDING')], false],
    ['gold and silver both', 'GOLD_SILVER', [asked('GOLD', 'ANSWERED'), asked('SILVER', 'PENDING')], false],
    ['bronze is not waited for', 'GOLD_SILVER', [asked('SILVER', 'FAILED'), asked('BRONZE', 'PENDING')], true],
    ['ASAP: any answer for the record', 'ASAP', [asked('BRONZE', 'ANSWERED'), asked('GOLD', 'PENDING')], true],
    ['ASAP: nothing yet', 'ASAP', [asked('BRONZE', 'FAILED'), asked('GOLD', 'PENDING')], false],
    ['nobody to ask', 'GOLD', [], true],
  ])('%s', (_, policy, sources, released) => {
    expect(isReleased(policy, sources, ['r'])).toBe(released);
  });

  it('waits under ASAP for each record that somebody pending holds', () => {
    const sources = [asked('GOLD', 'ANSWERED', ['r']), asked('SILVER', 'PENDING', ['s'])];
    expect(isReleased('ASAP', sources, ['r', 's'])).toBe(false);
    expect(isReleased('ASAP', sources, ['r'])).toBe(true);
  });
});

describe('statusOf', () => {
  it.each<[string, AskedSource[], string]>([
    ['everyone preferred answered', [asked('GOLD', 'ANSWERED'), asked('BRONZE', 'PENDING')], 'PREFERRED_COMPLETE'],
    ['one of two preferred', [asked('GOLD', 'ANSWERED'), asked('SILVER', 'FAILED')], 'PREFERRED_PARTIAL'],
    ['only others', [asked('GOLD', 'DOWN'), asked('BRONZE', 'ANSWERED')], 'FALLBACK'],
    ['nobody', [asked('GOLD', 'PENDING')], 'UNAVAILABLE'],
    [
      'a preferred source that does not hold it',
      [asked('GOLD', 'FAILED', ['s']), asked('BRONZE', 'ANSWERED')],
      'PREFERRED_COMPLETE',
    ],
  ])('%s', (_, sources, status) => {
    expect(statusOf('GOLD_SILVER', sources, 'r')).toBe(status);
  });
});
