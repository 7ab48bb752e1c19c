import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import type jestRuntime from 'jest-runtime';
import { setCurrentGlobals, type TestGlobals } from './current-globals.js';

// once for a worker, before its first test file
register('./resolve-jest-globals.js', import.meta.url);

const require = createRequire(import.meta.url);
const eventHandlers = Symbol.for('EVENT_HANDLERS');

const { default: JestRuntime } = require('jest-runtime') as typeof jestRuntime;

/** Loads a test file by Node's own module loader, into the realm of the worker (see `RealmEnvironment`). It mocks no modules. */
export default class RealmRuntime extends JestRuntime {
  /** Loads jest-circus again for each file: the file begins without the tests and the handlers of the previous one. */
  override requireInternalModule<T>(path: string): T {
    delete require.cache[path];
    Reflect.deleteProperty(globalThis, eventHandlers);
    return require(path) as T;
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override unstable_importModule(path: string): Promise<unknown> {
    return import(pathToFileURL(path).href);
  }

  override setGlobalsForRuntime(
    globals: Parameters<InstanceType<typeof JestRuntime>['setGlobalsForRuntime']>[0],
  ): void {
    super.setGlobalsForRuntime(globals);
    setCurrentGlobals(this.requireModuleOrMock<TestGlobals>(import.meta.filename, '@jest/globals'));
  }
}
