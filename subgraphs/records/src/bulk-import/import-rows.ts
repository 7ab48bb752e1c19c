import { isJsonObject, type JsonObject } from '@fds/json';
import type { WriteResult } from '../domain/writes/record-write.js';
import type { ImportTally } from './import-tally.js';
import type { ImportedRow } from './rows/imported-row.js';

/** A row that may be written. */
export interface WritableRow {
  readonly row: number;
  readonly json: JsonObject;
}

/** Writes rows in their order; gives what became of each. */
export type WriteRows = (rows: readonly WritableRow[]) => Promise<readonly WriteResult[]>;

/** So many rows are written at once. */
const batchRows = 500;

const isWritable = (row: ImportedRow): boolean => row.fault === undefined && isJsonObject(row.value);

const faultOf = (row: ImportedRow) =>
  row.fault ?? { pointer: '', code: 'INVALID_TYPE', detail: 'a row must be an object' };

const writeBatch = async (batch: readonly ImportedRow[], write: WriteRows, tally: ImportTally): Promise<void> => {
  const writable = batch.flatMap((row) =>
    row.fault === undefined && isJsonObject(row.value) ? [{ row: row.row, json: row.value }] : [],
  );
  const results = (writable.length === 0 ? [] : await write(writable)).values();
  for (const row of batch) {
    const result = isWritable(row) ? results.next().value : undefined;
    if (result === undefined) tally.fail(row.row, [faultOf(row)]);
    else tally.take(row.row, result);
  }
};

/**
 * Writes rows as they come, one batch after the other; the next rows are read while a batch is being written. The tally
 * always tells what is written, whatever ends the rows.
 *
 * @throws what reading or writing throws, after the batch in flight has ended
 */
export const importRows = async (
  rows: AsyncIterable<readonly ImportedRow[]>,
  write: WriteRows,
  tally: ImportTally,
): Promise<void> => {
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const some of rows) {
      for (let at = 0; at < some.length; at += batchRows) {
        const batch = some.slice(at, at + batchRows);
        await writing;
        writing = writeBatch(batch, write, tally);
        // awaited below: it must not count as unhandled until then
        writing.catch(() => undefined);
      }
    }
  } finally {
    await writing;
  }
};
