import { expect, it } from '@jest/globals';
import { createSendTimes } from './send-times.js';

it('the time of a message is that of its first sending, until it is acknowledged', () => {
  let now = 0;
  const times = createSendTimes(() => (now += 1));
  times.sent('a', 3);
  times.sent('a', 5);
  times.sent('a', 4);
  times.sent('b', 9);
  expect(times.take('a', 4)).toBe(2);
  expect(times.take('a', 5)).toBe(2);
  expect(times.take('a', 6)).toBeUndefined();
  times.forget('b');
  expect(times.take('b', 9)).toBeUndefined();
});

it('an adaptor that acknowledges nothing takes bounded room', () => {
  const times = createSendTimes(() => 1);
  for (let upto = 1; upto <= 100_000; upto += 1) times.sent('a', upto);
  let found = 0;
  for (let upto = 1; upto <= 99_000; upto += 1) if (times.take('a', upto) !== undefined) found += 1;
  expect(found).toBe(99_000);
  expect(times.take('a', 100_000)).toBe(1);
  expect(times.take('a', 100_000)).toBeUndefined();
});
