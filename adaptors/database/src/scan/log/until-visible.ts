import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';

/** Transaction ids of the log have 32 bits and begin again; those of a snapshot count on. */
const idsOfLog = 1n << 32n;

/** The full id of a transaction of the log: the one that is nearest to the next id. */
const fullId = (xid: number, next: bigint): bigint => {
  const id = (next / idsOfLog) * idsOfLog + BigInt(xid >>> 0);
  if (id > next + idsOfLog / 2n) return id - idsOfLog;
  return id < next - idsOfLog / 2n ? id + idsOfLog : id;
};

/**
 * Does a snapshot of PostgreSQL, `xmin:xmax:xip,xip`, show the changes of this transaction?
 *
 * @param xid as the log names the transaction
 */
export const shows = (snapshot: string, xid: number): boolean => {
  const [, next = '0', running = ''] = snapshot.split(':');
  const id = fullId(xid, BigInt(next));
  return id < BigInt(next) && !running.split(',').includes(String(id));
};

const pausesMs = { first: 1, longest: 50 };

/**
 * Resolves when a query shows the changes of these committed transactions, or the signal is aborted. The log has a transaction
 * before queries show it: for a moment, or as long as the commit waits for a standby.
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
