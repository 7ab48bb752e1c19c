import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { expectProblem } from '../expect-problem.js';
import { setUpDoors } from '../set-up-doors.js';

describe('a service with a rate limit of 20 requests a second', () => {
  const { doors } = setUpDoors({ FDS_RATE_LIMIT: '20' });

  it('returns the time of the next allowed request, and does not affect other callers', async () => {
    const { admin, dgs } = doors;
    const answers = await Promise.all(Array.from({ length: 100 }, () => admin.rest<unknown>('GET', '/zones')));
    const other = await dgs.rest<unknown>('GET', '/domains');
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(50);
    expect(answers.length - refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectProblem(answer, { status: 429, code: 'RATE_LIMITED' });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(Object.keys(refused[0]?.headers ?? {}).some((name) => name.startsWith('ratelimit'))).toBe(true);
    expect(other.status).toBe(200);
    await eventually(async () => expect((await admin.rest('GET', '/zones')).status).toBe(200), {
      deadlineMs: 5000,
      intervalMs: 200,
    });
  });
});
