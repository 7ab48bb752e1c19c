import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
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
  /** Script that is loaded before it: an absolute path, or one from the root of the checkout. */
  readonly preload?: string | undefined;
  /** The Node that runs it. Default: the one of this process. */
  readonly node?: string;
  /**
   * File for its output. The process then does not keep this one alive, and its standard input ends with this one.
   * Without it, this process keeps the output and waits for the other one.
   */
  readonly outputFile?: string;
}

/** Options that a start may add to the usual ones. */
export type Launch = Partial<Pick<SpawnOptions, 'environment' | 'preload'>>;

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const keepOutput = ({ stdout, stderr }: ChildProcess): (() => string) => {
  const printed: string[] = [];
  stdout?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  stderr?.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  return () => printed.join('');
};

/** The folder for compiled code of this test run. The service keeps its own in its bundle. */
const compiledCode = (script: string): Readonly<Record<string, string>> => {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined || script === serviceScript ? {} : { NODE_COMPILE_CACHE: folder };
};

/**
 * Starts a script of the product as a separate process. Its environment only contains the given variables, PATH,
 * HOME and the folder for compiled code.
 */
export const spawnScript = (options: SpawnOptions): Spawned => {
  const { script, args = [], environment, cwd = root, preload, outputFile, node = process.execPath } = options;
  const before = preload === undefined ? [] : ['--import', pathToFileURL(resolve(root, preload)).href];
  const file = outputFile === undefined ? undefined : openSync(outputFile, 'a');
  const child = spawn(node, [...before, resolve(root, script), ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      ...compiledCode(script),
      ...environment,
    },
    stdio: file === undefined ? ['ignore', 'pipe', 'pipe'] : ['pipe', file, file],
  });
  if (file !== undefined) {
    closeSync(file);
    child.unref();
    (child.stdin as Socket | null)?.unref();
  }
  const output = outputFile === undefined ? keepOutput(child) : () => readFileSync(outputFile, 'utf8');
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    output,
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
