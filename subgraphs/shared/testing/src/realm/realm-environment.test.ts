import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JestEnvironmentConfig } from '@jest/environment';
import RealmEnvironment from './realm-environment.js';

const name = 'FDS_REALM_TEST';
const config = { projectConfig: { testTimeout: 30_000, fakeTimers: {} } } as JestEnvironmentConfig;

let environment: RealmEnvironment;
beforeEach(() => {
  process.env[name] = 'before';
  environment = new RealmEnvironment(config);
});
afterEach(() => {
  delete process.env[name];
});

describe('after a test file', () => {
  it('the environment variables are those from before it', async () => {
    process.env[name] = 'changed';
    process.env[`${name}_MORE`] = 'added';
    delete process.env['PATH'];
    await environment.teardown();
    expect(process.env[name]).toBe('before');
    expect(process.env).not.toHaveProperty(`${name}_MORE`);
    expect(process.env['PATH']).toEqual(expect.any(String));
  });

  it('the working directory, console and exit are those from before it', async () => {
    const [folder, { console }, { exit }] = [process.cwd(), globalThis, process];
    process.chdir('/');
    globalThis.console = { ...console };
    process.exit = () => {
      throw new Error('replaced');
    };
    await environment.teardown();
    expect(process.cwd()).toBe(folder);
    expect(globalThis.console === console).toBe(true);
    expect(process.exit === exit).toBe(true);
  });

  it('the timers are the real ones', async () => {
    const real = setTimeout;
    environment.fakeTimersModern.useFakeTimers();
    expect(setTimeout === real).toBe(false);
    await environment.teardown();
    expect(setTimeout === real).toBe(true);
  });

  it('spies are gone', async () => {
    const watched = { look: () => 'looked' };
    environment.moduleMocker.spyOn(watched, 'look').mockReturnValue('spied');
    expect(watched.look()).toBe('spied');
    await environment.teardown();
    expect(watched.look()).toBe('looked');
  });
});

describe('the functions of jest', () => {
  it('have all parts', () => {
    expect(it.each).toEqual(expect.any(Function));
    expect(describe.skip).toEqual(expect.any(Function));
    expect(jest.fn(() => 1)()).toBe(1);
    expect([{ one: 1 }]).toEqual(expect.arrayContaining([expect.objectContaining({ one: 1 })]));
  });

  it('know the test that runs', () => {
    expect(expect.getState().currentTestName).toBe('the functions of jest know the test that runs');
    expect(expect.getState().testPath).toMatch(/realm-environment\.test\.js$/);
  });
});
