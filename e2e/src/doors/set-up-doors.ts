import { afterAll, beforeAll } from '@jest/globals';
import { createLeftovers, type Leftovers } from '../harness/leftovers.js';
import { requireNonePrinted } from '../harness/printed-secrets.js';
import { shareService, type Service, type ServiceInUse } from '../harness/service.js';
import { openDoors, signInDoors, type Doors } from './open-doors.js';

/** The service and its callers for the tests of a `describe`. */
export interface DoorsOfTests<S extends ServiceInUse = ServiceInUse> {
  /** Available from the next `beforeAll` on. */
  readonly doors: Doors<S>;
  /** Disposed of after the last test. */
  readonly leftovers: Leftovers;
}

const setUp = <S extends ServiceInUse>(open: (leftovers: Leftovers) => Promise<Doors<S>>): DoorsOfTests<S> => {
  const leftovers = createLeftovers();
  let opened: Doors<S> | undefined;
  const requireOpen = (): Doors<S> => {
    if (opened === undefined) throw new Error('the doors are not open before beforeAll has run');
    return opened;
  };
  beforeAll(async () => {
    opened = await open(leftovers);
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

/**
 * Starts a service before the tests of a `describe`, and ends it after them.
 *
 * @param environment settings of the service
 */
export const setUpDoors = (environment: Readonly<Record<string, string>> = {}): DoorsOfTests<Service> =>
  setUp((leftovers) => openDoors(leftovers, environment));

/**
 * The doors of the service that the test files of a worker share (`shareService`). The tests use names that no other
 * file uses (`uniqueName`), change nothing that they have not created, and expect resources of other files in lists.
 */
export const shareDoors = (): DoorsOfTests =>
  setUp(async (leftovers) => {
    const service = await shareService();
    const before = service.process().output().length;
    leftovers.add(() => requireNonePrinted(service.process().output().slice(before), service.passwords));
    return signInDoors(service);
  });
