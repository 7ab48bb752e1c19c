import type { BrokenFile } from './broken-file.js';
import type { ImportedRow } from './imported-row.js';

/** The content of a part of a file: rows, and then perhaps its end. */
export interface SplitRows {
  readonly rows: readonly ImportedRow[];
  /** After those rows the file cannot be read any further. */
  readonly broken?: BrokenFile | undefined;
}

/**
 * Cuts a file into rows, part by part. Parts may end anywhere between characters. It keeps at most one row, and
 * discards a row that is too long. Not asked again once it was broken.
 */
export interface RowSplitter {
  push(part: Buffer): SplitRows | Promise<SplitRows>;
  end(): SplitRows | Promise<SplitRows>;
}

/** Splits parts as they come. @throws BrokenFile after the rows before it */
export const splitRows = async function* (
  parts: AsyncIterable<Buffer>,
  splitter: RowSplitter,
): AsyncGenerator<readonly ImportedRow[], void> {
  const take = function* ({ rows, broken }: SplitRows): Generator<readonly ImportedRow[]> {
    if (rows.length > 0) yield rows;
    if (broken !== undefined) throw broken;
  };
  for await (const part of parts) yield* take(await splitter.push(part));
  yield* take(await splitter.end());
};
