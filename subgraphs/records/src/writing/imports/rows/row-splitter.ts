import { createGiveWay } from '@fds/service';
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

/** A splitter gets so many bytes at once: the shortest rows and cells of as many bytes take it less than 50 ms. */
const pieceBytes = 4096;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The end of the next piece, between characters. */
const endOfPiece = (part: Buffer, from: number): number => {
  let end = Math.min(from + pieceBytes, part.length);
  while (end < part.length && isContinuation(part[end])) end += 1;
  return end;
};

/**
 * Splits parts as they come, and lets other work in between while it splits a part. The rows of a part stay together; a row
 * that ends with the file is with those of the last part.
 *
 * @throws BrokenFile after the rows before it
 */
export const splitRows = async function* (
  parts: AsyncIterable<Buffer>,
  splitter: RowSplitter,
): AsyncGenerator<readonly ImportedRow[], void> {
  const giveWay = createGiveWay();
  let rows: ImportedRow[] = [];
  const take = (split: SplitRows): void => {
    for (const row of split.rows) rows.push(row);
    if (split.broken !== undefined) throw split.broken;
  };
  try {
    for await (const part of parts) {
      const before = rows;
      rows = [];
      if (before.length > 0) yield before;
      for (let at = 0; at < part.length;) {
        const end = endOfPiece(part, at);
        take(await splitter.push(part.subarray(at, end)));
        at = end;
        const turn = giveWay();
        if (turn !== undefined) await turn;
      }
    }
    take(await splitter.end());
  } catch (error) {
    if (rows.length > 0) yield rows;
    throw error;
  }
  if (rows.length > 0) yield rows;
};
