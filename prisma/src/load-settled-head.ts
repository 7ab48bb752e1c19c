import { AppError } from '@fds/errors';
import { loadHead, settleWriters } from './change-log-window.js';
import type { Queryable } from './queryable.js';

const intervalMs = 20;
const deadlineMs = 5_000;

/**
 * The highest position of the change log at or below which no new entry can appear. The function waits for the
 * transactions that have written to the log.
 *
 * @throws AppError UNAVAILABLE when they stay open for 5 seconds
 */
export const loadSettledHead = async (session: Queryable): Promise<bigint> => {
  const head = await loadHead({ pool: session });
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    await settleWriters({ pool: session }, { intervalMs, signal, onSlow: () => undefined });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('UNAVAILABLE', 'open transactions hold up the readers of the change log', { cause: error });
  }
  return head;
};
