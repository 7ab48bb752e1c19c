import { setImmediate as nextTurn } from 'node:timers/promises';
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

/** Other requests get their turn after so much work. */
const turnMs = 15;

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
  let turnEndsMs = performance.now() + turnMs;
  let rows: ImportedRow[] = [];
  for await (const part of parts) {
    if (rows.length > 0) yield rows;
    rows = [];
    let broken: BrokenFile | undefined;
    for (let at = 0; at < part.length && broken === undefined;) {
      const end = endOfPiece(part, at);
      const split = await splitter.push(part.subarray(at, end));
      for (const row of split.rows) rows.push(row);
      broken = split.broken;
      at = end;
      if (performance.now() < turnEndsMs) continue;
      await nextTurn();
      turnEndsMs = performance.now() + turnMs;
    }
    if (broken === undefined) continue;
    if (rows.length > 0) yield rows;
    throw broken;
  }
  const last = await splitter.end();
  for (const row of last.rows) rows.push(row);
  if (rows.length > 0) yield rows;
  if (last.broken !== undefined) throw last.broken;
};
