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

describe('an event that was parked without a key', () => {
  const parked = eventOf('a', 'k', {});

  it('is stale behind a later report of its record in the batch', () => {
    expect(oldIn(eventOf('a', 'k'), parked)).toEqual([issueUuid]);
  });

  it('continues in front of it, and next to reports of others', () => {
    expect(oldIn(parked, eventOf('a', 'k'))).toEqual([]);
    expect(oldIn(eventOf('b', 'k'), eventOf('a', 'other'), parked)).toEqual([]);
  });

  it('continues when a person insists, and when it parked its key', () => {
    const order = { changeVersion: 1, action: 'PATCH', actorUuid: 'person' } as const;
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { order }))).toEqual([]);
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { keyDigest: 'k' }))).toEqual([]);
  });

  it('stays the content that the database knows', () => {
    expect([...withReportsBefore(new Set(['known']), [eventOf('a', 'k')])]).toEqual(['known']);
  });
});
