import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The shipped program of the service, from the root of the checkout. */
export const serviceScript = 'gateway/dist/bundle/main.mjs';

/** A process of the product. */
export interface Spawned {
  readonly pid: number;
  /** Its output until now, standard output and error together. */
  output(): string;
  /** Sends a signal and waits for the end. Resolves with the exit code, or null when the signal ended the process. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
  /** Waits until the process ends by itself. Resolves with the exit code. */
  ended(): Promise<number | null>;
  readonly running: boolean;
}

export interface SpawnOptions {
  /** Script of the product, from the root of the checkout. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Script that is loaded before it, from the root of the checkout. */
  readonly preload?: string | undefined;
}

/** Options that a start may add to the usual ones. */
export type Launch = Partial<Pick<SpawnOptions, 'environment' | 'preload'>>;

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/**
 * Starts a script of the product as a separate process. Its environment only contains the given variables, PATH and
 * HOME.
 */
export const spawnScript = ({ script, args = [], environment, cwd = root, preload }: SpawnOptions): Spawned => {
  const before = preload === undefined ? [] : ['--import', pathToFileURL(`${root}/${preload}`).href];
  const child = spawn(process.execPath, [...before, resolve(root, script), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    output: () => printed.join(''),
    end: async (signal) => {
      if (!isOver(child)) {
        child.kill(signal);
        await exited;
      }
      return child.exitCode;
    },
    ended: async () => {
      if (!isOver(child)) await exited;
      return child.exitCode;
    },
    get running() {
      return !isOver(child);
    },
  };
};
