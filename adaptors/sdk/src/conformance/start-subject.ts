import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The process of the adaptor under test. */
export interface Subject {
  readonly running: boolean;
  /** Its output, the last 8000 characters. */
  output(): string;
  /** Sends SIGKILL to the process and its child processes. */
  kill(): Promise<void>;
  /** Sends SIGTERM; after the given time, SIGKILL. */
  stop(patienceMs: number): Promise<void>;
  /** Resolves with the exit code when the process ends by itself; undefined after the given time. */
  ended(patienceMs: number): Promise<number | null | undefined>;
}

const keptOutput = 8_000;

/** A process that left the process group survives SIGKILL. After this time, nothing waits for it. */
const lastPatienceMs = 10_000;

/** Starts a shell command in a separate process group. */
export const startSubject = (
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Subject => {
  // The whole process group gets the signals. The trap keeps the shell alive on SIGTERM until its command has ended, so
  // that its exit code is the exit code of the command. The command itself does not inherit the trap.
  const child: ChildProcess = spawn('/bin/sh', ['-c', `trap : TERM\n${command}`], {
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
  let isClosed = child.pid === undefined;
  const isOver = (): boolean => isClosed || child.exitCode !== null || child.signalCode !== null;
  // "close" and not "exit": the command may run a moment longer than its shell, and keeps the output and its files open
  // until it has ended
  const closed = isClosed ? Promise.resolve() : once(child, 'close').then(() => void (isClosed = true));
  const signal = (name: NodeJS.Signals): void => {
    if (isClosed || child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // the process ended in the meantime
    }
  };
  const within = async (patienceMs: number): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([closed, late]);
    clearTimeout(timer);
    return isClosed;
  };
  return {
    get running() {
      return !isOver();
    },
    output: () => output,
    kill: async () => {
      signal('SIGKILL');
      await within(lastPatienceMs);
    },
    stop: async (patienceMs) => {
      signal('SIGTERM');
      if (await within(patienceMs)) return;
      signal('SIGKILL');
      await within(lastPatienceMs);
    },
    ended: async (patienceMs) => ((await within(patienceMs)) ? child.exitCode : undefined),
  };
};
