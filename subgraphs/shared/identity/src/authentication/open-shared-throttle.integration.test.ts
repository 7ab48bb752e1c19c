import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSharedThrottle } from './open-shared-throttle.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

it('slows attempts at every process after failures at one, and forgets them everywhere', async () => {
  const options = { database, log: createLog('silent'), now: () => new Date(0) };
  const [one, other] = [await openSharedThrottle(options), await openSharedThrottle(options)];
  // three at each: none of them alone has seen enough to delay an attempt
  for (let time = 0; time < 3; time += 1) {
    one.failed('ann', '10.0.0.1', 'KNOWN');
    other.failed('ann', '10.0.0.1', 'KNOWN');
  }
  await eventually(() => {
    for (const throttle of [one, other]) expect(throttle.waitsOf('ann', '10.0.0.1').checkMs).toBe(500);
  });
  expect(other.waitsOf('ann', '10.0.0.2').checkMs).toBe(0);
  expect(other.waitsOf('bob', '10.0.0.1').checkMs).toBe(0);
  expect(other.succeeded('ann', '10.0.0.1')).toBe(true);
  await eventually(() => expect(one.waitsOf('ann', '10.0.0.1').checkMs).toBe(0));
  await Promise.all([one.close(), other.close()]);
});
