import { describe, expect, it } from '@jest/globals';
import { createAttemptThrottle } from './attempt-throttle.js';

const open = () => {
  const clock = { ms: 0 };
  const throttle = createAttemptThrottle(() => new Date(clock.ms));
  const fail = (times: number, account = 'ann', address = 'a'): void => {
    for (let time = 0; time < times; time += 1) throttle.failed(account, address);
  };
  return { clock, throttle, fail };
};

describe('the throttle of attempts', () => {
  it('lets the first failures cost nothing, and each one after them twice as much', () => {
    const { throttle, fail } = open();
    fail(4);
    expect(throttle.waitMsOf('ann', 'a')).toBe(0);
    const waits = [];
    for (let time = 0; time < 10; time += 1) {
      fail(1);
      waits.push(throttle.waitMsOf('ann', 'a'));
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('counts the time that has passed, and forgets', () => {
    const { clock, throttle, fail } = open();
    fail(8);
    clock.ms = 1500;
    expect(throttle.waitMsOf('ann', 'a')).toBe(500);
    clock.ms = 15 * 60_000;
    fail(1);
    expect(throttle.waitMsOf('ann', 'a')).toBe(0);
  });

  it('locks nobody out of the account at another address, nor of another account', () => {
    const { throttle, fail } = open();
    fail(50);
    expect(throttle.waitMsOf('ann', 'b')).toBe(0);
    expect(throttle.waitMsOf('bob', 'a')).toBe(0);
  });

  it('slows an address that tries many accounts, not those who have succeeded there', () => {
    const { throttle, fail } = open();
    throttle.succeeded('bob', 'a');
    for (let time = 0; time < 104; time += 1) fail(1, `account-${time}`);
    expect(throttle.waitMsOf('ann', 'a')).toBeGreaterThan(0);
    expect(throttle.waitMsOf('bob', 'a')).toBe(0);
    expect(throttle.waitMsOf('ann', 'b')).toBe(0);
  });

  it('starts again after a success', () => {
    const { throttle, fail } = open();
    fail(9);
    throttle.succeeded('ann', 'a');
    expect(throttle.waitMsOf('ann', 'a')).toBe(0);
    fail(4);
    expect(throttle.waitMsOf('ann', 'a')).toBe(0);
  });
});
