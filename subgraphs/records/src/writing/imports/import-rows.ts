import type { ErrorCause } from '@fds/errors';
import { isJsonObject, type JsonObject } from '@fds/json';
import type { WriteResult } from '../writes/domain/record-write.js';
import type { ImportTally } from './import-tally.js';
import { evenSlices } from './rows/even-slices.js';
import type { ImportedRow } from './rows/imported-row.js';

/** Rows that are ready to be written. */
interface PreparedRows {
  /** Digests of their DR Keys. Batches without a key in common may be written at once. */
  readonly keys: ReadonlySet<string>;
  /** Writes them in their order; returns the result of each. */
  write(): Promise<readonly WriteResult[]>;
}

/** Does what can be done before the rows before are written. */
export type PrepareRows = (rows: readonly JsonObject[]) => Promise<PreparedRows>;

export interface RowWriting {
  readonly prepare: PrepareRows;
  /** So many batches are written at once, at most. */
  readonly width: number;
}

interface BatchInFlight {
  readonly keys: ReadonlySet<string>;
  readonly written: Promise<void>;
}

/**
 * So many rows are written together, at most. A part of a file bounds their bytes. A part of rows of 250 bytes is one batch: each
 * transaction costs PostgreSQL more than a millisecond of CPU besides its rows.
 */
const maxBatchRows = 2500;

const notAnObject: ErrorCause = { pointer: '', code: 'INVALID_TYPE', detail: 'a row must be an object' };

const sharesKey = ({ keys }: BatchInFlight, others: ReadonlySet<string>): boolean => {
  for (const key of others) if (keys.has(key)) return true;
  return false;
};

const toTally = (batch: readonly ImportedRow[], results: readonly WriteResult[], tally: ImportTally): void => {
  const next = results.values();
  for (const read of batch) {
    const result = read.fault === undefined && isJsonObject(read.value) ? next.next().value : undefined;
    if (result === undefined) tally.fail(read.row, [read.fault ?? notAnObject]);
    else tally.take(read.row, result);
  }
};

/** Starts after the batches that this one may not overtake; its results are reported after those of the batches before. */
const startBatch = (
  batch: readonly ImportedRow[],
  prepared: PreparedRows,
  { inFlight, tally }: { readonly inFlight: readonly BatchInFlight[]; readonly tally: ImportTally },
): BatchInFlight => {
  const { keys } = prepared;
  const overtaken = inFlight.filter((other) => sharesKey(other, keys)).map(({ written }) => written);
  const results = Promise.all(overtaken).then(() => prepared.write());
  const written = Promise.all([results, inFlight.at(-1)?.written]).then(([became]) => toTally(batch, became, tally));
  // both are awaited, but not before the rows after are read
  results.catch(() => undefined);
  written.catch(() => undefined);
  return { keys, written };
};

/**
 * Writes rows as they come; the next ones are read and prepared while batches are being written. Rows with the same key
 * are written in their order. The tally always counts the written rows, however the import ends.
 *
 * @throws the error of reading or writing, after the batches in flight have ended
 */
export const importRows = async (
  rows: AsyncIterable<readonly ImportedRow[]>,
  { prepare, width }: RowWriting,
  tally: ImportTally,
): Promise<void> => {
  let inFlight: BatchInFlight[] = [];
  try {
    for await (const some of rows) {
      for (const batch of evenSlices(some, maxBatchRows)) {
        const objects = batch.flatMap((read) =>
          read.fault === undefined && isJsonObject(read.value) ? [read.value] : [],
        );
        const prepared = await prepare(objects);
        if (inFlight.length === width) await inFlight[0]?.written;
        inFlight = inFlight.slice(inFlight.length === width ? 1 : 0);
        inFlight.push(startBatch(batch, prepared, { inFlight, tally }));
      }
    }
  } finally {
    await Promise.allSettled(inFlight.map(({ written }) => written));
    await inFlight.at(-1)?.written;
  }
};
