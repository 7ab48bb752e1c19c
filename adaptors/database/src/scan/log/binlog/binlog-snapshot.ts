import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isBehind, type BinlogPlace } from './binlog-place.js';

/** Rows of a result of MySQL. */
export const rowsOf = async <Row>(connection: Knex, sql: string): Promise<readonly Row[]> => {
  const [rows] = (await connection.raw(sql)) as [Row[]];
  return rows;
};

/**
 * The place in the log of the last transaction that queries can see. Sessions use READ COMMITTED, so InnoDB keeps no snapshot of
 * the rows. The log notes its place nevertheless, at a moment at which each transaction before it is visible.
 */
const readSnapshot = async (connection: Knex): Promise<BinlogPlace> => {
  const values = await connection.transaction(async (transaction) => {
    await transaction.raw('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    const rows = await rowsOf<{ Variable_name: string; Value: string }>(
      transaction,
      String.raw`SHOW STATUS LIKE 'binlog\_snapshot\_%'`,
    );
    return new Map(rows.map(({ Variable_name: name, Value: value }) => [name.toLowerCase(), value]));
  });
  const [file, offset] = [values.get('binlog_snapshot_file'), values.get('binlog_snapshot_position')];
  if (file === undefined || offset === undefined || file === '')
    throw new Error('the server does not name the position of a snapshot in its binary log');
  return { file, offset: Number(offset) };
};

/** The GTID position of the data that queries can see. `gtid_binlog_pos` is ahead of it. */
export const readSnapshotPosition = async (connection: Knex): Promise<string> => {
  const { file, offset } = await readSnapshot(connection);
  const [answer] = (await connection.raw('SELECT BINLOG_GTID_POS(?, ?) AS position', [file, offset])) as [
    { position: string | null }[],
  ];
  const position = answer[0]?.position;
  if (typeof position !== 'string') throw new Error(`the server does not know the GTID position of ${file}:${offset}`);
  return position;
};

const pausesMs = { first: 1, longest: 50 };

/**
 * Resolves when queries can see these transactions, or the signal is aborted. The server sends a transaction when it is
 * in the log. Queries see it a moment later, or after a replica acknowledged the commit. Takes no lock.
 */
export const untilSnapshotShows = async (
  connection: Knex,
  transactions: Iterable<BinlogPlace>,
  signal: AbortSignal,
): Promise<void> => {
  let last: BinlogPlace | undefined;
  for (const place of transactions) if (last === undefined || isBehind(place, last)) last = place;
  if (last === undefined) return;
  for (let pauseMs = pausesMs.first; !signal.aborted; pauseMs *= 2) {
    // a snapshot is between two transactions, so a snapshot after the beginning of a transaction is also after its end
    if (isBehind(await readSnapshot(connection), last)) return;
    await wait(Math.min(pauseMs, pausesMs.longest));
  }
};
