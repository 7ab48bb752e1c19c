import { describe, expect, it } from '@jest/globals';
import { createAttemptThrottle, type AccountKind } from './attempt-throttle.js';

const open = () => {
  const clock = { ms: 0 };
  const throttle = createAttemptThrottle(() => new Date(clock.ms));
  const fail = (times: number, account = 'ann', address = 'a', kind: AccountKind = 'KNOWN'): void => {
    for (let time = 0; time < times; time += 1) throttle.failed(account, address, kind);
  };
  return { clock, throttle, fail };
};

describe('the throttle of attempts', () => {
  it('lets the first failures cost nothing, and each one after them twice as much', () => {
    const { throttle, fail } = open();
    fail(4);
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(0);
    const waits = [];
    for (let time = 0; time < 10; time += 1) {
      fail(1);
      waits.push(throttle.waitsOf('ann', 'a').checkMs);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('counts the time that has passed, and forgets', () => {
    const { clock, throttle, fail } = open();
    fail(8);
    clock.ms = 1500;
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(500);
    clock.ms = 15 * 60_000;
    fail(1);
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(0);
  });

  it('does not lock an account at another address, nor another account', () => {
    const { throttle, fail } = open();
    fail(50);
    expect(throttle.waitsOf('ann', 'b').checkMs).toBe(0);
    expect(throttle.waitsOf('bob', 'a').checkMs).toBe(0);
  });

  it('slows an address that tries many accounts, not those who have succeeded there', () => {
    const { throttle, fail } = open();
    throttle.succeeded('bob', 'a');
    for (let time = 0; time < 104; time += 1) fail(1, `account-${time}`);
    expect(throttle.waitsOf('ann', 'a').checkMs).toBeGreaterThan(0);
    expect(throttle.waitsOf('bob', 'a').checkMs).toBe(0);
    expect(throttle.waitsOf('ann', 'b').checkMs).toBe(0);
  });

  it('starts again after a success', () => {
    const { throttle, fail } = open();
    fail(9);
    throttle.succeeded('ann', 'a');
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(0);
    fail(4);
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(0);
  });

  it('delays failures, not checks, after failures for unknown accounts', () => {
    const { throttle, fail } = open();
    for (let time = 0; time < 300; time += 1) fail(1, `unknown-${time}`, 'a', 'UNKNOWN');
    const { checkMs, failureMs } = throttle.waitsOf('ann', 'a');
    expect([checkMs, failureMs]).toEqual([0, 30_000]);
    expect(throttle.waitsOf('unknown-301', 'a')).toEqual(throttle.waitsOf('ann', 'a'));
  });

  it('remembers failures of an account when made-up names fill its memory', () => {
    const { throttle, fail } = open();
    fail(9);
    for (let time = 0; time < 20_000; time += 1) fail(1, `unknown-${time}`, 'b', 'UNKNOWN');
    expect(throttle.waitsOf('ann', 'a').checkMs).toBe(4000);
  });
});
