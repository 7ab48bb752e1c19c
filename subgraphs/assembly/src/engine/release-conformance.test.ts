import { describe, expect, it } from '@jest/globals';
import type { AssembledStatus, ReleasePolicy, Tier } from '@fds/assembly-contract';
import { compileModelSchema } from '@fds/model-schema';
import { planMerge } from '../domain/merge-plan.js';
import { isReleased } from '../domain/release-policy.js';
import { readRequestedProperties } from '../domain/requested-properties.js';
import type { Outcome, SentRecords } from '../domain/source.js';
import type { Gathered } from './gathering.js';
import { createRecordMerger } from './record-merger.js';

const { model } = compileModelSchema({
  modelSchema: { properties: { id: { type: 'string' }, size: { type: 'integer' } } },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model does not compile');
const plan = planMerge(readRequestedProperties(undefined, model.properties), model);

/** A source that should have the record, by its letter in the table. */
const states: Readonly<Record<string, readonly [Outcome, SentRecords]>> = {
  '?': ['PENDING', new Map()],
  F: ['FAILED', new Map()],
  D: ['DOWN', new Map()],
  /** It answered with data. */
  A: ['ANSWERED', new Map([['r', { data: { id: 'x' } }]])],
  /** A value has another type than the model says. */
  P: ['ANSWERED', new Map([['r', { data: { id: 'x', size: 'large' } }]])],
  /** It no longer has the record. */
  G: ['ANSWERED', new Map([['r', { data: null }]])],
  /** The answer leaves the record out. */
  M: ['ANSWERED', new Map()],
};
const tiers: readonly Tier[] = ['GOLD', 'SILVER', 'BRONZE'];

const gather = (letters: string): Gathered[] =>
  tiers.flatMap((tier, index) => {
    const state = states[letters[index] ?? ''];
    if (state === undefined) return [];
    const [outcome, sent] = state;
    return [
      {
        source: { adaptorUuid: tier, name: tier, zoneUuid: 'z', zoneName: 'Z', tier },
        recordUuids: new Set(['r']),
        outcome,
        sent,
        milliseconds: 0,
      },
    ];
  });

/**
 * One source of each tier: gold, silver, bronze; `-` means that the tier has no source. The status is that of an answer
 * at this moment.
 */
const table: Readonly<Record<ReleasePolicy, string>> = {
  GOLD: `
    A??  released  PREFERRED_COMPLETE
    A-?  released  PREFERRED_COMPLETE
    ?AA  waits     FALLBACK
    ?-A  waits     FALLBACK
    ???  waits     UNAVAILABLE
    FA?  released  FALLBACK
    F?A  released  FALLBACK
    F??  released  UNAVAILABLE
    D?A  waits     FALLBACK
    DA?  released  FALLBACK
    DF?  released  UNAVAILABLE
    D-?  waits     UNAVAILABLE
    D-A  released  FALLBACK
    DD?  waits     UNAVAILABLE
    DDA  released  FALLBACK
    DDD  released  UNAVAILABLE
    -A?  released  PREFERRED_COMPLETE
    -?A  waits     FALLBACK
    -FA  released  FALLBACK
    -D?  waits     UNAVAILABLE
    -DA  released  FALLBACK
    --A  released  PREFERRED_COMPLETE
    --?  waits     UNAVAILABLE
    --F  released  UNAVAILABLE
    ---  released  UNAVAILABLE
    PAA  released  PREFERRED_PARTIAL
    GA?  released  PREFERRED_COMPLETE
    G??  released  UNAVAILABLE
    MA?  released  FALLBACK
    M??  released  UNAVAILABLE`,
  GOLD_SILVER: `
    AA?  released  PREFERRED_COMPLETE
    A?A  waits     PREFERRED_PARTIAL
    ?AA  waits     PREFERRED_PARTIAL
    ??A  waits     FALLBACK
    AF?  released  PREFERRED_PARTIAL
    AD?  released  PREFERRED_PARTIAL
    FA?  released  PREFERRED_PARTIAL
    DA?  released  PREFERRED_PARTIAL
    D?A  waits     FALLBACK
    FFA  released  FALLBACK
    FF?  released  UNAVAILABLE
    DDA  released  FALLBACK
    DD?  waits     UNAVAILABLE
    DF?  released  UNAVAILABLE
    A-?  released  PREFERRED_COMPLETE
    -A?  released  PREFERRED_COMPLETE
    -?A  waits     FALLBACK
    --A  released  PREFERRED_COMPLETE
    --?  waits     UNAVAILABLE
    ---  released  UNAVAILABLE
    PA?  released  PREFERRED_PARTIAL
    GA?  released  PREFERRED_COMPLETE
    GG?  released  UNAVAILABLE
    GGA  released  PREFERRED_COMPLETE
    GMA  released  FALLBACK
    AM?  released  PREFERRED_PARTIAL`,
  ASAP: `
    A??  released  PREFERRED_PARTIAL
    ??A  released  PREFERRED_PARTIAL
    AAA  released  PREFERRED_COMPLETE
    AFA  released  PREFERRED_PARTIAL
    F??  waits     UNAVAILABLE
    FDF  released  UNAVAILABLE
    D?A  released  PREFERRED_PARTIAL
    DD?  waits     UNAVAILABLE
    --A  released  PREFERRED_COMPLETE
    ---  released  UNAVAILABLE
    P??  released  PREFERRED_PARTIAL
    G??  waits     UNAVAILABLE
    GA?  released  PREFERRED_PARTIAL
    GAG  released  PREFERRED_COMPLETE
    GGG  released  UNAVAILABLE
    M??  waits     UNAVAILABLE
    MAA  released  PREFERRED_PARTIAL`,
};

const rows = Object.entries(table).flatMap(([policy, text]) =>
  text
    .trim()
    .split('\n')
    .map(
      (row) => [policy as ReleasePolicy, ...(row.trim().split(/\s+/) as [string, string, AssembledStatus])] as const,
    ),
);

describe('release policies', () => {
  it.each(rows)('%s with %s: %s, %s', (policy, letters, release, status) => {
    const gathered = gather(letters);
    const merge = createRecordMerger({
      policy,
      plan,
      provenance: false,
      timestampSearch: undefined,
      visible: () => ({ extent: 'ALL', has: () => true }),
      restriction: undefined,
    });
    const [record] = merge(
      [{ uuid: 'r', drKey: {}, json: null, lastUpdated: 0, keyHolder: null, holdings: new Map() }],
      gathered,
    );
    expect([isReleased(policy, gathered, ['r']) ? 'released' : 'waits', record?.status]).toEqual([release, status]);
  });
});
