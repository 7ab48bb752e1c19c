import { describe, expect, it } from '@jest/globals';
import { withReportsBefore, type BatchedReport } from './stale-reports.js';

const issueUuid = 'issue';

const eventOf = (adaptorUuid: string, digest: string, parked?: Partial<BatchedReport['parked']>): BatchedReport =>
  ({
    adaptor: { uuid: adaptorUuid },
    event: { version: { uuid: 'version' }, key: { digest } },
    ...(parked === undefined ? {} : { parked: { issueUuid, adaptorUuid, keyDigest: null, ...parked } }),
  }) as BatchedReport;

const oldIn = (...batch: readonly BatchedReport[]): string[] => [...withReportsBefore(new Set(), batch)];

describe('a parked event in a batch', () => {
  const parked = eventOf('a', 'k', {});

  it('is stale if it has no key and a report of its record by the same adaptor comes before it', () => {
    expect(oldIn(eventOf('a', 'k'), parked)).toEqual([issueUuid]);
  });

  it('is not stale if that report comes after it, or concerns another adaptor or record', () => {
    expect(oldIn(parked, eventOf('a', 'k'))).toEqual([]);
    expect(oldIn(eventOf('b', 'k'), eventOf('a', 'other'), parked)).toEqual([]);
  });

  it('is not stale if a person orders the retry, or if it was parked with a key', () => {
    const order = { changeVersion: 1, action: 'PATCH', actorUuid: 'person' } as const;
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { order }))).toEqual([]);
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { keyDigest: 'k' }))).toEqual([]);
  });

  it('is stale if the database has found a later report', () => {
    expect([...withReportsBefore(new Set(['known']), [eventOf('a', 'k')])]).toEqual(['known']);
  });
});
