import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Leftovers } from './leftovers.js';
import { root } from './spawned.js';

/** A command of `fds` that has ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of `fds` that runs. */
interface RunningFds {
  stdout(): string;
  stderr(): string;
  /** Sends a signal. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the reading of its standard output, as `head` does. */
  closeOutput(): void;
  ended(): Promise<Ended>;
}

/** The shipped command line for one user, whose sign-ins are in a separate folder. */
export interface Fds {
  /** Folder of the configuration of the user. */
  readonly home: string;
  start(args: readonly string[], input?: string): RunningFds;
  run(...args: readonly string[]): Promise<Ended>;
  runWith(input: string, ...args: readonly string[]): Promise<Ended>;
}

/**
 * @param script the program, by default that of the checkout
 * @param environment further variables
 */
export const createFds = (
  leftovers: Leftovers,
  script = join(root, 'gateway/cli/bin/fds.mjs'),
  environment: Readonly<Record<string, string>> = {},
): Fds => {
  const home = mkdtempSync(join(tmpdir(), 'fds-cli-'));
  leftovers.add(() => rmSync(home, { recursive: true, force: true }));
  const start = (args: readonly string[], input = ''): RunningFds => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: home,
      // an environment with a terminal's settings: nothing is coloured, because nothing here is a terminal
      env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, TERM: 'xterm-256color', ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // a command that reads no input may end first
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const closed = once(child, 'close');
    const [stdout, stderr] = [() => Buffer.concat(out).toString(), () => Buffer.concat(err).toString()];
    return {
      stdout,
      stderr,
      kill: (signal) => void child.kill(signal),
      closeOutput: () => child.stdout.destroy(),
      ended: async () => {
        await closed;
        return { status: child.exitCode, stdout: stdout(), stderr: stderr() };
      },
    };
  };
  return {
    home,
    start,
    run: (...args) => start(args).ended(),
    runWith: (input, ...args) => start(args, input).ended(),
  };
};
