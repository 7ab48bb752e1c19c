import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorCause } from '@fds/errors';
import { isJsonObject, type JsonObject } from '@fds/json';
import type { WriteResult } from '../writes/domain/record-write.js';
import type { ImportTally } from './import-tally.js';
import { BrokenFile } from './rows/broken-file.js';
import { evenSlices } from './rows/even-slices.js';
import type { ImportedRow } from './rows/imported-row.js';
import { RowWindow, type TakenRow, type WindowBounds, type WindowRow } from './rows/row-window.js';

/** A row that was validated against the model, and is not written yet. */
type PreparedRow<Item> = WindowRow & { readonly item: Item };

export interface RowWriting<Item> {
  /** Does what can be done before the rows before are written. Each object gets one item, in the same order. */
  readonly prepare: (rows: readonly JsonObject[]) => Promise<readonly Omit<PreparedRow<Item>, 'row'>[]>;
  /** Writes items in their order; returns the result of each. */
  readonly write: (items: readonly Item[]) => Promise<readonly WriteResult[]>;
  /** So many batches are written at once, at most. */
  readonly width: number;
  /** Rows of one key in this window are one write. EACH_BATCH: only those of one batch. */
  readonly window: WindowBounds | 'EACH_BATCH';
}

interface BatchInFlight {
  readonly keys: ReadonlySet<string>;
  readonly written: Promise<void>;
}

/**
 * So many rows are written together, at most. A part of rows of 250 bytes is one batch: each transaction costs PostgreSQL more
 * than a millisecond of CPU besides its rows.
 */
const maxBatchRows = 2500;
/** And so many bytes of texts, give or take the rows of a key. */
const maxBatchTextBytes = 2 ** 20;
/** So many rows are prepared for the window in one piece. */
const maxPreparedRows = 500;

const notAnObject: ErrorCause = { pointer: '', code: 'INVALID_TYPE', detail: 'a row must be an object' };

const sharesKey = ({ keys }: BatchInFlight, others: ReadonlySet<string>): boolean => {
  for (const key of others) if (keys.has(key)) return true;
  return false;
};

/** Counts rows that cannot be written, and prepares the others. */
const prepareRows = async <Item>(
  some: readonly ImportedRow[],
  prepare: RowWriting<Item>['prepare'],
  tally: ImportTally,
): Promise<PreparedRow<Item>[]> => {
  const numbers: number[] = [];
  const objects: JsonObject[] = [];
  for (const read of some) {
    if (read.fault === undefined && isJsonObject(read.value)) {
      numbers.push(read.row);
      objects.push(read.value);
    } else tally.fail(read.row, [read.fault ?? notAnObject]);
  }
  const prepared = await prepare(objects);
  return prepared.map((each, index) => ({ ...each, row: numbers[index] ?? 0 }));
};

const toTally = (batch: readonly TakenRow<WindowRow>[], results: readonly WriteResult[], tally: ImportTally): void => {
  for (const [index, { item, replaced, outcome }] of batch.entries()) {
    const result = results[index];
    if (result === undefined) throw new TypeError('a row was written without a result');
    // the row before it in the batch is not the one before it in the file
    const isTold = outcome !== undefined && (result.outcome === 'UPDATED' || result.outcome === 'UNCHANGED');
    tally.takeReplacing(item.row, isTold ? { ...result, outcome } : result, replaced);
  }
};

/**
 * Writes rows as they come; the next ones are read and prepared while batches are being written. Rows with the same key
 * are written in their order. The tally always counts the written rows, however the import ends.
 *
 * @throws the error of reading or writing, after the batches in flight have ended. Before a BrokenFile all rows before it are
 * written
 */
export const importRows = async <Item>(
  rows: AsyncIterable<readonly ImportedRow[]>,
  { prepare, write, width, window: bounds }: RowWriting<Item>,
  tally: ImportTally,
): Promise<void> => {
  let inFlight: BatchInFlight[] = [];

  /** Starts after the batches that this one may not overtake; its results are reported after those of the batches before. */
  const start = async (batch: readonly TakenRow<PreparedRow<Item>>[]): Promise<void> => {
    if (inFlight.length === width) {
      await inFlight[0]?.written;
      inFlight = inFlight.slice(1);
    }
    const keys = new Set(batch.flatMap(({ item }) => item.key ?? []));
    const overtaken = inFlight.filter((other) => sharesKey(other, keys)).map(({ written }) => written);
    const results = Promise.all(overtaken).then(() => write(batch.map(({ item }) => item.item)));
    const written = Promise.all([results, inFlight.at(-1)?.written]).then(([became]) => toTally(batch, became, tally));
    // both are awaited, but not before the rows after are read
    results.catch(() => undefined);
    written.catch(() => undefined);
    inFlight.push({ keys, written });
  };

  const window = new RowWindow<PreparedRow<Item>>(
    bounds === 'EACH_BATCH' ? { bytes: 0, bytesOnceRepeated: 0 } : bounds,
  );
  const take = async (some: readonly ImportedRow[]): Promise<void> => {
    for (const slice of evenSlices(some, bounds === 'EACH_BATCH' ? maxBatchRows : maxPreparedRows)) {
      const prepared = await prepareRows(slice, prepare, tally);
      if (bounds === 'EACH_BATCH') {
        const batch = prepared.map((item) => ({ item, replaced: { updated: 0, unchanged: 0 }, outcome: undefined }));
        if (batch.length > 0) await start(batch);
        continue;
      }
      for (const row of prepared) window.add(row);
      // rows that replace each other cause no statement in which other requests get their turn
      await nextTurn();
      while (window.isOverfull) await start(window.take(maxBatchRows, maxBatchTextBytes));
    }
  };

  try {
    let broken: BrokenFile | undefined;
    try {
      for await (const some of rows) await take(some);
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      broken = error;
    }
    while (!window.isEmpty) await start(window.take(maxBatchRows, maxBatchTextBytes));
    if (broken !== undefined) throw broken;
  } finally {
    await Promise.allSettled(inFlight.map(({ written }) => written));
    await inFlight.at(-1)?.written;
  }
};
