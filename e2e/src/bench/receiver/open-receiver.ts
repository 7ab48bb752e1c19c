import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Leftovers } from '../../harness/leftovers.js';
import type { Reception, ReceiverOrder, ReceiverReport } from './receiver-order.js';

export type Received = Extract<ReceiverReport, { kind: 'RECEIVED' }>;

/** A receiver in a separate process. */
export interface Receiver {
  /**
   * Resolves when this many messages have arrived since the last report. @throws Error when the receiver ends, or the
   * messages arrive too late
   */
  receive(messages: number): Promise<Received>;
}

const deadlineMs = 300_000;

/** Starts a receiver; resolves when it is ready. */
export const openReceiver = async (leftovers: Leftovers, reception: Reception): Promise<Receiver> => {
  const child = fork(fileURLToPath(new URL('receiver.js', import.meta.url)), {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    serialization: 'advanced',
  });
  const exited = once(child, 'exit');
  leftovers.add(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const ask = async (order: ReceiverOrder): Promise<ReceiverReport> => {
    const late = AbortSignal.timeout(deadlineMs);
    const reported = once(child, 'message', { signal: late });
    child.send(order);
    const ended = exited.then(() => Promise.reject(new Error('a receiver ended before it had everything')));
    const [report] = (await Promise.race([reported, ended])) as [ReceiverReport];
    return report;
  };
  await ask({ kind: 'OPEN', reception });
  return {
    receive: async (messages) => {
      const report = await ask({ kind: 'EXPECT', messages });
      if (report.kind !== 'RECEIVED') throw new Error(`a receiver reports ${report.kind}`);
      return report;
    },
  };
};
