import { describe, expect, it } from '@jest/globals';
import type { WebhookOutcome } from '@fds/webhook-client';
import { judgeAttempt } from './webhook-verdict.js';

const schedule = [5_000, 60_000];
const answered = (httpStatus: number, more: Partial<WebhookOutcome> = {}): WebhookOutcome => ({
  kind: httpStatus === 410 ? 'GONE' : 'FAILED',
  httpStatus,
  error: `the receiver answered ${httpStatus}`,
  milliseconds: 1,
  ...more,
});

describe('the verdict on an attempt', () => {
  it('lets the next message follow after a delivery', () => {
    expect(judgeAttempt({ kind: 'DELIVERED', milliseconds: 1 }, 1, schedule)).toEqual({ kind: 'DONE' });
  });

  it.each([400, 409, 413, 422])('gives up a message that the receiver refuses with %d', (status) => {
    expect(judgeAttempt(answered(status), 1, schedule)).toEqual({
      kind: 'REFUSED',
      detail: `the receiver answered ${status}`,
    });
  });

  it.each([302, 401, 403, 404, 405, 408, 429, 500, 503])('waits after %d, which is about the receiver', (status) => {
    expect(judgeAttempt(answered(status), 1, schedule)).toEqual({
      kind: 'RETRY',
      afterMs: 5_000,
      detail: `the receiver answered ${status} (attempt 1 of 3)`,
    });
  });

  it('follows the schedule, waits longer when the receiver asks for it, and stops at its end', () => {
    expect(judgeAttempt(answered(503), 2, schedule)).toMatchObject({ kind: 'RETRY', afterMs: 60_000 });
    expect(judgeAttempt(answered(503, { retryAfterMs: 90_000 }), 1, schedule)).toMatchObject({ afterMs: 90_000 });
    expect(judgeAttempt(answered(503), 3, schedule)).toEqual({
      kind: 'STOP',
      detail: 'the receiver answered 503 (attempt 3 of 3); PLAY tries again',
    });
  });

  it('waits for a target that is not permitted, because addresses of names change', () => {
    const refused = { kind: 'REFUSED_TARGET', error: 'not public', milliseconds: 1 } as const;
    expect(judgeAttempt(refused, 1, schedule)).toMatchObject({ kind: 'RETRY' });
  });

  it('stops at once at 410', () => {
    expect(judgeAttempt(answered(410), 1, schedule)).toEqual({
      kind: 'STOP',
      detail: 'the receiver answered 410; PLAY tries again',
    });
  });
});
