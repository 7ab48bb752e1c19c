import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const testTimeout = Symbol.for('TEST_TIMEOUT_SYMBOL');

const isJestState = (key: symbol): boolean => key.description === 'JEST_STATE_SYMBOL';

/** Remembers the parts of the process that a test file may change. Gives the function that restores them. */
const holdProcess = (): (() => void) => {
  const environment = { ...process.env };
  const folder = process.cwd();
  const { exit } = process;
  const { console } = globalThis;
  const symbols = new Set(Object.getOwnPropertySymbols(globalThis));
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    if (process.cwd() !== folder) process.chdir(folder);
    process.exit = exit;
    globalThis.console = console;
    // it holds the tests of the file, and everything that they use
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (isJestState(key) && !symbols.has(key)) Reflect.deleteProperty(globalThis, key);
    }
  };
};

/**
 * Environment of a test file without a separate realm: the file runs in the realm of the worker, among modules that are loaded
 * once for all files. The standard environment of jest loads, links and compiles the whole module graph for each file.
 */
export default class RealmEnvironment implements JestEnvironment {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker: ModuleMocker;
  readonly #restoreProcess = holdProcess();

  constructor({ projectConfig }: JestEnvironmentConfig, _context?: EnvironmentContext) {
    // replaces the limit that an earlier file set by `jest.setTimeout`
    Reflect.set(globalThis, testTimeout, projectConfig.testTimeout);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.moduleMocker = new ModuleMocker(globalThis);
  }

  async setup(): Promise<void> {}

  /** Restores the parts of the process that the file changed, and releases its tests. */
  async teardown(): Promise<void> {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    this.#restoreProcess();
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
