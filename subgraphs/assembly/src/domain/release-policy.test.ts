import { describe, expect, it } from '@jest/globals';
import type { ReleasePolicy, Tier } from '@fds/assembly-contract';
import { isReleased, preferredSources } from './release-policy.js';
import type { AskedSource, Outcome, SentRecords } from './source.js';

const data = (records: readonly string[]): SentRecords => new Map(records.map((record) => [record, { data: {} }]));

const asked = (
  tier: Tier,
  outcome: Outcome,
  records: string[] = ['r'],
  sent: SentRecords = data(records),
): AskedSource => ({
  source: { adaptorUuid: `${tier}-${outcome}`, name: tier, zoneUuid: 'z', zoneName: 'Z', tier },
  recordUuids: new Set(records),
  outcome,
  sent: outcome === 'ANSWERED' ? sent : new Map(),
});

describe('isReleased', () => {
  it.each<[string, ReleasePolicy, AskedSource[], boolean]>([
    ['gold answered, silver pending', 'GOLD', [asked('GOLD', 'ANSWERED'), asked('SILVER', 'PENDING')], true],
    ['gold pending, silver answered', 'GOLD', [asked('GOLD', 'PENDING'), asked('SILVER', 'ANSWERED')], false],
    ['gold is down, so silver decides', 'GOLD', [asked('GOLD', 'DOWN'), asked('SILVER', 'PENDING')], false],
    [
      'one gold of two is down',
      'GOLD',
      [asked('GOLD', 'DOWN'), asked('GOLD', 'ANSWERED'), asked('SILVER', 'PENDING')],
      true,
    ],
    ['gold failed, silver is not waited for', 'GOLD', [asked('GOLD', 'FAILED'), asked('SILVER', 'PENDING')], true],
    [
      'gold and silver are down, so all decide',
      'GOLD_SILVER',
      [asked('SILVER', 'DOWN'), asked('BRONZE', 'PENDING')],
      false,
    ],
    ['no gold: silver decides', 'GOLD', [asked('SILVER', 'ANSWERED'), asked('BRONZE', 'PENDING')], true],
    ['neither gold nor silver: all', 'GOLD', [asked('BRONZE', 'ANSWERED'), asked('BRONZE', 'PENDING')], false],
    ['gold and silver both', 'GOLD_SILVER', [asked('GOLD', 'ANSWERED'), asked('SILVER', 'PENDING')], false],
    ['bronze is not waited for', 'GOLD_SILVER', [asked('SILVER', 'FAILED'), asked('BRONZE', 'PENDING')], true],
    ['ASAP: any answer for the record', 'ASAP', [asked('BRONZE', 'ANSWERED'), asked('GOLD', 'PENDING')], true],
    ['ASAP: nothing yet', 'ASAP', [asked('BRONZE', 'FAILED'), asked('GOLD', 'PENDING')], false],
    ['no adaptor to ask', 'GOLD', [], true],
  ])('%s', (_, policy, sources, released) => {
    expect(isReleased(policy, sources, ['r'])).toBe(released);
  });

  it('under ASAP, waits for each record that a pending source has', () => {
    const sources = [asked('GOLD', 'ANSWERED', ['r']), asked('SILVER', 'PENDING', ['s'])];
    expect(isReleased('ASAP', sources, ['r', 's'])).toBe(false);
    expect(isReleased('ASAP', sources, ['r'])).toBe(true);
  });

  it.each<[string, SentRecords]>([
    ['leaves the record out', new Map()],
    ['no longer has the record', new Map([['r', { data: null }]])],
  ])('under ASAP, waits for another source when an answer %s', (_, sent) => {
    const pending = asked('BRONZE', 'PENDING');
    expect(isReleased('ASAP', [asked('GOLD', 'ANSWERED', ['r'], sent), pending], ['r'])).toBe(false);
    const answered = [asked('GOLD', 'ANSWERED', ['r'], sent), asked('SILVER', 'ANSWERED'), pending];
    expect(isReleased('ASAP', answered, ['r'])).toBe(true);
  });
});

describe('preferredSources', () => {
  const [gold, silver, bronze] = [asked('GOLD', 'PENDING'), asked('SILVER', 'DOWN'), asked('BRONZE', 'FAILED')];

  it.each<[ReleasePolicy, string, AskedSource[], AskedSource[]]>([
    ['GOLD', 'the gold ones', [gold, silver, bronze], [gold]],
    ['GOLD', 'without gold the silver ones', [silver, bronze], [silver]],
    ['GOLD', 'without gold and silver all', [bronze], [bronze]],
    ['GOLD_SILVER', 'gold and silver ones', [gold, silver, bronze], [gold, silver]],
    ['GOLD_SILVER', 'the silver ones alone', [silver, bronze], [silver]],
    ['GOLD_SILVER', 'without gold and silver all', [bronze], [bronze]],
    ['ASAP', 'all', [gold, silver, bronze], [gold, silver, bronze]],
  ])('of %s are %s', (policy, _, sources, preferred) => {
    expect(preferredSources(policy, sources)).toEqual(preferred);
  });
});
