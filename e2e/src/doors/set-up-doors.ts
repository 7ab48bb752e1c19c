import { afterAll, beforeAll } from '@jest/globals';
import { createLeftovers, type Leftovers } from '../harness/leftovers.js';
import { openDoors, type Doors } from './open-doors.js';

/** The service and its callers for the tests of a `describe`. */
export interface DoorsOfTests {
  /** Available from the next `beforeAll` on. */
  readonly doors: Doors;
  /** Disposed of after the last test. */
  readonly leftovers: Leftovers;
}

/**
 * Starts a service before the tests of a `describe`, and ends it after them.
 *
 * @param environment settings of the service
 */
export const setUpDoors = (environment: Readonly<Record<string, string>> = {}): DoorsOfTests => {
  const leftovers = createLeftovers();
  let opened: Doors | undefined;
  const requireOpen = (): Doors => {
    if (opened === undefined) throw new Error('the doors are not open before beforeAll has run');
    return opened;
  };
  beforeAll(async () => {
    opened = await openDoors(leftovers, environment);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 60_000);
  return {
    leftovers,
    doors: {
      get service() {
        return requireOpen().service;
      },
      get admin() {
        return requireOpen().admin;
      },
      get dgs() {
        return requireOpen().dgs;
      },
      get anyone() {
        return requireOpen().anyone;
      },
      get root() {
        return requireOpen().root;
      },
    },
  };
};
