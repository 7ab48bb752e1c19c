import { describe, expect, it } from '@jest/globals';
import {
  failingReceiver,
  isSameCondition,
  oneMoreFailure,
  receiverAfterOwnError,
  receiverToRetry,
  recoveredReceiver,
  untriedReceiver,
  type WebhookCondition,
} from './receiver-state.js';

const failing = failingReceiver({ failures: 2, afterMs: 5_000, detail: 'answered 500' }, 1_000);

describe('the state of the receiver of a webhook adaptor', () => {
  it('counts failures, and waits as long as the last one says', () => {
    const failed = oneMoreFailure(failing, { kind: 'RETRY', afterMs: 30_000, detail: 'answered 503' });
    expect(failed).toEqual({ failures: 3, afterMs: 30_000, detail: 'answered 503' });
    expect(failingReceiver(failed, 6_000)).toEqual({
      failures: 3,
      notBeforeMs: 36_000,
      condition: { kind: 'FAILING', message: 'answered 503' },
    });
  });

  it('waits without end after STOP', () => {
    const failed = oneMoreFailure(untriedReceiver, { kind: 'STOP', detail: 'answered 410' });
    expect(failingReceiver(failed, 6_000)).toMatchObject({ failures: 1, notBeforeMs: Infinity });
  });

  it('is as before the first attempt once the receiver has recovered, except for the time of the last wait', () => {
    expect(recoveredReceiver(failing)).toEqual({ ...untriedReceiver, notBeforeMs: 6_000 });
  });

  it('stays failing while the receiver is tried again without a wait', () => {
    expect(receiverToRetry(failing)).toEqual({ failures: 0, notBeforeMs: 0, condition: failing.condition });
  });

  it('waits a second after an error of the service, and no less than it had to wait before', () => {
    expect(receiverAfterOwnError(untriedReceiver, 7_000)).toEqual({ ...untriedReceiver, notBeforeMs: 8_000 });
    expect(receiverAfterOwnError(failing, 1_000)).toEqual(failing);
  });

  it('has the same condition as another one when both are well, or both fail for the same reason', () => {
    const well: WebhookCondition = { kind: 'WELL' };
    const away: WebhookCondition = { kind: 'FAILING', message: 'away' };
    const busy: WebhookCondition = { kind: 'FAILING', message: 'busy' };
    const pairs = [well, away, busy].map((one) =>
      [well, { ...away }, busy].map((other) => isSameCondition(one, other)),
    );
    expect(pairs).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });
});
