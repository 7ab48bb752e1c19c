import { describe, expect, it } from '@jest/globals';
import { duePreviews, type LastReconciliation, type ScheduledPair } from './due-previews.js';

const hour = 3_600_000;
const now = 1_000 * hour;
const pair = (adaptorUuid: string, everyHours = 24): ScheduledPair => ({
  zoneUuid: 'zone',
  adaptorUuid,
  domainVersionUuid: 'version',
  everyHours,
  policy: { values: 'KEEP', missingHere: 'KEEP', missingThere: 'KEEP' },
});
const last = (
  adaptorUuid: string,
  hoursAgo: number,
  status: LastReconciliation['status'] = 'DONE',
): LastReconciliation => ({ adaptorUuid, domainVersionUuid: 'version', status, startedAtMs: now - hoursAgo * hour });

const due = (pairs: readonly ScheduledPair[], known: readonly LastReconciliation[]): readonly string[] =>
  duePreviews(pairs, known, now).map(({ adaptorUuid }) => adaptorUuid);

describe('previews that are due', () => {
  it('are those whose time has passed since the last reconciliation began', () => {
    expect(due([pair('a'), pair('b')], [last('a', 24), last('b', 23.9)])).toEqual(['a']);
    expect(due([pair('a', 1)], [last('a', 1)])).toEqual(['a']);
  });

  it('begin with pairs that were never compared, and go on with those that have waited longest', () => {
    const pairs = ['a', 'b', 'c', 'd'].map((name) => pair(name));
    expect(due(pairs, [last('a', 25), last('c', 90)])).toEqual(['b', 'd', 'c', 'a']);
  });

  it('are not those of pairs that are being compared', () => {
    expect(due([pair('a')], [last('a', 100, 'RUNNING')])).toEqual([]);
  });

  it('follow a failure after an hour, and a cancelled one after the whole time', () => {
    const pairs = [pair('a'), pair('b'), pair('c')];
    expect(due(pairs, [last('a', 1, 'FAILED'), last('b', 0.9, 'FAILED'), last('c', 2, 'CANCELLED')])).toEqual(['a']);
  });
});
