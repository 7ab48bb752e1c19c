import type { Database } from '@fds/database';
import type { SettledMessage } from '../domain/delivery/delivery-result.js';
import { saveResults, type Results } from '../store/deliveries/save-results.js';

export interface ResultWriterOptions {
  readonly database: Pick<Database, 'transaction'>;
  readonly registrationUuid: string;
  /** Id of this process, which owns the lease. */
  readonly owner: string;
  /** Longest time between two writes of results while messages are sent, in milliseconds. */
  readonly saveMs: number;
  readonly now: () => Date;
}

/** Results that are known only when sending ends. */
type LastResults = Pick<Results, 'status' | 'failures' | 'nextAttempt' | 'failed'>;

/** Writes the results for one receiver while its next messages are sent. Only one write is in progress at a time. */
export interface ResultWriter {
  /** Records a message that leaves the queue. */
  settle(message: SettledMessage): void;
  /** Starts a write when it is time. @returns false when the lease is lost, so that sending must end */
  goOn(): Promise<boolean>;
  /** Writes all results. @returns false when the lease is lost and the last results were not written */
  finish(last?: LastResults): Promise<boolean>;
}

/** Most messages that are sent but not written, in addition to those of the current write. */
const maxUnwritten = 50;

export const createResultWriter = (options: ResultWriterOptions): ResultWriter => {
  const { database, registrationUuid, owner, saveMs, now } = options;
  let settled: SettledMessage[] = [];
  let writing: Promise<boolean> = Promise.resolve(true);
  let dueAt = now().getTime() + saveMs;

  const write = (last: LastResults | undefined): Promise<boolean> => {
    const results: Results = {
      registrationUuid,
      settled,
      status: settled.some(({ status }) => status === 'DELIVERED') ? { status: 'ACTIVE', lastError: null } : undefined,
      failed: undefined,
      failures: 0,
      nextAttempt: undefined,
      ...last,
    };
    settled = [];
    dueAt = now().getTime() + saveMs;
    return saveResults(database, results, owner, now());
  };

  return {
    settle: (message) => {
      settled.push(message);
    },
    goOn: async () => {
      if (settled.length < maxUnwritten && now().getTime() < dueAt) return true;
      // only one write at a time, so that results do not accumulate when the database is slow
      if (!(await writing)) return false;
      if (settled.length === 0) return true;
      writing = write(undefined);
      // the next call awaits it and throws its error
      writing.catch(() => undefined);
      return true;
    },
    finish: async (last) => {
      if (!(await writing)) return false;
      if (settled.length === 0 && last === undefined) return true;
      writing = write(last);
      return writing;
    },
  };
};
