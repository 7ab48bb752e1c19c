import type * as jestGlobals from '@jest/globals';

/** The members of `@jest/globals` that test files import. */
export type TestGlobals = Pick<
  typeof jestGlobals,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'it' | 'jest' | 'test'
>;

let current: TestGlobals | undefined;

/** The functions of the test file that runs now. */
export const currentGlobals = (): TestGlobals => {
  if (current === undefined) throw new Error('no test file runs');
  return current;
};

/** From now on `currentGlobals` gives these. */
export const setCurrentGlobals = (globals: TestGlobals): void => {
  current = globals;
};
