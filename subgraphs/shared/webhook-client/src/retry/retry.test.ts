import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './parse-retry-after.js';
import {
  admitToReceiver,
  afterReceiverFailure,
  afterReceiverSuccess,
  closedReceiverCircuit,
  type ReceiverCircuit,
} from './receiver-circuit.js';
import { defaultRetrySchedule, retryDelay } from './retry-delay.js';

const now = new Date('2026-11-23T08:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['99999999999999999999', 86_400_000],
    ['Mon, 23 Nov 2026 08:01:00 GMT', 60_000],
    ['Monday, 23-Nov-26 08:01:00 GMT', 60_000],
    ['Mon Nov 23 08:01:00 2026', 60_000],
    ['Mon, 23 Nov 2026 07:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ])('%s is a wait of %d ms', (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });

  it.each([undefined, '', '-1', '1.5', '1e3', 'soon', '2026-11-23', 'Mon, 99 Nov 2026 08:01:00 GMT'])(
    '%s says nothing',
    (value) => {
      expect(parseRetryAfter(value, now)).toBeUndefined();
    },
  );
});

describe('the schedule', () => {
  it('has seven retries and then none', () => {
    const waits = Array.from({ length: 9 }, (_, index) =>
      retryDelay({ attempts: index + 1, schedule: defaultRetrySchedule }),
    );
    const minute = 60_000;
    expect(waits.slice(0, 7)).toEqual([5_000, ...[5, 30, 120, 300, 600, 600].map((minutes) => minutes * minute)]);
    expect(waits.slice(7)).toEqual([undefined, undefined]);
  });

  it('waits longer when the receiver asks for it, and never shorter', () => {
    expect(retryDelay({ attempts: 1, schedule: [5_000], retryAfterMs: 60_000 })).toBe(60_000);
    expect(retryDelay({ attempts: 1, schedule: [5_000], retryAfterMs: 1 })).toBe(5_000);
    expect(retryDelay({ attempts: 2, schedule: [5_000], retryAfterMs: 60_000 })).toBeUndefined();
  });
});

describe('the circuit of a receiver', () => {
  const policy = { failures: 3, coolDownMs: 1_000, maxCoolDownMs: 3_000 };
  const fail = (circuit: ReceiverCircuit, nowMs: number) => afterReceiverFailure(circuit, nowMs, policy);

  const opened = (): ReceiverCircuit => [0, 0, 0].reduce<ReceiverCircuit>(fail, closedReceiverCircuit);

  it('opens after so many failures one after the other, and not before', () => {
    const nearly = fail(fail(closedReceiverCircuit, 0), 0);
    expect(admitToReceiver(nearly, 0).admission).toEqual({ kind: 'SEND' });
    expect(admitToReceiver(opened(), 0).admission).toEqual({ kind: 'WAIT', untilMs: 1_000 });
    expect(fail(afterReceiverSuccess(), 0).state).toBe('CLOSED');
  });

  it('lets one message try, and waits twice as long after each failed try, up to a limit', () => {
    let circuit = opened();
    let nowMs = 1_000;
    const waits = [2_000, 3_000, 3_000].map((wait) => {
      const tried = admitToReceiver(circuit, nowMs);
      expect(tried.admission).toEqual({ kind: 'PROBE' });
      expect(admitToReceiver(tried.circuit, nowMs).admission.kind).toBe('WAIT');
      circuit = fail(tried.circuit, nowMs);
      const { admission } = admitToReceiver(circuit, nowMs);
      nowMs += wait;
      return admission.kind === 'WAIT' ? admission.untilMs : undefined;
    });
    expect(waits).toEqual([3_000, 6_000, 9_000]);
  });

  it('is not prolonged by messages that were on their way', () => {
    expect(admitToReceiver(fail(opened(), 900), 1_000).admission).toEqual({ kind: 'PROBE' });
  });

  it('closes with any success', () => {
    expect(admitToReceiver(afterReceiverSuccess(), 0).admission).toEqual({ kind: 'SEND' });
  });
});
