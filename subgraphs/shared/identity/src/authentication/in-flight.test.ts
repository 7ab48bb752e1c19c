import { expect, it } from '@jest/globals';
import { createInFlight } from './in-flight.js';

it('bounds the attempts of an account from an address, of an address, and of all', () => {
  const inFlight = createInFlight({ maxAll: 4, maxOfAddress: 3, maxOfPair: 2 });
  const enter = (account: string, address: string) => inFlight.enter(account, address);
  const first = enter('ann', 'a');
  expect(first).toBeDefined();
  expect(enter('ann', 'a')).toBeDefined();
  expect(enter('ann', 'a')).toBeUndefined();
  expect(enter('bob', 'a')).toBeDefined();
  expect(enter('cid', 'a')).toBeUndefined();
  expect(enter('ann', 'b')).toBeDefined();
  expect(enter('ann', 'c')).toBeUndefined();
  first?.();
  expect(enter('cid', 'a')).toBeDefined();
});
