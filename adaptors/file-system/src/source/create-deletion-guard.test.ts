import { expect, it } from '@jest/globals';
import { createDeletionGuard } from './create-deletion-guard.js';

const uri = 'file:///folder';
const limit = { percent: 10, minimum: 20, seconds: 60 };

it('counts the deletions that were reported, and lets as many pass again when its time is over', () => {
  let nowMs = 1_000;
  const guard = createDeletionGuard(uri, limit, () => nowMs);
  expect(guard.check(15, 50)).toBeUndefined();
  // a scan that ended before its report does not count
  expect(guard.check(15, 50)).toBeUndefined();
  guard.passed(15);
  expect(guard.check(5, 35)).toBeUndefined();
  expect(guard.check(6, 35)).toMatch(
    /^6 of 35 files of file:\/\/\/folder are missing, after 15 .* lets 20 deletions pass/,
  );
  nowMs += 60_000;
  expect(guard.check(20, 35)).toBeUndefined();
  expect(guard.check(21, 35)).toMatch(/^21 of 35 files/);
});

it('takes the percentage of the files that were known when the time began, rounded down', () => {
  const guard = createDeletionGuard(uri, limit, () => 0);
  expect(guard.check(100, 1_009)).toBeUndefined();
  guard.passed(100);
  expect(guard.check(1, 5_000)).toMatch(/lets 100 deletions pass/);
});

it.each([null, undefined])('lets everything pass with the limit %s', (none) => {
  expect(createDeletionGuard(uri, none, () => 0).check(1_000, 1_000)).toBeUndefined();
});
