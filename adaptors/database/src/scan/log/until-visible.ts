import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';

/**
 * Number of transaction ids in the log: they have 32 bits and wrap around. The ids of a snapshot do not wrap around.
 */
const idsOfLog = 1n << 32n;

/** The full id of a transaction in the log: the candidate that is nearest to the next id. */
const fullId = (xid: number, next: bigint): bigint => {
  const id = (next / idsOfLog) * idsOfLog + BigInt(xid >>> 0);
  if (id > next + idsOfLog / 2n) return id - idsOfLog;
  return id < next - idsOfLog / 2n ? id + idsOfLog : id;
};

/**
 * Does a snapshot of PostgreSQL, `xmin:xmax:xip,xip`, show the changes of this transaction?
 *
 * @param xid id of the transaction in the log
 */
export const shows = (snapshot: string, xid: number): boolean => {
  const [, next = '0', running = ''] = snapshot.split(':');
  const id = fullId(xid, BigInt(next));
  return id < BigInt(next) && !running.split(',').includes(String(id));
};

const pausesMs = { first: 1, longest: 50 };

/**
 * Resolves when queries can see the changes of these committed transactions, or the signal is aborted. A transaction is
 * in the log before queries can see it, usually for a moment, but longer if the commit waits for a standby.
 */
export const untilVisible = async (
  connection: Knex,
  transactions: Iterable<number>,
  signal: AbortSignal,
): Promise<void> => {
  let hidden = [...transactions];
  for (let pauseMs = pausesMs.first; hidden.length > 0 && !signal.aborted; pauseMs *= 2) {
    const answer: { rows: { snapshot: string }[] } = await connection.raw(
      'SELECT pg_current_snapshot()::text AS snapshot',
    );
    const snapshot = answer.rows[0]?.snapshot ?? '';
    hidden = hidden.filter((xid) => !shows(snapshot, xid));
    if (hidden.length > 0) await wait(Math.min(pauseMs, pausesMs.longest));
  }
};
