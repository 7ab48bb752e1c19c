import { currentGlobals, type TestGlobals } from './current-globals.js';

/**
 * Stands for a function of jest and always reaches the one of the test file that runs now. A module that several test files share
 * is loaded once, so it cannot hold the functions of the file that loaded it.
 */
const forward = <K extends keyof TestGlobals>(name: K): TestGlobals[K] =>
  new Proxy((() => undefined) as unknown as TestGlobals[K] & object, {
    apply: (_target, self, args: unknown[]) =>
      Reflect.apply(currentGlobals()[name] as (...args: unknown[]) => unknown, self, args),
    get: (_target, key) => Reflect.get(currentGlobals()[name], key) as unknown,
  });

export const afterAll: TestGlobals['afterAll'] = forward('afterAll');
export const afterEach: TestGlobals['afterEach'] = forward('afterEach');
export const beforeAll: TestGlobals['beforeAll'] = forward('beforeAll');
export const beforeEach: TestGlobals['beforeEach'] = forward('beforeEach');
export const describe: TestGlobals['describe'] = forward('describe');
export const expect: TestGlobals['expect'] = forward('expect');
export const it: TestGlobals['it'] = forward('it');
export const jest: TestGlobals['jest'] = forward('jest');
export const test: TestGlobals['test'] = forward('test');
