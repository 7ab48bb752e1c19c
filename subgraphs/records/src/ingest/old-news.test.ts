import { describe, expect, it } from '@jest/globals';
import type { QueuedEvent } from './queued-event.js';
import { withNewsBefore } from './old-news.js';

const issueUuid = 'issue';

const eventOf = (adaptorUuid: string, digest: string, held?: Partial<QueuedEvent['held']>): QueuedEvent =>
  ({
    adaptor: { uuid: adaptorUuid },
    event: { version: { uuid: 'version' }, key: { digest } },
    position: undefined,
    ...(held === undefined ? {} : { held: { issueUuid, adaptorUuid, keyDigest: null, ...held } }),
  }) as QueuedEvent;

const oldIn = (...batch: readonly QueuedEvent[]): string[] => [...withNewsBefore(new Set(), batch)];

describe('an event that was held without a key', () => {
  const held = eventOf('a', 'k', {});

  it('is old news behind a later report of its record in the batch', () => {
    expect(oldIn(eventOf('a', 'k'), held)).toEqual([issueUuid]);
  });

  it('continues in front of it, and next to reports of others', () => {
    expect(oldIn(held, eventOf('a', 'k'))).toEqual([]);
    expect(oldIn(eventOf('b', 'k'), eventOf('a', 'other'), held)).toEqual([]);
  });

  it('continues when a person insists, and when it parked its key', () => {
    const order = { changeVersion: 1, action: 'PATCH', actorUuid: 'person' } as const;
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { order }))).toEqual([]);
    expect(oldIn(eventOf('a', 'k'), eventOf('a', 'k', { keyDigest: 'k' }))).toEqual([]);
  });

  it('stays the content that the database knows', () => {
    expect([...withNewsBefore(new Set(['known']), [eventOf('a', 'k')])]).toEqual(['known']);
  });
});
