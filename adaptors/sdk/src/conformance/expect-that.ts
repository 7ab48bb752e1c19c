import { isDeepStrictEqual } from 'node:util';
import { CheckFailure } from './open-world.js';

/** @throws CheckFailure that shows both */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    throw new CheckFailure(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

/** @throws CheckFailure */
export const expectThat = (what: string, condition: boolean): void => {
  if (!condition) throw new CheckFailure(what);
};
