import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Leftovers } from '../../harness/leftovers.js';
import type { ExpectedExchange, LoadOrder, LoadReport } from './load-order.js';

/** The target of a load. */
export interface LoadTarget {
  readonly origin: string;
  readonly connections: number;
  readonly exchanges: readonly ExpectedExchange[];
}

/** A load generator in a separate process. It runs one load at a time. */
export interface Load {
  start(target: LoadTarget): void;
  /** Waits for the answers in flight. @throws Error when an answer was not the expected one */
  stop(): Promise<LoadReport>;
  /** Runs a load for the given number of milliseconds. */
  report(target: LoadTarget, durationMs: number): Promise<LoadReport>;
  /** Runs a load and returns the number of answers. */
  run(target: LoadTarget, durationMs: number): Promise<number>;
}

export const openLoad = (leftovers: Leftovers): Load => {
  const child = fork(fileURLToPath(new URL('load-generator.js', import.meta.url)), {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
  leftovers.add(() => {
    child.disconnect();
  });
  const tell = (order: LoadOrder): void => {
    child.send(order);
  };
  const start: Load['start'] = (target) => tell({ kind: 'START', ...target });
  const stop: Load['stop'] = async () => {
    const reported = once(child, 'message');
    tell({ kind: 'STOP' });
    const [report] = (await reported) as [LoadReport];
    if (report.wrong !== undefined) throw new Error(`a wrong answer under load: ${report.wrong}`);
    return report;
  };
  const report: Load['report'] = async (target, durationMs) => {
    start(target);
    await delay(durationMs);
    return stop();
  };
  return {
    start,
    stop,
    report,
    run: async (target, durationMs) => (await report(target, durationMs)).answers,
  };
};
