import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The process of the adaptor under test. */
export interface Subject {
  readonly running: boolean;
  /** Its output, the last 8000 characters. */
  output(): string;
  /** SIGKILL to the process and those that it started. */
  kill(): Promise<void>;
  /** SIGTERM; after the time, SIGKILL. */
  stop(patienceMs: number): Promise<void>;
  /** Resolves with the exit code when it ends by itself; undefined after the time. */
  ended(patienceMs: number): Promise<number | null | undefined>;
}

const keptOutput = 8_000;

/** Starts a shell command in a separate process group. */
export const startSubject = (
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Subject => {
  // exec: the shell is replaced, so that the exit code and the signals are those of the adaptor
  const child: ChildProcess = spawn('/bin/sh', ['-c', `exec ${command}`], {
    cwd,
    env: { ...process.env, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const note = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptOutput);
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  child.on('error', (error) => note(Buffer.from(error.message)));
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const exited = isOver() ? Promise.resolve() : once(child, 'exit').then(() => undefined);
  const signal = (name: NodeJS.Signals): void => {
    if (isOver() || child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // it ended in the meantime
    }
  };
  const within = async (patienceMs: number): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([exited, late]);
    clearTimeout(timer);
    return isOver();
  };
  return {
    get running() {
      return !isOver();
    },
    output: () => output,
    kill: async () => {
      signal('SIGKILL');
      await exited;
    },
    stop: async (patienceMs) => {
      signal('SIGTERM');
      if (await within(patienceMs)) return;
      signal('SIGKILL');
      await exited;
    },
    ended: async (patienceMs) => ((await within(patienceMs)) ? child.exitCode : undefined),
  };
};
